// The rule as a fetch handler (WinterTC: Cloudflare Workers, workerd, Deno, Bun, Vercel, Netlify), for any origin of the tree. It keeps
// pointers for a few seconds, and nothing else.

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

/** What `edge build` writes in front of the bundle. */
export interface WorkerConfiguration extends SettingsFile {
  readonly keyRing: KeyRing;
  /** The precompressed siblings that the build makes. */
  readonly encodings: readonly SiblingEncoding[];
  /** For how long a pointer is kept; at most 10 s. */
  readonly pointerSeconds: number;
}

declare const PLAYBILL: WorkerConfiguration;

/** Bindings: the origin if it is one, and the secrets by their names. Runtimes without bindings pass none. */
export type WorkerEnvironment = Readonly<Record<string, unknown>>;

/** Gets a file of the tree's public folder, by GET or HEAD. null when it is not there; rejects when that cannot be known. */
export type Load = (path: string, method: string) => Promise<Pick<Response, 'body' | 'text'> | null>;

/** The tree as one request finds it; `now`: seconds since 1970. */
export type Origin = (bindings: WorkerEnvironment, now: number) => Load;

/** A request, perhaps with what Cloudflare adds to it. */
type WorkerRequest = Request & { readonly cf?: { readonly clientAcceptEncoding?: string } };

const keptPointers: { [front: string]: { readonly text: string | null; readonly until: number } } = {};

/** The default export of a worker with this origin. */
export const fetchHandler = (origin: Origin) => ({
  /** Answers one request. */
  async fetch(request: WorkerRequest, environment?: WorkerEnvironment | null): Promise<Response> {
    const now = Date.now() / 1000;
    const settings = withProfiles(PLAYBILL, [rfc9421]);
    const bindings = environment ?? {};
    const keys = webCryptoKeyStore(PLAYBILL.keyRing, (name) => textOrNull(bindings[name]));
    const received = requestOf(request);
    const target = await authorize(received, keys, settings, now);
    const load = origin(bindings, now);
    const store: Store<ReadableStream | ''> = {
      encodings: PLAYBILL.encodings,
      open: (path) => load(path, received.method).then((file) => file && (file.body ?? '')),
      readPointer: async (front, isFresh) => {
        const kept = keptPointers[front];
        if (kept && kept.until > now && !isFresh) return kept.text;
        const file = await load(pointerPath(front), 'GET');
        const text = file && (await file.text());
        keptPointers[front] = { text, until: now + PLAYBILL.pointerSeconds };
        return text;
      },
    };
    const { decision, headers, content } = await respond(received, target, store, settings.maxAge, now);
    // 'manual': a content that is encoded already stays as it is.
    const init = { status: decision.status, headers: Object.fromEntries(headers), encodeBody: 'manual' };
    return new Response(received.method === 'HEAD' ? null : content, init);
  },
});

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

/** A binding that is text: anything else is no secret. */
export const textOrNull = (binding: unknown): string | null => (typeof binding === 'string' ? binding : null);
