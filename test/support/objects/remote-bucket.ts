// A bucket of a store that does not stand in this process, seen and changed by signed requests of
// the test's own.

import { SaxesParser } from 'saxes';
import { send, type Destination, type ReceivedAnswer, type SentRequest } from './send.ts';
import { environmentOf, type Credentials, type StoredObject, type TestStore } from './test-store.ts';

export interface ListedPage {
  readonly keys: readonly string[];
  readonly commonPrefixes: readonly string[];
  /** Null on the last page. */
  readonly nextToken: string | null;
}

export class RemoteBucket implements TestStore {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: Credentials;
  readonly environment: Readonly<Record<string, string>>;
  readonly #close: () => Promise<void>;

  constructor(destination: Destination, close: () => Promise<void> = () => Promise.resolve()) {
    ({
      endpoint: this.endpoint,
      bucket: this.bucket,
      region: this.region,
      credentials: this.credentials,
    } = destination);
    this.environment = environmentOf(this.endpoint, this.region, this.credentials);
    this.#close = close;
  }

  /** Makes the bucket itself. */
  async create(): Promise<void> {
    await this.#demand({ method: 'PUT' });
  }

  async objects(): Promise<ReadonlyMap<string, StoredObject>> {
    const objects = new Map<string, StoredObject>();
    for await (const { keys } of listPages(this, {})) {
      for (const key of keys) {
        const { body, headers } = await this.#demand({ method: 'GET', key });
        const plain = Object.entries(headers).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value]] : [],
        );
        objects.set(key, { bytes: body, headers: Object.fromEntries(plain) });
      }
    }
    return objects;
  }

  async put(key: string, body: Uint8Array | string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#demand({ method: 'PUT', key, body, headers });
  }

  async delete(key: string): Promise<void> {
    await this.#demand({ method: 'DELETE', key });
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #demand(request: SentRequest): Promise<ReceivedAnswer> {
    const answer = await send(this, request);
    if (answer.status < 300) return answer;
    throw new Error(`${request.method} ${request.key ?? this.bucket}: ${answer.status} ${answer.body.toString()}`);
  }
}

/** All pages of a listing, each as it comes. */
export async function* listPages(
  from: Destination,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<ListedPage> {
  let token: string | null = null;
  do {
    const pageQuery: Record<string, string> = {
      'list-type': '2',
      ...query,
      ...(token === null ? {} : { 'continuation-token': token }),
    };
    const { status, body } = await send(from, { method: 'GET', query: pageQuery });
    if (status !== 200) throw new Error(`listing ${from.bucket}: ${status} ${body.toString()}`);
    const page = parseListing(body);
    yield page;
    token = page.nextToken;
  } while (token !== null);
}

/** What a page of ListObjectsV2 says. */
export function parseListing(document: Buffer): ListedPage {
  const keys: string[] = [];
  const commonPrefixes: string[] = [];
  let nextToken: string | null = null;
  let text = '';
  const path: string[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    path.push(name);
    text = '';
  });
  parser.on('text', (part) => {
    text += part;
  });
  parser.on('closetag', () => {
    const element = path.join('/');
    if (element === 'ListBucketResult/Contents/Key') keys.push(text);
    if (element === 'ListBucketResult/CommonPrefixes/Prefix') commonPrefixes.push(text);
    if (element === 'ListBucketResult/NextContinuationToken') nextToken = text;
    path.pop();
  });
  parser.write(document.toString()).close();
  return { keys, commonPrefixes, nextToken };
}
