// Addresses of PostgreSQL: how to recognize one, its parts as PostgreSQL's own tools read them (documentation, 34.1.1.2 "Connection
// URIs"), the parameters it may have, and how to show one without secrets. Imports nothing, because every command loads it.

/**
 * Whether `--db` is to be read as an address rather than a path. That includes text which may hold a password, such as an address for
 * another tool, one in quotes, or `host=… password=…`: opening it fails with what was expected.
 */
export function isAddress(text: string): boolean {
  return /^postgres(?:ql)?:|^\W*[a-z][\w+.:-]*:\/\/|password\s*=/i.test(text);
}

/** The parts of an address by the names of PostgreSQL's parameters: host, port, dbname, user, password, and those after the `?`. */
export type Parameters = ReadonlyMap<string, string>;

/** Parameters that take effect, each with the environment variable that is its fallback. */
export const HEEDED = {
  host: 'PGHOST',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  passfile: 'PGPASSFILE',
  service: 'PGSERVICE',
  options: 'PGOPTIONS',
  application_name: 'PGAPPNAME',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  keepalives: null,
  keepalives_idle: null,
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcrl: 'PGSSLCRL',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslpassword: null,
  channel_binding: 'PGCHANNELBINDING',
} as const;

/** The value of a parameter, if there is one. */
export type Read = (name: keyof typeof HEEDED) => string | undefined;

/** Parameters that may be given and have no effect: a catalogue is read as well without them. */
const UNHEEDED: readonly string[] = [
  'client_encoding',
  'fallback_application_name',
  'keepalives_interval',
  'keepalives_count',
  'tcp_user_timeout',
  'target_session_attrs',
  'load_balance_hosts',
  'sslcompression',
  'sslsni',
  'krbsrvname',
  'gsslib',
  'gssdelegation',
];

/** What the driver cannot do. Other values than those listed are refused: whoever sets one relies on it. */
export const UNABLE: readonly (readonly [name: string, variable: string, ...fine: readonly string[]])[] = [
  ['hostaddr', 'PGHOSTADDR'],
  ['gssencmode', 'PGGSSENCMODE', 'disable', 'prefer'],
  ['require_auth', 'PGREQUIREAUTH'],
  ['requirepeer', 'PGREQUIREPEER'],
  ['sslcertmode', 'PGSSLCERTMODE', 'allow'],
  ['sslcrldir', 'PGSSLCRLDIR'],
  ['sslnegotiation', 'PGSSLNEGOTIATION', 'postgres'],
  // What Node.js does anyway.
  ['ssl_min_protocol_version', 'PGSSLMINPROTOCOLVERSION', 'TLSv1', 'TLSv1.1', 'TLSv1.2'],
  ['ssl_max_protocol_version', 'PGSSLMAXPROTOCOLVERSION', 'TLSv1.3'],
];

export const KNOWN: readonly string[] = [...Object.keys(HEEDED), ...UNHEEDED, ...UNABLE.map(([name]) => name)];

const ADDRESS =
  /^postgres(?:ql)?:\/\/(?:(?<login>[^@/?]*)@)?(?<server>[^/?@]*)(?:\/(?<dbname>[^?@]*))?(?:\?(?<query>[^@]*))?$/is;
const SERVER = /^(?:\[(?<v6>[^\]]*)\]|(?<name>[^:[\]]*))(?::(?<port>\d*))?$/;

/** Null where it is not an address. `host` may be a list of servers. A second @ makes it invalid: what follows may be part of a password. */
export function addressParts(address: string): Parameters | null {
  const groups = ADDRESS.exec(address)?.groups;
  if (groups === undefined) return null;
  const { login = '', server = '', dbname = '', query = '' } = groups;
  const [at, ...others] = server.split(',').map((one) => SERVER.exec(one)?.groups);
  if (at === undefined || others.includes(undefined)) return null;
  const host = others.length > 0 ? server : (at['v6'] ?? at['name'] ?? '');
  const [user = '', ...rest] = login.split(':');
  const found = { user, password: rest.join(':'), host, port: at['port'] ?? '', dbname };
  const parts = new Map<string, string>();
  try {
    for (const [name, text] of Object.entries(found)) if (text !== '') parts.set(name, decodeURIComponent(text));
    for (const pair of query === '' ? [] : query.split('&')) {
      const [name = '', value, more] = pair.split('=').map(decodeURIComponent);
      if (name === '' || value === undefined || more !== undefined) return null;
      // As drivers of other languages write it.
      if (name === 'ssl' && value === 'true') parts.set('sslmode', 'require');
      else parts.set(name, value);
    }
  } catch {
    return null;
  }
  return parts;
}

const SECRET: readonly string[] = ['password', 'sslpassword'];

/**
 * What `--db` names, as messages and hints show it: a path unchanged; an address without its password, and without anything that may be
 * one by mistake; of other text only how it begins.
 */
export function displayAddress(text: string): string {
  if (!isAddress(text)) return text;
  const [scheme = ''] = /^\W*(?:postgres(?:ql)?:(?:\/\/)?|[a-z][\w+.-]*:\/\/)/i.exec(text) ?? [];
  if (addressParts(text) === null) return `${scheme}…`;
  const [, rest = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(text.slice(scheme.length)) ?? [];
  const shown = query
    .split('&')
    .filter((pair) => pair !== '' && !SECRET.some((name) => pair.startsWith(`${name}=`)))
    .map(shownPair);
  return `${scheme}${rest.replace(/:[^@/]*@/, '@')}${shown.length === 0 ? '' : `?${shown.join('&')}`}`;
}

/** A custom setting, which has a dot in its name, may be a token for row security policies: it is not shown. */
function shownPair(pair: string): string {
  const [name = '', value = ''] = pair.split('=');
  const isOwn = name === 'options' && /\.[^=]*=/.test(decodeURIComponent(value));
  if (!KNOWN.includes(name)) return '…';
  return isOwn ? 'options=…' : pair;
}
