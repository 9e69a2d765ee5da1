// The rule as a fetch handler (WinterTC: Cloudflare Workers, workerd, Deno, Bun, Vercel, Netlify), for any origin of the tree. It keeps only
// pointers, for a few seconds. If the tree cannot be read, the reason is logged and not sent to the client.

import type { KeyRing } from '../../contract/key-ring.ts';
import type { SiblingEncoding } from '../rule/encoding.ts';
import type { Eventually } from '../rule/eventually.ts';
import type { ProfileName } from '../rule/profile.ts';
import type { RuleRequest } from '../rule/request.ts';
import { respond, type Store } from '../rule/respond.ts';
import { rfc9421 } from '../rule/rfc9421.ts';
import { authorize } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import { profileOf } from './profiles.ts';
import { webCryptoKeyStore } from './web-crypto.ts';

/** The configuration that `edge build` writes at the start of every worker bundle. */
export interface WorkerConfiguration extends SettingsFile {
  /** The accepted signing profiles. */
  readonly profiles: readonly ProfileName[];
  /** The encodings of the precompressed siblings in the tree. */
  readonly encodings: readonly SiblingEncoding[];
  /** How long a pointer is kept; at most 10 s. */
  readonly pointerSeconds: number;
}

/** The secrets and bindings by name. Some runtimes pass none. */
export type WorkerEnvironment = Readonly<Record<string, unknown>>;

/**
 * Loads a file of the tree with GET or HEAD. null if it does not exist. Rejects with a message for the log if the tree cannot be read.
 */
export type Load = (path: string, method: string) => Promise<Pick<Response, 'body' | 'text'> | null>;

/** Access to the tree for one request; `now`: seconds since 1970. */
export type Origin = (bindings: WorkerEnvironment, now: number) => Load;

/** Access to the key ring for one request; `now`: seconds since 1970. */
export type KeyRingOrigin = (bindings: WorkerEnvironment, now: number) => Eventually<KeyRing>;

/** A request with the property that Cloudflare adds. */
type WorkerRequest = Request & { readonly cf?: { readonly clientAcceptEncoding?: string } };

/** Keyed by path: a front's code alone may be `constructor`, which every object inherits. */
const keptPointers: { [path: string]: { readonly text: string | null; readonly readAt: number } } = {};

/** Media types of pages and errors, which some origins send with 200. Files of the tree never have such a type; some have none. */
export const PAGE = /xml|html/i;

/** The default export of a worker. */
export const fetchHandler = (settings: WorkerConfiguration, origin: Origin, keyRing: KeyRingOrigin) => ({
  async fetch(request: WorkerRequest, environment?: WorkerEnvironment | null): Promise<Response> {
    const now = Date.now() / 1000;
    const bindings = environment ?? {};
    const keys = webCryptoKeyStore(await keyRing(bindings, now), (name) => textOrNull(bindings[name]));
    const received = requestOf(request);
    const target = await authorize(received, keys, profileOf(settings.profiles, rfc9421), settings, now);
    // The reason for a 503, for the log. An unreadable key ring also logs its own line.
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
        // The reason if every file can be loaded but none can be served.
        why = path + ': unusable, or names no file';
        let kept = keptPointers[path];
        // abs: otherwise a clock that is set back would keep the pointer longer.
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
      // Cloudflare must not encode content that is already encoded.
      encodeBody: 'manual',
    } as ResponseInit);
  },
});

const requestOf = (request: WorkerRequest): RuleRequest => {
  // Not parsed with the URL class, which resolves dots and would turn another path into one of ours.
  const field = (name: string): string | null => {
    // Cloudflare rewrites Accept-Encoding; `cf` has the client's value.
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

/** A binding that is a text; null for any other, which cannot be a secret. */
export const textOrNull = (binding: unknown): string | null => (typeof binding === 'string' ? binding : null);
