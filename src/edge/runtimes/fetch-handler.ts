// The rule as a fetch handler (WinterTC: Cloudflare Workers, workerd, Deno, Bun, Vercel, Netlify), for any origin of the tree. It keeps
// pointers for a few seconds, and nothing else. The log says why the tree cannot be read; the client learns nothing of it.

import type { KeyRing } from '../../contract/key-ring.ts';
import type { SiblingEncoding } from '../rule/encoding.ts';
import type { Eventually } from '../rule/eventually.ts';
import type { RuleRequest } from '../rule/request.ts';
import { respond, type Store } from '../rule/respond.ts';
import { authorize } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import { profile } from './profiles/worker.ts';
import { webCryptoKeyStore } from './web-crypto.ts';

/** What `edge build` writes in front of the bundle. */
export interface WorkerConfiguration extends SettingsFile {
  /** The precompressed siblings that the build makes. */
  readonly encodings: readonly SiblingEncoding[];
  /** For how long a pointer is kept; at most 10 s. */
  readonly pointerSeconds: number;
}

/** Bindings: the origin if it is one, and the secrets by their names. Runtimes without bindings pass none. */
export type WorkerEnvironment = Readonly<Record<string, unknown>>;

/**
 * Gets a file of the tree's public folder, by GET or HEAD. null when it is not there; rejects when that cannot be known, with a message for
 * the log.
 */
export type Load = (path: string, method: string) => Promise<Pick<Response, 'body' | 'text'> | null>;

/** The tree as one request finds it; `now`: seconds since 1970. */
export type Origin = (bindings: WorkerEnvironment, now: number) => Load;

/** Its key ring, likewise. */
export type KeyRingOrigin = (bindings: WorkerEnvironment, now: number) => Eventually<KeyRing>;

/** A request, perhaps with what Cloudflare adds to it. */
type WorkerRequest = Request & { readonly cf?: { readonly clientAcceptEncoding?: string } };

/** By path: a front may be named `constructor`, as a property that every object has. */
const keptPointers: { [path: string]: { readonly text: string | null; readonly readAt: number } } = {};

/** Types of pages and errors, which some origins send with 200. Files of the tree never have one of them; some come without a type. */
export const PAGE = /xml|html/i;

/** The default export of a worker whose tree is there. */
export const fetchHandler = (settings: WorkerConfiguration, origin: Origin, keyRing: KeyRingOrigin) => ({
  /** Answers one request. */
  async fetch(request: WorkerRequest, environment?: WorkerEnvironment | null): Promise<Response> {
    const now = Date.now() / 1000;
    const bindings = environment ?? {};
    const keys = webCryptoKeyStore(await keyRing(bindings, now), (name) => textOrNull(bindings[name]));
    const received = requestOf(request);
    const target = await authorize(received, keys, profile, settings, now);
    // What the request was waiting for; the key ring has a line of its own.
    let why = 'keys';
    const load: Load = (path, method) =>
      origin(bindings, now)(path, method).catch((error: Error) => {
        why = path + ': ' + error.message;
        throw error;
      });
    const store: Store<ReadableStream | ''> = {
      encodings: settings.encodings,
      open: (path) => load(path, received.method).then((file) => file && (file.body ?? '')),
      readPointer: async (front, isFresh) => {
        const path = pointerPath(front);
        // The reason for a 503 when every file could be loaded.
        why = path + ': unusable, or names no file';
        let kept = keptPointers[path];
        // In either direction: a clock that is set back must not keep it for longer.
        if (isFresh || !kept || Math.abs(now - kept.readAt) >= settings.pointerSeconds) {
          const file = await load(path, 'GET');
          kept = keptPointers[path] = { text: file && (await file.text()), readAt: now };
        }
        return kept.text;
      },
    };
    const { decision, headers, content } = await respond(received, target, store, settings.maxAge, now);
    if (decision.status === 503) console.error('playbill: the tree cannot be read: ' + why);
    return new Response(received.method === 'HEAD' ? null : content, {
      status: decision.status,
      headers: headers as [string, string][],
      // A content that is encoded already stays as it is.
      encodeBody: 'manual',
    } as ResponseInit);
  },
});

const requestOf = (request: WorkerRequest): RuleRequest => {
  // The URL as it came: the URL class would resolve dots and so turn another path into one of ours.
  const field = (name: string): string | null => {
    // Cloudflare rewrites Accept-Encoding, and keeps what the client sent elsewhere.
    const sent = name === 'accept-encoding' ? request.cf?.clientAcceptEncoding : null;
    return sent ?? request.headers.get(name);
  };
  const [, scheme = '', authority = '', target = ''] = /^(\w+):..([^/]*)(.*)/.exec(request.url) ?? [];
  return {
    method: request.method,
    scheme,
    authority,
    target,
    lines: (name) => [field(name) ?? []].flat(),
    field,
  };
};

/** The text of a binding; null for anything else, which cannot be a secret. */
export const textOrNull = (binding: unknown): string | null => (typeof binding === 'string' ? binding : null);
