// The rule for runtimes with a fetch handler (WinterTC: Cloudflare Workers, workerd, Deno, Bun, Vercel, Netlify): one ES module. The
// tree comes from an origin, by URL or by a binding. It keeps pointers for a few seconds, and nothing else.

import type { KeyRing } from '../../contract/key-ring.ts';
import type { SiblingEncoding } from '../rule/encoding.ts';
import { withProfiles } from '../rule/profile.ts';
import { rfc9421 } from '../rule/rfc9421.ts';
import type { RuleRequest } from '../rule/request.ts';
import { respond, type Store } from '../rule/respond.ts';
import { authorize } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import { webCryptoKeyStore } from './web-crypto.ts';

/** What `edge build` writes in front of this module. */
export interface WorkerConfiguration extends SettingsFile {
  readonly keyRing: KeyRing;
  /** Where out/public is: a URL without a slash at its end, or the name of a binding that has `fetch`. */
  readonly origin: string;
  /** The precompressed siblings that the build makes. */
  readonly encodings: readonly SiblingEncoding[];
  /** For how long a pointer is kept; at most 10 s. */
  readonly pointerSeconds: number;
}

declare const PLAYBILL: WorkerConfiguration;

/** Bindings: the origin if it is one, and the secrets by their names. Runtimes without bindings pass none. */
export type WorkerEnvironment = Readonly<Record<string, unknown>>;

/** A request, perhaps with what Cloudflare adds to it. */
type WorkerRequest = Request & { readonly cf?: { readonly clientAcceptEncoding?: string } };

const keptPointers: { [front: string]: { readonly text: string | null; readonly until: number } } = {};

export default {
  /** Answers one request. */
  async fetch(request: WorkerRequest, environment?: WorkerEnvironment | null): Promise<Response> {
    const now = Date.now() / 1000;
    const settings = withProfiles(PLAYBILL, [rfc9421]);
    const bindings = environment ?? {};
    const keys = webCryptoKeyStore(PLAYBILL.keyRing, (name) => textOrNull(bindings[name]));
    const received = requestOf(request);
    const target = await authorize(received, keys, settings, now);
    const store = originStore(bindings, received.method, now);
    const { decision, headers, content } = await respond(received, target, store, settings.maxAge, now);
    // 'manual': a content that is encoded already stays as it is.
    const init = { status: decision.status, headers: Object.fromEntries(headers), encodeBody: 'manual' };
    return new Response(received.method === 'HEAD' ? null : content, init);
  },
};

const requestOf = (request: WorkerRequest): RuleRequest => {
  // The URL as it came: the URL class would resolve dots and so turn another path into one of ours.
  const [, scheme = '', authority = '', target = ''] = /^(\w+):..([^/]*)(.*)/.exec(request.url) ?? [];
  return {
    method: request.method,
    scheme,
    authority,
    target,
    lines: (name) => {
      // Cloudflare rewrites Accept-Encoding, and keeps what the client sent elsewhere.
      const sent = name === 'accept-encoding' ? request.cf?.clientAcceptEncoding : null;
      return [sent ?? request.headers.get(name) ?? []].flat();
    },
  };
};

const textOrNull = (binding: unknown): string | null => (typeof binding === 'string' ? binding : null);

/** The tree behind the configured origin. Editions are fetched by the client's method. */
const originStore = (bindings: WorkerEnvironment, editionMethod: string, now: number): Store<ReadableStream | ''> => {
  const { origin, encodings, pointerSeconds } = PLAYBILL;
  const binding = bindings[origin] as Pick<typeof globalThis, 'fetch'> | undefined;
  const load = async (path: string, method: string): Promise<Response | null> => {
    const response = await (binding ?? globalThis).fetch(`${binding ? 'http://tree' : origin}/${path}`, { method });
    // A bucket answers 403 for what is not there to who may read its objects and not list them (S3, GCS).
    if (response.status === 404 || response.status === 403) return null;
    if (!response.ok) throw new Error(path);
    return response;
  };
  return {
    encodings,
    open: async (path) => {
      const response = await load(path, editionMethod);
      return response && (response.body ?? '');
    },
    readPointer: async (front, isFresh) => {
      const kept = keptPointers[front];
      if (kept && kept.until > now && !isFresh) return kept.text;
      const response = await load(pointerPath(front), 'GET');
      const text = response && (await response.text());
      keptPointers[front] = { text, until: now + pointerSeconds };
      return text;
    },
  };
};
