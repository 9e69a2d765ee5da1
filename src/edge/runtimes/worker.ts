// The rule for runtimes with a fetch handler (WinterTC: Cloudflare Workers, workerd, Deno, Bun, Vercel, Netlify): one ES module. The
// tree comes from an origin, by URL or by a binding. It keeps pointers for a few seconds and imported keys for ever, nothing else.

import { answer, type Store } from '../rule/respond.ts';
import type { SiblingEncoding } from '../rule/encoding.ts';
import type { KeyRingFile } from '../rule/key-store.ts';
import type { Pointers } from '../rule/pointer.ts';
import type { RuleRequest } from '../rule/request.ts';
import { decide, type Decision } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { withProfiles } from '../rule/profiles.ts';
import { pointerPath } from '../rule/tree.ts';
import { webCryptoKeyRing } from './web-crypto.ts';

/** What `edge build` writes in front of this module. */
export interface WorkerConfiguration extends SettingsFile {
  readonly keyRing: KeyRingFile;
  /** Where out/public is: a URL without a slash at its end, or the name of a binding that has `fetch`. */
  readonly origin: string;
  /** The precompressed siblings that the build makes. */
  readonly encodings: readonly SiblingEncoding[];
  /** For how long a pointer is kept; at most 10 s. */
  readonly pointerSeconds: number;
}

declare const PLAYBILL: WorkerConfiguration;

/** Bindings: the origin if it is one, and the secrets by their names. Runtimes without bindings hand in nothing. */
export interface WorkerEnvironment {
  readonly [name: string]: unknown;
}

/** A request, perhaps with what Cloudflare adds to it. */
type WorkerRequest = Request & { readonly cf?: { readonly clientAcceptEncoding?: string } };

interface Fetcher {
  fetch(url: string, init: { readonly method: string }): Promise<Response>;
}

interface KeptPointer {
  readonly text: string | null;
  readonly until: number;
}

const keptPointers: { [front: string]: KeptPointer } = {};

export default {
  /** Answers one request. */
  async fetch(request: WorkerRequest, environment?: WorkerEnvironment | null): Promise<Response> {
    const now = Date.now() / 1000;
    const settings = withProfiles(PLAYBILL);
    const bindings = environment ?? {};
    const keyRing = webCryptoKeyRing(PLAYBILL.keyRing, (name) => secretOf(bindings[name]));
    const asked = requestOf(request);
    const store = originStore(bindings, asked.method, now);
    const judge = (pointers: Pointers): Promise<Decision> => decide(asked, pointers, keyRing, settings, now);
    const { decision, headers, content } = await answer(asked, store, settings, judge);
    // 'manual': a content that is encoded already stays as it is.
    const init = { status: decision.status, headers: Object.fromEntries(headers), encodeBody: 'manual' };
    return new Response(asked.method === 'HEAD' ? null : content, init);
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

const secretOf = (secret: unknown): string | null => (typeof secret === 'string' ? secret : null);

/** The tree behind the configured origin. Editions are asked for by the client's method; pointers are kept for a while. */
const originStore = (bindings: WorkerEnvironment, editionMethod: string, now: number): Store<ReadableStream | ''> => {
  const { origin, encodings, pointerSeconds } = PLAYBILL;
  const binding = bindings[origin] as Fetcher | undefined;
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
    pointers: (isFresh) => ({
      read: async (front) => {
        const kept = keptPointers[front];
        if (kept && kept.until > now && !isFresh) return kept.text;
        const response = await load(pointerPath(front), 'GET');
        const text = response && (await response.text());
        keptPointers[front] = { text, until: now + pointerSeconds };
        return text;
      },
    }),
  };
};
