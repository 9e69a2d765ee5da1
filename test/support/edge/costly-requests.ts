// Requests that nobody has signed, in the shapes that have been seen to cost a server more than
// their size, or that might: each is made for a number of bytes.

/** A request's lines. `bytes`: of its fields, in all, about. `now`: seconds since 1970. */
type Shape = (bytes: number, now: number) => readonly string[];

const REQUIRED = '"@method" "@authority" "@path" "x-front"';
/** As long as a signature of a P-256 key, of which every edge verifies one before it refuses. */
const SIGNATURE = `sig=:${'A'.repeat(84)}AA==:`;
const HEX = 'a'.repeat(64);
/** As much of a list of names as is read at all, and no more. */
const LIST_MAX = 1850;

const instant = (now: number): string => new Date(now * 1000).toISOString();

/**
 * As many items of a series as there is room for, with what stands between two, such as the end of
 * a line.
 */
function filled(bytes: number, item: (i: number) => string, between = 2): readonly string[] {
  const items: string[] = [];
  for (let length = 0; ;) {
    const next = item(items.length);
    length += next.length + between;
    if (length > bytes) return items;
    items.push(next);
  }
}

const get = (fields: readonly string[], target = '/products/', host = 'edge.test'): readonly string[] => [
  `GET ${target} HTTP/1.1`,
  `Host: ${host}`,
  ...(fields.some((line) => /^x-front:/i.test(line)) ? [] : ['X-Front: moscow']),
  ...fields,
];

const rfc9421 = (now: number, { cover = '', keyid = 'nobody', more = '' } = {}): readonly string[] => [
  `Signature-Input: sig=(${REQUIRED}${cover});created=${now};keyid="${keyid}";tag="x-front"${more}`,
  `Signature: ${SIGNATURE}`,
];

const OWN_NAMES = ['x-api-key', 'x-api-signed-headers', 'x-api-timestamp', 'x-front'];
const signedHeaders = (now: number, names: readonly string[] = [], keyid = 'nobody'): readonly string[] => [
  `X-API-Key: ${keyid}`,
  `X-API-Timestamp: ${instant(now)}`,
  `X-API-Signed-Headers: ${[...OWN_NAMES, ...names].toSorted().join(';')}`,
  `X-API-Signature: ${HEX}`,
];

/** Names of two characters or three, in order. */
const nameOf = (i: number): string => `h${i.toString(36)}`;
const listed = (bytes: number): number => Math.min(LIST_MAX, bytes);
const covered = (bytes: number): readonly string[] => filled(listed(bytes), nameOf, 4);
const coverOf = (names: readonly string[]): string => names.map((name) => ` "${name}"`).join('');
const lines = (names: readonly string[]): readonly string[] => names.map((name) => `${name}: z`);
/** Many lines, of which no name is looked for. */
const padding = (bytes: number): readonly string[] => filled(bytes, () => 'z: z');

/**
 * Names with one hash (h × 33 xor c), by which njs finds a property: where two pairs of letters
 * lead to one state, either may follow.
 */
const collidingNames: readonly string[] = (() => {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const step = (hash: number, text: string): number =>
    Array.from(text).reduce((h, char) => (Math.imul(h, 33) ^ char.charCodeAt(0)) >>> 0, hash);
  // The rule puts a colon before each.
  let hash = step(5381, ':');
  let names = [''];
  for (let block = 0; block < 10; block++) {
    const seen = new Map<number, string>();
    for (const text of Array.from(letters).flatMap((a) => Array.from(letters).map((b) => a + b))) {
      const state = step(hash, text);
      const other = seen.get(state);
      if (other !== undefined) {
        names = names.flatMap((name) => [name + text, name + other]);
        hash = state;
        break;
      }
      seen.set(state, text);
    }
  }
  return names;
})();

/** What every other is compared with: well formed, and made with a key that nobody has. */
export const plainRefusal = (now: number): readonly string[] => get(rfc9421(now));

export const SHAPES: { readonly [what: string]: Shape } = {
  'no signature, many lines': (bytes) => get(padding(bytes)),
  'many lines': (bytes, now) => get([...rfc9421(now), ...padding(bytes)]),
  'many covered names that are absent, many lines': (bytes, now) => {
    const names = covered(bytes / 2);
    return get([...rfc9421(now, { cover: coverOf(names) }), ...padding(bytes / 2)]);
  },
  'many covered names that are there': (bytes, now) => {
    const names = covered(bytes / 2);
    return get([...rfc9421(now, { cover: coverOf(names) }), ...lines(names)]);
  },
  '32 covered names, of many lines each': (bytes, now) => {
    const names = Array.from({ length: 28 }, (_, i) => nameOf(i));
    const each = filled(bytes, (i) => `${nameOf(i % 28)}: z`);
    return get([...rfc9421(now, { cover: coverOf(names) }), ...each]);
  },
  'too old, many covered names': (bytes, now) => {
    const names = covered(bytes / 2);
    return get([...rfc9421(now - 5000, { cover: coverOf(names) }), ...lines(names)]);
  },
  'many labels': (bytes) => get([`Signature-Input: ${filled(listed(bytes), (i) => `${nameOf(i)}=()`).join(', ')}`]),
  'a string without an end': (bytes, now) =>
    get([...rfc9421(now), `Signature-Input: a="${'\\"'.repeat(listed(bytes) / 2)}`]),
  'quotes that are escaped': (bytes, now) =>
    get([...rfc9421(now), `Signature-Input: ,${'"\\'.repeat(listed(bytes) / 2)}`]),
  'many strings': (bytes, now) => get([...rfc9421(now), `Signature-Input: ${'"a",'.repeat(listed(bytes) / 4)}"`]),
  'nothing but commas': (bytes, now) => get([...rfc9421(now), `Signature-Input: ${','.repeat(listed(bytes))}`]),
  'nothing but tags': (bytes) => get([`Signature-Input: ${';tag="x-front"'.repeat(listed(bytes) / 14)}`]),
  'nothing but brackets': (bytes) =>
    get([`Signature-Input: sig=${'('.repeat(listed(bytes))};tag="x-front"`, `Signature: ${SIGNATURE}`]),
  'a header that is too long': (bytes) => get([`Signature-Input: ${'a'.repeat(Math.min(bytes, 7000))}`]),
  'many lines of Signature-Input': (bytes) => get(filled(bytes, () => 'Signature-Input: a=()')),
  'many lines of Signature': (bytes, now) => get([...rfc9421(now), ...filled(bytes, () => 'Signature: a=:AAAA:')]),
  'names of one hash': (bytes, now) => {
    const names = filled(bytes, (i) => `${collidingNames[i % collidingNames.length]}: z`);
    return get([...rfc9421(now, { cover: ' "a"' }), ...names]);
  },
  'long names': (bytes, now) => {
    const names = covered(bytes / 2).slice(0, 28);
    const long = filled(bytes - 500, (i) => `${'n'.repeat(1000)}${i}: z`);
    return get([...rfc9421(now, { cover: coverOf(names) }), ...long, ...lines(names)]);
  },
  'signed headers, long names': (bytes, now) => {
    const names = covered(bytes / 2).slice(0, 28);
    const long = filled(bytes - 500, (i) => `${'n'.repeat(1000)}${i}: z`);
    return get([...signedHeaders(now, names), ...long, ...lines(names)]);
  },
  'a long keyid': (bytes, now) => get(rfc9421(now, { keyid: 'k'.repeat(Math.min(bytes, 1900)) })),
  'a keyid of escapes': (bytes, now) => get(rfc9421(now, { keyid: String.raw`\\`.repeat(Math.min(bytes, 1900) / 2) })),
  'a long nonce': (bytes, now) => get(rfc9421(now, { more: `;nonce="${' '.repeat(Math.min(bytes, 1800))}"` })),
  'many lines of X-Front': (bytes) => get(filled(bytes, () => 'X-Front: moscow')),
  'a long X-Front': (bytes) => get([`X-Front: ${'m'.repeat(Math.min(bytes, 7000))}`]),
  'a long path': (bytes) => get([], `/${'/'.repeat(Math.min(bytes, 7000))}`),
  'a long query': (bytes, now) =>
    get(rfc9421(now, { cover: ' "@query"' }), `/products/?${'&'.repeat(Math.min(bytes, 7000))}`),
  'a long host': (bytes, now) => get(rfc9421(now), '/products/', `${'a.'.repeat(Math.min(bytes, 7000) / 2)}test`),
  'a covered value of blanks': (bytes, now) =>
    get([...rfc9421(now, { cover: ' "a"' }), `a: 1${' \t'.repeat(Math.min(bytes, 7000) / 2)}1`]),
  'signed headers, many lines': (bytes, now) => get([...signedHeaders(now), ...padding(bytes)]),
  'signed headers, many names that are there, many lines': (bytes, now) => {
    const names = filled(listed(bytes / 3), nameOf, 1);
    return get([...signedHeaders(now, names), ...lines(names), ...padding(bytes / 3)]);
  },
  'signed headers, 32 names, many lines': (bytes, now) => {
    const names = Array.from({ length: 28 }, (_, i) => nameOf(i));
    return get([...signedHeaders(now, names), ...lines(names), ...padding(bytes - 400)]);
  },
  'signed headers, many names that are absent': (bytes, now) =>
    get(signedHeaders(now, filled(Math.min(bytes, 7000), nameOf))),
  'signed headers, a value of blanks': (bytes, now) =>
    get([...signedHeaders(now, ['a']), `a: 1${' \t'.repeat(Math.min(bytes, 7000) / 2)}1`]),
  'signed headers, a value of words': (bytes, now) =>
    get([...signedHeaders(now, ['a']), `a: ${'1 \t'.repeat(Math.min(bytes, 7000) / 3)}1`]),
  'signed headers, many parameters': (bytes, now) =>
    get(signedHeaders(now), `/products/?${filled(Math.min(bytes, 6500), (i) => `${(i * 7919) % 1000}`).join('&')}`),
  'signed headers, empty parameters': (bytes, now) =>
    get(signedHeaders(now), `/products/?${'&'.repeat(Math.min(bytes, 7000))}`),
  'signed headers, many lines of one name': (bytes, now) =>
    get([...signedHeaders(now, ['a']), ...filled(bytes, () => 'a: z')]),
  'signed headers, a long key': (bytes, now) => get(signedHeaders(now, [], 'k'.repeat(Math.min(bytes, 7000)))),
};
