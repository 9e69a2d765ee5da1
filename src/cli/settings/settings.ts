// Every setting: its key in playbill.json, its flag, its environment variable, its default and its
// help. Flags, the JSON Schema of the file and `playbill config` are made from this list. A flag
// that is an order for one run is not a setting: its command declares it.

import { databaseText } from '../../database/open.ts';
import { PROXIES } from '../../edge/targets/authorizer/proxies.ts';
import { readers, takers, TARGETS } from '../../edge/targets/targets.ts';
import { DEFAULT_SETTINGS } from '../../edge/rule/settings.ts';
import { PROFILE_NAMES } from '../../edge/rule/profile.ts';
import { withoutUser } from '../../errors.ts';
import { DEFAULT_KEEP, type Keep } from '../../release/history/retention.ts';
import {
  compressionsArgument,
  durationArgument,
  edgeUrlArgument,
  keptArgument,
  percentageArgument,
  secretRefArgument,
  type Rule,
} from '../arguments.ts';
import { hookArgument, shownHook } from '../hook-argument.ts';
import { durationText } from '../output/terminal.ts';

interface Traits {
  /** A value as it stands in the file. */
  readonly example: string | number | readonly string[] | boolean;
  /** How a value stands in the file: as it is typed, as a number, as a list of texts, or as true or false. */
  readonly form?: 'text' | 'number' | 'list' | 'switch';
  /** The environment variable that sets it as well. */
  readonly variable?: string;
  /** Matches every text that is a value, for editors. */
  readonly pattern?: string;
  /** The texts of a list, where `rule` does not list them. */
  readonly members?: readonly string[];
  /** The texts to offer, where `rule` does not list them. */
  readonly choices?: readonly string[];
  /** The least number. */
  readonly min?: number;
  /** Whether a value is the path of a file: in the file, relative to the file's own folder. */
  readonly isPath?: (text: string) => boolean;
  /** Whether it belongs to one target of `edge build`. */
  readonly isOfTarget?: boolean;
  /** A value without what may be secret in it. */
  readonly shown?: (text: string) => string;
}

export interface Setting<
  Term extends string = string,
  Value = unknown,
  Preset extends string | undefined = string | undefined,
> extends Traits {
  /** Where it stands in the file: `horizon`, `guards.maxShrink`. */
  readonly key: string;
  /** The flag with its argument: `--horizon <duration>`. */
  readonly term: Term;
  readonly text: string;
  /** How a text becomes a value. Of a flag that takes several, each. */
  readonly rule?: Rule<Value>;
  /** The default, as it is typed. */
  readonly preset: Preset;
}

function setting<const Term extends string, const Value = string, const Preset extends string | undefined = undefined>(
  key: string,
  term: Term,
  text: string,
  traits: Traits & { readonly rule?: Rule<Value>; readonly preset?: Preset },
): Setting<Term, Value, Preset> {
  return { preset: undefined as Preset, ...traits, key, term, text };
}

function duration<const Flag extends string, const Preset extends string | undefined = undefined>(
  key: string,
  flag: Flag,
  text: string,
  traits: Pick<Traits, 'example'> & { readonly preset?: Preset },
) {
  const pattern = String.raw`^(0|(\d{1,9}[smhd])+)$`;
  return setting(key, `${flag} <duration>` as const, text, { rule: durationArgument, pattern, ...traits });
}

function share<const Flag extends string>(key: string, flag: Flag, text: string, example: string, preset: string) {
  const pattern = String.raw`^\d{1,3}(\.\d+)?%$`;
  return setting(key, `${flag} <percentage>` as const, text, { rule: percentageArgument, pattern, example, preset });
}

function kept<const Flag extends string>(key: string, flag: Flag, text: string, preset: number, min = 0) {
  const rule = (given: string, name: string): number => keptArgument(given, name, min);
  return setting(key, `${flag} <number>` as const, text, {
    rule,
    form: 'number',
    min,
    example: preset,
    preset: String(preset),
  });
}

const isNoAddress = (text: string): boolean => !/^[a-z][a-z0-9+.-]*:/i.test(text);

export const SETTINGS = {
  db: setting('db', '--db <catalogue>', 'the catalogue: an SQLite file or postgres://…', {
    variable: 'PLAYBILL_DB',
    preset: 'data/catalogue.sqlite',
    example: 'data/catalogue.sqlite',
    isPath: isNoAddress,
    shown: databaseText,
  }),
  out: setting('out', '--out <tree>', 'the tree: a folder or s3://bucket/prefix', {
    variable: 'PLAYBILL_OUT',
    preset: 'out',
    example: 's3://tickets/tree',
    isPath: isNoAddress,
    shown: withoutUser,
  }),
  horizon: duration('horizon', '--horizon', 'how far ahead editions are rendered; 0 for one edition', {
    preset: '6h',
    example: '24h',
  }),
  precompress: setting('precompress', '--precompress <forms>', 'write compressed copies next to new editions', {
    form: 'list',
    members: ['gzip', 'br'],
    rule: compressionsArgument,
    choices: ['none', 'gzip', 'br', 'gzip,br'],
    preset: 'none',
    example: ['gzip'],
  }),
  logFormat: setting(
    'logFormat',
    '--log-format <name>',
    'how messages are written to stderr; json: one object a line',
    {
      rule: ['text', 'json'],
      preset: 'text',
      example: 'json',
    },
  ),
  readTimeout: duration('readTimeout', '--read-timeout', 'how long reading the catalogue may take; 0 for any time', {
    preset: '0',
    example: '10m',
  }),
  maxShrink: share(
    'guards.maxShrink',
    '--max-shrink',
    'how much of its cards a front may lose in one build; three may go, but not the last',
    '20%',
    '50%',
  ),
  maxBad: share(
    'guards.maxBad',
    '--max-bad',
    'how many of its products errors in the catalogue may affect before a front is held back; three may be, but not all',
    '1%',
    '5%',
  ),
  keepLast: kept('keep.last', '--keep-last', 'how many of the last releases are kept', DEFAULT_KEEP.last, 1),
  keepHourly: kept(
    'keep.hourly',
    '--keep-hourly',
    'for how many hours the last release of each is kept',
    DEFAULT_KEEP.hourly,
  ),
  keepDaily: kept(
    'keep.daily',
    '--keep-daily',
    'for how many days the last release of each is kept',
    DEFAULT_KEEP.daily,
  ),
  keepGrace: duration('keep.grace', '--grace', 'keep a superseded release for at least this long', {
    preset: durationText(DEFAULT_KEEP.graceSeconds),
    example: '1h',
  }),
  ...hook('onPublish', '--on-publish', 'send what was published, as JSON, to this command (on stdin) or URL (by POST)'),
  ...hook(
    'onFailure',
    '--on-failure',
    'if the run fails, send how, as JSON, to this command (on stdin) or URL (by POST)',
  ),
  ...hook(
    'onChange',
    '--on-change',
    'if the key ring of the tree changed, notify this command (on stdin) or URL (by POST), as JSON',
  ),
  prometheus: setting('prometheus', '--prometheus <file>', 'write metrics to this textfile', {
    isPath: () => true,
    example: '/var/lib/node_exporter/playbill.prom',
  }),
  s3VirtualHosts: setting(
    's3VirtualHosts',
    '--s3-virtual-hosts',
    'put the name of the bucket into the host name, even if AWS_ENDPOINT_URL is set',
    { form: 'switch', variable: 'PLAYBILL_S3_VIRTUAL_HOSTS', example: true },
  ),

  target: setting(
    'edge.target',
    '--target <runtime>',
    TARGETS.map(({ name, summary }) => `${name}: ${summary}`).join('; '),
    { rule: TARGETS.map(({ name }) => name), example: 'nginx' },
  ),
  to: setting('edge.to', '--to <folder>', 'the folder to write (default: edge- and the target)', {
    isPath: () => true,
    isOfTarget: true,
    example: '/etc/playbill/edge',
  }),
  publicRoot: setting(
    'edge.publicRoot',
    '--public-root <folder>',
    'where the edge finds the tree’s public folder (default: that of --out)',
    { isPath: () => true, isOfTarget: true, example: '/srv/public' },
  ),
  keyRing: setting(
    'edge.keyRing',
    '--key-ring <file|url>',
    `where the rule rereads the tree’s edge/keyring.json: a path (${takers('keyRingPath')}), or a URL or the name of a binding (${takers('keyRingAt')}) (default: next to the public folder; on cloudflare with a binding: the KV namespace KEYRING)`,
    {
      // The name of a binding has no slash.
      isPath: (text) => isNoAddress(text) && text.includes('/'),
      isOfTarget: true,
      example: '/srv/edge/keyring.json',
    },
  ),
  proxy: setting('edge.proxy', '--proxy <name>', `${takers('proxy')}: the proxy in front of it`, {
    rule: PROXIES,
    isOfTarget: true,
    example: 'caddy',
  }),
  authorizer: setting(
    'edge.authorizer',
    '--authorizer <address>',
    `${takers('authorizer')}: the address of the service, which only the proxy needs to reach`,
    { preset: '127.0.0.1:9180', isOfTarget: true, example: '127.0.0.1:9180' },
  ),
  listen: setting(
    'edge.listen',
    '--listen <address>',
    `${takers('listen')}: the address of the server, or of the proxy; for nginx also "443 ssl http2" and the like`,
    { preset: '8080', isOfTarget: true, example: '8080' },
  ),
  serverName: setting(
    'edge.serverName',
    '--server-name <names>',
    'nginx, also as --proxy: the names of its server (default: any)',
    {
      isOfTarget: true,
      example: 'tickets.example',
    },
  ),
  certificate: setting(
    'edge.certificate',
    '--certificate <file>',
    'nginx, also as --proxy, with ssl in --listen: the certificate of its server, in PEM, with the chain',
    {
      isPath: () => true,
      isOfTarget: true,
      example: '/etc/ssl/tickets.pem',
    },
  ),
  certificateKey: setting(
    'edge.certificateKey',
    '--certificate-key <file>',
    'nginx, also as --proxy: the private key of the certificate',
    {
      isPath: () => true,
      isOfTarget: true,
      example: '/etc/ssl/tickets.key',
    },
  ),
  origin: setting(
    'edge.origin',
    '--origin <url>',
    `the URL of the public folder (${readers('url')}); the name of a binding (${readers('binding')}); r2://BUCKET/PREFIX (${readers('r2')}); the private bucket with the tree, s3://BUCKET/PREFIX (${readers('s3')}), which lambda-edge reads with its role, and the others with their own secrets AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
    { preset: 'ASSETS', isOfTarget: true, shown: withoutUser, example: 's3://tickets/tree' },
  ),
  originEndpoint: setting(
    'edge.originEndpoint',
    '--origin-endpoint <url>',
    's3: the URL of the store (default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or AWS)',
    { isOfTarget: true, shown: withoutUser, example: 'https://storage.example' },
  ),
  originRegion: setting(
    'edge.originRegion',
    '--origin-region <name>',
    's3: the region of the bucket (default: AWS_REGION or AWS_DEFAULT_REGION)',
    { isOfTarget: true, example: 'eu-central-1' },
  ),
  encodings: setting(
    'edge.encodings',
    '--encodings <name...>',
    'workers except vercel, and buckets: the precompressed siblings in the tree (build --precompress); without this option the rule compresses nothing',
    { form: 'list', rule: ['br', 'gzip'], isOfTarget: true, example: ['gzip'] },
  ),
  base: setting('edge.base', '--base <path>', 'the path before /products/', { preset: '', example: '/api' }),
  maxAge: duration('edge.maxAge', '--max-age', 'the longest max-age of an answer', { preset: '1m', example: '30s' }),
  ringGrace: duration(
    'edge.ringGrace',
    '--ring-grace',
    'all but nginx: how long the rule goes on with the last key ring while it cannot read it again',
    { preset: durationText(DEFAULT_SETTINGS.ringGrace), example: '5m' },
  ),
  authority: setting(
    'edge.authority',
    '--no-authority',
    'do not require a signature over @authority, if a proxy rewrites Host',
    { form: 'switch', example: false },
  ),
  profiles: setting('edge.profiles', '--profile <name...>', 'the accepted signing profiles (default: rfc9421)', {
    form: 'list',
    rule: PROFILE_NAMES,
    example: ['rfc9421'],
  }),
  url: setting('edge.url', '--url <url>', 'the URL of the edge, everything before /products/', {
    rule: edgeUrlArgument,
    shown: withoutUser,
    example: 'https://tickets.example',
  }),
};

/** A hook, how long it may take, and the secret that its URL needs. */
function hook<const Name extends string, const Flag extends string>(name: Name, flag: Flag, text: string) {
  const what = setting(name, `${flag} <command|url>` as const, text, {
    rule: hookArgument,
    shown: shownHook,
    example: 'https://hooks.example/playbill',
  });
  const timeout = duration(`${name}Timeout`, `${flag}-timeout` as const, 'how long the notification may take', {
    preset: '1m',
    example: '10m',
  });
  const token = setting(
    `${name}TokenEnv`,
    `${flag}-token-env <name>` as const,
    'the environment variable with the token that the URL gets as Authorization: Bearer',
    { rule: secretRefArgument, example: 'PLAYBILL_HOOK_TOKEN' },
  );
  return { [name]: what, [`${name}Timeout`]: timeout, [`${name}TokenEnv`]: token } as Readonly<
    Record<Name, typeof what> & Record<`${Name}Timeout`, typeof timeout> & Record<`${Name}TokenEnv`, typeof token>
  >;
}

/** How much history the flags of `keepFlags` keep. */
export function keepOf({ keepLast, keepHourly, keepDaily, grace }: Readonly<Record<KeepFlag, number>>): Keep {
  return { last: keepLast, hourly: keepHourly, daily: keepDaily, graceSeconds: grace };
}

type KeepFlag = 'keepLast' | 'keepHourly' | 'keepDaily' | 'grace';

/** `--horizon` of `--horizon <duration>`. */
export const flagOf = ({ term }: Setting): string => term.replace(/ .*/, '');

export const ALL_SETTINGS: readonly Setting[] = Object.values(SETTINGS);
