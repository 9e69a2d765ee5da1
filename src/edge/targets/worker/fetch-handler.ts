// The rule as a fetch handler (WinterTC: Cloudflare Workers, workerd, Deno, Bun, Vercel, Netlify),
// for any origin of the tree. It keeps only pointers, for a few seconds. If the tree cannot be
// read, the reason is logged and not sent to the client. HEAD reads what GET would: every host
// leaves the content out, and none then says another Content-Length (RFC 9110, 8.6).
//
// workerd: `request.url` is the unchanged URL: `/x/../products/` and `/%70roducts/` stay as they
// are, while `new URL()` would normalise them. Repeated headers arrive joined: two
// `Signature-Input` lines with different labels are one list. Its disk service aborts a request if
// a file disappears between two of its own calls. A build leaves an hour of grace before it removes
// files.
//
// Deno and Bun say `Content-Length: 0` if a handler gives no content.

import type { KeyRing } from '../../../contract/key-ring.ts';
import type { SiblingEncoding } from '../../rule/encoding.ts';
import type { MaybeAsync } from '../../rule/maybe-async.ts';
import type { ProfileName } from '../../rule/profile.ts';
import type { RuleRequest } from '../../rule/request.ts';
import { respond, type Store } from '../../rule/respond.ts';
import { rfc9421 } from '../../rule/rfc9421.ts';
import { authorize } from '../../rule/rule.ts';
import type { SettingsFile } from '../../rule/settings.ts';
import { pointerPath } from '../../rule/tree.ts';
import { type Environment, textOrNull } from '../../remote-tree/environment.ts';
import { KeptPointers } from '../../remote-tree/kept-pointers.ts';
import type { Load } from '../../remote-tree/load.ts';
import { profileOf } from '../../rule/profiles.ts';
import { webCryptoKeyStore } from '../../web-crypto/key-store.ts';

/** The configuration that `edge build` writes at the start of every worker bundle. */
export interface WorkerConfiguration extends SettingsFile {
  /** The accepted signing profiles. */
  readonly profiles: readonly ProfileName[];
  /** The encodings of the precompressed siblings in the tree. */
  readonly encodings: readonly SiblingEncoding[];
  /** How long a pointer is kept; at most 10 s. */
  readonly pointerSeconds: number;
}

/** What a host can send. */
type Content = ReadableStream | ArrayBuffer | '';

/** The content of an edition or a sibling; null if it does not exist. Rejects like Load. */
export type OpenEdition = (path: string, load: Load, context?: HostContext) => Promise<Content | null>;

/**
 * Cloudflare and Netlify pass this to a handler. Other hosts finish a pending promise without it.
 */
interface HostContext {
  waitUntil?(promise: Promise<unknown>): void;
}

/** Access to the tree for one request; `now`: seconds since 1970. */
export type Origin = (bindings: Environment, now: number) => Load;

/** Access to the key ring for one request; `now`: seconds since 1970. */
export type KeyRingOrigin = (bindings: Environment, now: number) => MaybeAsync<KeyRing>;

/** A request with the property that Cloudflare adds. */
type WorkerRequest = Request & { readonly cf?: { readonly clientAcceptEncoding?: string } };

/** Passes an edition on as it comes. */
const passedOn: OpenEdition = (path, load) => load(path).then((file) => file && (file.body ?? ''));

/** The default export of a worker. */
export const fetchHandler = (
  settings: WorkerConfiguration,
  origin: Origin,
  keyRing: KeyRingOrigin,
  openEdition = passedOn,
) => {
  const pointers = new KeptPointers();
  return {
    async fetch(request: WorkerRequest, environment?: Environment | null, context?: HostContext): Promise<Response> {
      const now = Date.now() / 1000;
      const bindings = environment ?? {};
      const keys = webCryptoKeyStore(await keyRing(bindings, now), (name) => textOrNull(bindings[name]));
      const received = requestOf(request);
      const target = await authorize(received, keys, profileOf(settings.profiles, rfc9421), settings, now);
      const load = origin(bindings, now);
      // The reason for a 503, for the log. An unreadable key ring also logs its own line.
      let why = 'keys';
      const reading = <T>(path: string, result: Promise<T>): Promise<T> =>
        result.catch((error: Error) => {
          why = path + ': ' + error.message;
          throw error;
        });
      const store: Store<Content> = {
        encodings: settings.encodings,
        open: (path) => reading(path, openEdition(path, load, context)),
        readPointer: async (front, isFresh) => {
          const path = pointerPath(front);
          // The reason if nothing that is read fails.
          why = path + ': names no file';
          const keptSeconds = isFresh ? 0 : settings.pointerSeconds;
          return (await reading(path, pointers.read(front, keptSeconds, now, load))).text;
        },
      };
      const { decision, headers, content } = await respond(received, target, store, settings.maxAge, now);
      if (decision.status === 503) console.error('playbill: the tree cannot be read: ' + why);
      return new Response(content, {
        status: decision.status,
        headers: headers as [string, string][],
        // Cloudflare must not encode content that is already encoded.
        encodeBody: 'manual',
      } as ResponseInit);
    },
  };
};

const requestOf = (request: WorkerRequest): RuleRequest => {
  // Not parsed with the URL class, which resolves dots and would turn another path into one of
  // ours.
  const field = (name: string): string | null => {
    // Cloudflare rewrites Accept-Encoding; `cf` has the client's value.
    const sent = name === 'accept-encoding' ? request.cf?.clientAcceptEncoding : null;
    return sent ?? request.headers.get(name);
  };
  const [, scheme = '', authority = '', target = ''] = /^(?:(\w+):..([^/]*))?(.*)/.exec(request.url) ?? [];
  return {
    method: request.method,
    scheme,
    // Of two lines of Host, some runtimes put only the first into the URL.
    authority: field('host')?.includes(',') === true ? '' : authority,
    target,
    lines: (name) => [field(name) ?? []].flat(),
    field,
  };
};
