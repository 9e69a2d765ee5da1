// Sends signed and unsigned requests to an edge, as a client does.

import { signRequest, type ClientKey, type ClientProfile } from '../client/signature.ts';
import type { Endpoint } from '../render/paths.ts';
import { EdgeConnection, type EdgeAnswer, type RequestFields } from './exchange.ts';

/** A key and its front. */
export interface FrontKey {
  readonly front: string;
  readonly key: ClientKey;
}

export interface EdgeAddress {
  /** Everything before `/products/`, without a slash at its end. */
  readonly url: URL;
  /** How requests are signed. */
  readonly profile: ClientProfile;
  /** False if a proxy rewrites Host. */
  readonly coversAuthority: boolean;
  readonly timeoutSeconds: number;
  /** Seconds since 1970, with a fraction. */
  readonly clock: () => number;
}

export interface Probe {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly path: string;
  /** The rule ignores the query, but most caches do not. `true`: a new one for each request. */
  readonly query?: string | true;
  /** null: unsigned. */
  readonly signer: FrontKey | null;
  /** X-Front. Default: the signer's front. */
  readonly front?: string;
  /** Seconds from now. */
  readonly created?: number;
  readonly fields?: RequestFields;
  /** A field to remove after signing. */
  readonly without?: string;
}

export const PATHS: Readonly<Record<Endpoint, string>> = { products: '/products/', categories: '/fronts/categories/' };

export class CheckedEdge {
  readonly address: EdgeAddress;
  readonly #connection: EdgeConnection;
  readonly #run: string;
  #queries = 0;

  constructor(address: EdgeAddress) {
    this.address = address;
    this.#connection = new EdgeConnection(address.url, address.clock, address.timeoutSeconds);
    this.#run = Math.floor(address.clock() * 1000).toString(36);
  }

  /** @throws AppError edge-unreachable */
  async ask(probe: Probe): Promise<EdgeAnswer> {
    const { method = 'GET', path, signer } = probe;
    const { url, profile, coversAuthority, clock } = this.address;
    const query = probe.query === true ? this.newQuery() : (probe.query ?? '');
    const target = `${basePath(url)}${path}${query}`;
    const fields: Record<string, string | readonly string[]> = { 'Accept-Encoding': 'identity' };
    if (probe.front !== undefined) fields['X-Front'] = probe.front;
    if (signer !== null) {
      const signed = await signRequest({
        // signRequest cannot sign POST. The rule refuses the method before it reads the signature.
        method: method === 'POST' ? 'GET' : method,
        url: new URL(target, url).href,
        front: probe.front ?? signer.front,
        key: signer.key,
        created: Math.floor(clock()) + (probe.created ?? 0),
        coversAuthority,
        profile,
      });
      Object.assign(fields, signed);
    }
    Object.assign(fields, probe.fields);
    if (method === 'POST') fields['Content-Length'] = '0';
    if (probe.without !== undefined) delete fields[probe.without];
    return this.#connection.send(method, target, fields);
  }

  /** A query that no cache has seen. */
  newQuery(): string {
    this.#queries += 1;
    return `?edge-check=${this.#run}-${this.#queries}`;
  }

  /**
   * Sends an unsigned GET for a path from the root of the host.
   * @throws AppError edge-unreachable
   */
  askRoot(path: string): Promise<EdgeAnswer> {
    return this.#connection.send('GET', path, {});
  }

  close(): void {
    this.#connection.close();
  }
}

/** The path of a URL without a slash at its end. */
export function basePath(url: URL): string {
  return url.pathname.replace(/\/$/, '');
}
