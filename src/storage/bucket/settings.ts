// How to reach a bucket: endpoint, region, addressing and certificates, read from where S3 tools
// look for them (the environment, or the profile that AWS_PROFILE names); and settings of our own
// in the same places.

import { readFileSync } from 'node:fs';
import { loadConfig } from '@smithy/node-config-provider';
import { AppError, messageOf, withoutUser } from '../../errors.ts';
import { amazonHost, type BucketAddress, fitsHostName } from './address.ts';

export interface BucketSettings {
  readonly endpoint: URL;
  readonly region: string;
  /** Whether the bucket is part of the host name instead of the path. */
  readonly isVirtualHost: boolean;
  /** PEM of the certificate authorities to trust; null for Node's own. */
  readonly certificates: string | null;
  readonly leaseSeconds: number;
  readonly timeoutMs: number;
  readonly backOffMs: number;
  readonly requestsAtOnce: number;
}

/** A numeric setting, from the environment or, in lower case, from the profile. */
interface NumberSetting {
  readonly variable: string;
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

/**
 * How long a lease lasts if it is not renewed; longer, if its last request may take longer
 * (lease.ts). With less than the minimum, a slow machine might not renew it in time.
 */
const LEASE_SECONDS: NumberSetting = { variable: 'PLAYBILL_LEASE_SECONDS', min: 6, max: 3600, fallback: 60 };
/** How long the store may be silent before a request fails. */
const TIMEOUT_SECONDS: NumberSetting = { variable: 'PLAYBILL_S3_TIMEOUT_SECONDS', min: 1, max: 600, fallback: 30 };
/** The number of concurrent requests. */
const REQUESTS_AT_ONCE: NumberSetting = { variable: 'PLAYBILL_S3_REQUESTS', min: 1, max: 256, fallback: 32 };
/** The longest wait before the first retry; each further wait may be twice as long. */
const BACK_OFF_MS: NumberSetting = { variable: 'PLAYBILL_S3_BACKOFF_MS', min: 1, max: 10_000, fallback: 100 };

const VIRTUAL_HOSTS = 'PLAYBILL_S3_VIRTUAL_HOSTS';

/** @throws AppError region-missing, usage (an invalid setting) */
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
    throw new AppError('usage', message, 'for example AWS_ENDPOINT_URL=https://storage.example');
  }
  const url = new URL(endpoint === '' ? `https://${amazonHost(region)}` : endpoint);
  const isVirtualHosts = await readVirtualHosts();
  if (isVirtualHosts && /^(?:[\d.]+|\[.*\])$/.test(url.hostname)) {
    const message = `expected AWS_ENDPOINT_URL to have a host name, found the IP address ${url.hostname}: a bucket's name cannot precede it`;
    throw new AppError('usage', message, `leave out --s3-virtual-hosts and ${VIRTUAL_HOSTS}`);
  }
  return {
    endpoint: url,
    region,
    isVirtualHost: isVirtualHosts || (endpoint === '' && fitsHostName(bucket)),
    certificates: certificatesIn(await read(['AWS_CA_BUNDLE'], 'ca_bundle')),
    leaseSeconds: await readNumber(LEASE_SECONDS),
    timeoutMs: 1000 * (await readNumber(TIMEOUT_SECONDS)),
    backOffMs: await readNumber(BACK_OFF_MS),
    requestsAtOnce: await readNumber(REQUESTS_AT_ONCE),
  };
}

/** '' if not set. */
function read(variables: readonly string[], key: string): Promise<string> {
  return loadConfig({
    environmentVariableSelector: (environment) => variables.map((name) => environment[name]).find(Boolean),
    configFileSelector: (profile) => profile[key],
    default: '',
  })();
}

/** Refuses anything but yes and no, so that `0` or `false` cannot be mistaken for yes. */
async function readVirtualHosts(): Promise<boolean> {
  const text = await read([VIRTUAL_HOSTS], VIRTUAL_HOSTS.toLowerCase());
  if (text === 'yes') return true;
  if (text === '' || text === 'no') return false;
  const message = `expected ${VIRTUAL_HOSTS} to be yes or no, found ${JSON.stringify(text)}`;
  throw new AppError('usage', message, 'unset it for the default, no');
}

async function readNumber({ variable, min, max, fallback }: NumberSetting): Promise<number> {
  const text = await read([variable], variable.toLowerCase());
  if (text === '') return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const message = `expected ${variable} to be an integer from ${min} to ${max}, found ${JSON.stringify(text)}`;
  throw new AppError('usage', message, `unset it for the default, ${fallback}`);
}

function certificatesIn(path: string): string | null {
  if (path === '') return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const message = `expected AWS_CA_BUNDLE to be a file of certificates, found: ${messageOf(error)}`;
    throw new AppError('usage', message, 'correct its path, or unset it', error);
  }
}
