// ListObjectsV2 over names in memory: names in the order of their UTF-8 bytes, at most 1,000 a
// page.

import { escapeXml, S3Error, xmlAnswer, type StoreAnswer } from './messages.ts';

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** Quoted. */
  readonly etag: string;
  readonly lastModified: string;
}

type Query = Readonly<Record<string, string>>;

const PAGE_MAX = 1000;

/** An entry of a page: an object, or what several names have in common up to the delimiter. */
type Entry = ListedObject | { readonly commonPrefix: string };

/** The page of these objects that the query asks for. */
export function listObjects(bucket: string, objects: readonly ListedObject[], query: Query): StoreAnswer {
  const pageSize = pageSizeOf(query);
  const token = query['continuation-token'];
  const after = token === undefined ? query['start-after'] : Buffer.from(token, 'base64url').toString();
  const left = entriesOf(objects, query).filter((entry) => after === undefined || isAfter(nameOf(entry), after));
  const page = left.slice(0, pageSize);
  const last = page.at(-1);
  const isTruncated = last !== undefined && left.length > page.length;
  return xmlAnswer(200, documentOf(bucket, page, query, pageSize, isTruncated ? nameOf(last) : null));
}

function pageSizeOf(query: Query): number {
  const text = query['max-keys'] ?? String(PAGE_MAX);
  if (!/^\d{1,9}$/.test(text))
    throw new S3Error('InvalidArgument', 'Provided max-keys not an integer or within integer range');
  return Math.min(Number(text), PAGE_MAX);
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isAfter(name: string, after: string): boolean {
  return compareBytes(name, after) > 0;
}

function nameOf(entry: Entry): string {
  return 'commonPrefix' in entry ? entry.commonPrefix : entry.key;
}

function entriesOf(objects: readonly ListedObject[], { prefix = '', delimiter = '' }: Query): Entry[] {
  const entries = new Map<string, Entry>();
  for (const object of objects) {
    if (!object.key.startsWith(prefix)) continue;
    const end = delimiter === '' ? -1 : object.key.indexOf(delimiter, prefix.length);
    const entry = end < 0 ? object : { commonPrefix: object.key.slice(0, end + delimiter.length) };
    entries.set(nameOf(entry), entry);
  }
  return [...entries.values()].sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
}

function documentOf(
  bucket: string,
  page: readonly Entry[],
  query: Query,
  pageSize: number,
  next: string | null,
): string {
  const isEncoded = query['encoding-type'] === 'url';
  const named = (text: string): string => escapeXml(isEncoded ? urlEncode(text) : text);
  const element = (name: string, text: string | undefined): string =>
    text === undefined ? '' : `<${name}>${text}</${name}>`;
  const given = (name: string, key: string): string =>
    element(name, query[key] === undefined ? undefined : named(query[key]));
  const content = page.map((entry) =>
    'commonPrefix' in entry
      ? element('CommonPrefixes', element('Prefix', named(entry.commonPrefix)))
      : element(
          'Contents',
          element('Key', named(entry.key)) +
            element('LastModified', entry.lastModified) +
            element('ETag', escapeXml(entry.etag)) +
            element('Size', String(entry.size)) +
            element('StorageClass', 'STANDARD'),
        ),
  );
  return [
    '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    element('Name', bucket),
    element('Prefix', named(query['prefix'] ?? '')),
    given('Delimiter', 'delimiter'),
    given('StartAfter', 'start-after'),
    element('ContinuationToken', query['continuation-token']),
    element('EncodingType', isEncoded ? 'url' : undefined),
    element('MaxKeys', String(pageSize)),
    element('KeyCount', String(page.length)),
    element('IsTruncated', String(next !== null)),
    element('NextContinuationToken', next === null ? undefined : Buffer.from(next).toString('base64url')),
    ...content,
    '</ListBucketResult>',
  ].join('');
}

/** As S3 does: a slash stays, a space is a plus. */
function urlEncode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/')
    .replaceAll('%20', '+');
}
