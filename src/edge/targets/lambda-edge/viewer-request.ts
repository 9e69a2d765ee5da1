// The rule, before CloudFront's cache. It answers a refusal or a 304 itself. For an edition it
// names the file's path, and CloudFront takes the file from its cache, whose key is that path, or
// from the bucket. Nothing else that the client sent goes further.
//
// CloudFront with Lambda@Edge, from its documentation; the target has not been tested there. The
// rule runs at viewer request, before the cache, and names the file; its path is the whole cache
// key. At origin request it would run behind the cache, whose key would then need the signature.
// CloudFront sends the editions itself: a function may send only 40 KB at viewer request. The
// function removes every header that the client sent, `Range` and `If-None-Match` included, except
// the read-only `Host`, `Content-Length`, `Transfer-Encoding` and `Via`. It puts the headers of the
// answer into a request header: the event at viewer response has the request as the function at
// viewer request left it, and the cache policy forwards no header to the bucket. At viewer response
// `Content-Encoding` is read-only, so precompressed siblings need it in the bucket. CloudFront runs
// no function at viewer response when the origin's status is 400 or more, so errors are replaced at
// origin response, and all else that by its status and headers cannot be the file. No function sees
// the bytes of a file, so CloudFront keeps one for hours only, and without validators: a 304 would
// prolong a wrong body for ever. A second look at the pointer is not possible there: the signature
// is gone, and answers are cached by path. So the function asks by HEAD at viewer request whether
// the file is there, which also selects the sibling. At viewer events a function has 5 s, 128 MB, a
// package of 1 MB, and only Lambda's own environment variables, so no secrets. It must be in
// us-east-1 and be named by a version. CloudFormation makes a new version only under a new name, so
// the template derives the name from a digest of the code.

import { respond, type Store } from '../../rule/respond.ts';
import { combined, type RuleRequest } from '../../rule/request.ts';
import { rfc9421 } from '../../rule/rfc9421.ts';
import { authorize } from '../../rule/rule.ts';
import { pointerPath } from '../../rule/tree.ts';
import { askBucket, type BucketOrigin, bucketLoad } from '../../remote-tree/bucket-load.ts';
import type { SiblingEncoding } from '../../rule/encoding.ts';
import type { SettingsFile } from '../../rule/settings.ts';
import type { Environment } from '../../remote-tree/environment.ts';
import { type KeptPointer, KeptPointers } from '../../remote-tree/kept-pointers.ts';
import { liveKeyRing } from '../../remote-tree/live-key-ring.ts';
import { webCryptoKeyStore } from '../../web-crypto/key-store.ts';
import { eventHeaders, type EventRequest, type EventResponse, headersNamed } from './event.ts';

/** The configuration that `edge build` writes in front of the bundle. */
export interface LambdaEdgeConfiguration extends SettingsFile, BucketOrigin {
  /** The encodings of the precompressed siblings in the tree. */
  readonly encodings: readonly SiblingEncoding[];
  /** How long a pointer is kept; at most 10 s. */
  readonly pointerSeconds: number;
  /** The tree's path in the bucket, such as `/shows/tree`; empty at the top of the bucket. */
  readonly folder: string;
}

export interface FunctionContext {
  readonly configuration: LambdaEdgeConfiguration;
  readonly environment: Environment;
  /** Seconds since 1970. */
  readonly now: number;
  /** Takes the reason for a 503. */
  readonly log: (why: string) => void;
}

/**
 * A request header with the headers of the answer. CloudFront hands it on to the function at viewer
 * response, and sends it to nobody.
 */
export const ANSWER_HEADER = 'x-playbill-answer';

/** Headers that a function may not remove from the request. */
const READ_ONLY = ['content-length', 'host', 'transfer-encoding', 'via'];

/** After 5 s CloudFront stops the function and answers with an HTML page. */
const TIMEOUT_MS = 4000;

const pointers = new KeptPointers();

/** Whether each file that a kept pointer led to is there. */
const filesBy = new WeakMap<KeptPointer, Map<string, boolean>>();

/** The request for a file, or the answer when no file is needed. Never rejects. */
export const answerRequest = async (
  request: EventRequest,
  context: FunctionContext,
): Promise<EventRequest | EventResponse> => {
  const { configuration, environment, now, log } = context;
  const received = requestOf(request);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const loadKeys = bucketLoad(configuration, 'edge/', environment, now, signal);
  // Lambda@Edge has no secrets: a key that needs one is refused as if its secret were missing.
  const keys = webCryptoKeyStore(await liveKeyRing(loadKeys, now, configuration.ringGrace), () => null);
  const target = await authorize(received, keys, rfc9421, configuration, now);
  const front = target.kind === 'target' ? target.front : '';

  // The reason for a 503. The key ring logs its own.
  let why = 'keys';
  const reading = <T>(path: string, result: Promise<T>): Promise<T> =>
    result.catch((error: Error) => {
      why = `${path}: ${error.message}`;
      throw error;
    });
  const load = bucketLoad(configuration, 'public/', environment, now, signal);
  let files = new Map<string, boolean>();
  const store: Store<string> = {
    encodings: configuration.encodings,
    readPointer: async (_, isFresh) => {
      const path = pointerPath(front);
      // The reason if no request to the bucket fails.
      why = `${path}: names no file`;
      const kept = await reading(path, pointers.read(front, isFresh ? 0 : configuration.pointerSeconds, now, load));
      files = filesBy.get(kept) ?? new Map<string, boolean>();
      filesBy.set(kept, files);
      return kept.text;
    },
    open: async (path) => {
      const isThere = files.get(path) ?? (await reading(path, isFile(path, context, signal)));
      files.set(path, isThere);
      return isThere ? path : null;
    },
  };
  const { decision, headers, content } = await respond(received, target, store, configuration.maxAge, now);
  if (decision.kind === 'serve') {
    const answer = eventHeaders([[ANSWER_HEADER, JSON.stringify(headers)]]);
    return {
      ...request,
      uri: `${configuration.folder}/public/${content ?? ''}`,
      querystring: '',
      headers: { ...headersNamed(READ_ONLY, request.headers), ...answer },
    };
  }
  if (decision.status === 503) log(why);
  const body = request.method === 'HEAD' ? null : content;
  return { status: String(decision.status), headers: eventHeaders(headers), ...(body === null ? {} : { body }) };
};

const requestOf = ({ method, uri, querystring, headers }: EventRequest): RuleRequest => {
  const lines = (name: string): readonly string[] =>
    Object.hasOwn(headers, name) ? (headers[name] ?? []).map(({ value }) => value) : [];
  return {
    method,
    // The distribution refuses plain http.
    scheme: 'https',
    authority: lines('host').join(),
    target: querystring === '' ? uri : `${uri}?${querystring}`,
    lines,
    field: (name) => combined(lines(name)),
  };
};

/**
 * Whether a file is in the bucket. A sibling must have its Content-Encoding there, since no
 * function may add it at viewer response. Rejects when the bucket gives no clear answer.
 */
const isFile = async (path: string, context: FunctionContext, signal: AbortSignal): Promise<boolean> => {
  const { configuration, environment, now } = context;
  const { status, headers } = await askBucket(configuration, `public/${path}`, 'HEAD', environment, now, signal);
  // An answer to HEAD has no error code. If the credentials are wrong, the next GET of the pointer
  // fails and shows it.
  if (status === 403 || status === 404) return false;
  if (status !== 200) throw new Error(`${new URL(configuration.origin).host} answers ${status}`);
  return (headers.get('content-encoding') ?? 'identity') === encodingOf(path);
};

/** The Content-Encoding of a file at this path. */
export const encodingOf = (path: string): string =>
  path.endsWith('.br') ? 'br' : path.endsWith('.gz') ? 'gzip' : 'identity';
