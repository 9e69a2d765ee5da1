// A proxy before Ceph's gateway that speaks AWS's dialect, and fails where a test asks for it:
// ETags in quotes, 404 for If-Match on no object, 501 for what AWS does not know. Checks the
// client's signature and signs again for the gateway. Everything else passes as it is.

import { S3Error, type StoreAnswer, type StoreRequest } from './messages.ts';
import type { RemoteBucket } from './remote-bucket.ts';
import { send } from './send.ts';
import { StoreServer, type ServerSettings } from './server.ts';
import type { StoredObject } from './test-store.ts';

/** What goes on to the gateway; the signature's own headers are made there and then. */
const FORWARDED =
  /^(cache-control|content-(type|encoding|disposition|language|md5)|expires|x-amz-meta-.+|range|if-.+)$/;

/** What concerns the connection, and the date: the proxy has a clock of its own. */
const NOT_RETURNED = /^(connection|keep-alive|transfer-encoding|date)$/;

/** A store before this bucket of the gateway. Its `close` leaves the bucket. */
export async function startProxy(bucket: RemoteBucket, options: Partial<ServerSettings> = {}): Promise<ProxyStore> {
  const store = new ProxyStore(bucket, options);
  await store.listen();
  return store;
}

export class ProxyStore extends StoreServer {
  readonly #gateway: RemoteBucket;

  constructor(gateway: RemoteBucket, options: Partial<ServerSettings>) {
    super({
      region: 'eu-central-1',
      credentials: { accessKeyId: 'AKIDPROXY', secretAccessKey: 'secret-of-the-proxy' },
      ...options,
      bucket: gateway.bucket,
    });
    this.#gateway = gateway;
  }

  objects(): Promise<ReadonlyMap<string, StoredObject>> {
    return this.#gateway.objects();
  }

  put(key: string, bytes: Uint8Array | string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.#gateway.put(key, bytes, headers);
  }

  delete(key: string): Promise<void> {
    return this.#gateway.delete(key);
  }

  protected async apply({ method, bucket, key, query, headers, body }: StoreRequest): Promise<StoreAnswer> {
    const forwarded = Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' && FORWARDED.test(name) ? [[name, value]] : [],
      ),
    );
    if (method === 'PUT') translateConditions(forwarded);
    const request = { method, key, query, headers: forwarded, body };
    const { endpoint, region, credentials } = this.#gateway;
    const destination = { endpoint, region, credentials, bucket };
    const answer = await send(destination, request);
    if (method === 'PUT' && answer.status === 412 && forwarded['if-match'] !== undefined) {
      const { status } = await send(destination, { method: 'HEAD', key });
      if (status === 404) throw new S3Error('NoSuchKey', 'The specified key does not exist.', { Key: key });
    }
    const returned = Object.entries(answer.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !NOT_RETURNED.test(name) ? [[name, value]] : [],
    );
    return { status: answer.status, headers: Object.fromEntries(returned), body: answer.body };
  }
}

/** AWS's conditions of a PUT in Ceph's words. */
function translateConditions(headers: Record<string, string>): void {
  const { 'if-match': expected, 'if-none-match': absent } = headers;
  if (absent !== undefined && absent !== '*')
    throw new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented');
  if (expected === undefined) return;
  const [, etag] = /^"(.*)"$/.exec(expected) ?? [];
  if (etag === undefined)
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
  headers['if-match'] = etag;
}
