// How a bucket is reached: endpoint, region, addressing and certificates, from where S3 tools look for them, the environment or the profile
// that AWS_PROFILE names; and settings of our own, in the same places.

import { readFileSync } from 'node:fs';
import { loadConfig } from '@smithy/node-config-provider';
import { AppError, messageOf, withoutUser } from '../../errors.ts';
import type { BucketAddress } from './address.ts';

export interface BucketSettings {
  readonly endpoint: URL;
  readonly region: string;
  /** Whether the bucket stands in the host's name, and not in the path. */
  readonly isVirtualHost: boolean;
  /** PEM of authorities that the store's certificate may come from; null for those of Node. */
  readonly certificates: string | null;
  readonly leaseSeconds: number;
  readonly timeoutMs: number;
  readonly backOffMs: number;
  readonly requestsAtOnce: number;
}

/** A setting that is a number, from the environment or, in lower case, from the profile. */
interface NumberSetting {
  readonly variable: string;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

/** How long the lease of a tree lasts that is not renewed. A shorter one could end between two renewals of a slow machine. */
const LEASE_SECONDS: NumberSetting = { variable: 'PLAYBILL_LEASE_SECONDS', least: 6, most: 3600, usual: 60 };
/** How long the store may keep silent before a request counts as unreachable. */
const TIMEOUT_SECONDS: NumberSetting = { variable: 'PLAYBILL_S3_TIMEOUT_SECONDS', least: 1, most: 600, usual: 30 };
/** How many requests are under way at the same time. */
const REQUESTS_AT_ONCE: NumberSetting = { variable: 'PLAYBILL_S3_REQUESTS', least: 1, most: 256, usual: 32 };
/** How long the first repetition of a request waits at most; each further one, twice as long. */
const BACK_OFF_MS: NumberSetting = { variable: 'PLAYBILL_S3_BACKOFF_MS', least: 1, most: 10_000, usual: 100 };

const VIRTUAL_HOSTS = 'PLAYBILL_S3_VIRTUAL_HOSTS';

/** @throws AppError region-missing, usage (a setting that cannot be one) */
export async function bucketSettings({ bucket }: BucketAddress): Promise<BucketSettings> {
  const endpoint = await read(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'], 'endpoint_url');
  const region = (await read(['AWS_REGION', 'AWS_DEFAULT_REGION'], 'region')) || (endpoint === '' ? '' : 'us-east-1');
  if (region === '') {
    const message = `expected the region of bucket ${bucket} in AWS_REGION or the profile, found none`;
    const hint = 'for a store that is not Amazon: set AWS_ENDPOINT_URL to its address';
    throw new AppError('region-missing', message, hint);
  }
  if (endpoint !== '' && !/^https?:\/\/[^\s/?#@][^\s?#@]*$/.test(endpoint)) {
    const message = `expected AWS_ENDPOINT_URL to be a URL that begins with https:// or http:// and has no user, found ${JSON.stringify(withoutUser(endpoint))}`;
    throw new AppError('usage', message, 'type it as AWS_ENDPOINT_URL=https://storage.example');
  }
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const url = new URL(endpoint === '' ? `https://s3.${region}.${domain}` : endpoint);
  const isVirtualHosts = await readVirtualHosts();
  if (isVirtualHosts && /^(?:[\d.]+|\[.*\])$/.test(url.hostname)) {
    const message = `expected AWS_ENDPOINT_URL to have a name, before which the bucket's can stand, found the address ${url.hostname}`;
    throw new AppError('usage', message, `leave out --s3-virtual-hosts and ${VIRTUAL_HOSTS}`);
  }
  return {
    endpoint: url,
    region,
    // Of a bucket with a dot no certificate of the store has the name.
    isVirtualHost: isVirtualHosts || (endpoint === '' && !bucket.includes('.')),
    certificates: certificatesIn(await read(['AWS_CA_BUNDLE'], 'ca_bundle')),
    leaseSeconds: await readNumber(LEASE_SECONDS),
    timeoutMs: 1000 * (await readNumber(TIMEOUT_SECONDS)),
    backOffMs: await readNumber(BACK_OFF_MS),
    requestsAtOnce: await readNumber(REQUESTS_AT_ONCE),
  };
}

/** '' where nobody has set it. */
function read(variables: readonly string[], key: string): Promise<string> {
  return loadConfig({
    environmentVariableSelector: (environment) => variables.map((name) => environment[name]).find(Boolean),
    configFileSelector: (profile) => profile[key],
    default: '',
  })();
}

/** Refuses any other word: `0` or `false` would turn on what it is meant to turn off. */
async function readVirtualHosts(): Promise<boolean> {
  const text = await read([VIRTUAL_HOSTS], VIRTUAL_HOSTS.toLowerCase());
  if (text === 'yes') return true;
  if (text === '' || text === 'no') return false;
  const message = `expected ${VIRTUAL_HOSTS} to be yes or no, found ${JSON.stringify(text)}`;
  throw new AppError('usage', message, 'leave it out: then it is no');
}

async function readNumber({ variable, least, most, usual }: NumberSetting): Promise<number> {
  const text = await read([variable], variable.toLowerCase());
  if (text === '') return usual;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  const message = `expected ${variable} to be ${least} to ${most}, found ${JSON.stringify(text)}`;
  throw new AppError('usage', message, `leave it out: then it is ${usual}`);
}

function certificatesIn(path: string): string | null {
  if (path === '') return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const message = `expected AWS_CA_BUNDLE to be a file of certificates, found: ${messageOf(error)}`;
    throw new AppError('usage', message, 'correct its path, or leave it out', error);
  }
}
