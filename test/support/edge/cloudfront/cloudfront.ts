// CloudFront as its documentation describes it, for one distribution: it sends events to functions,
// has a cache, and asks an origin with signatures of its own. The headers that it adds come after
// the last function.

import { readDistribution, type Distribution, type Trigger } from './distribution.ts';
import {
  checkGenerated,
  checkHeaders,
  checkRequest,
  type CloudFrontRequest,
  type CloudFrontResponse,
  type Headers,
  isShown,
  requestSchema,
  responseSchema,
} from './rules.ts';

type Lines = readonly (readonly [name: string, value: string])[];

export interface Answer {
  readonly status: number;
  readonly headers: Lines;
  readonly content: Buffer;
}

/** Calls the handler in a file with an event, and returns its result. */
export type Invoke = (file: string, event: unknown) => Promise<unknown>;

/** Asks a host for a path with the signature of the origin access control. */
export type AskOrigin = (host: string, method: string, path: string) => Promise<Answer>;

interface KeptAnswer extends Answer {
  readonly until: number;
  readonly keptAt: number;
}

export class CloudFront {
  readonly #distribution: Distribution;
  readonly #invoke: Invoke;
  readonly #askOrigin: AskOrigin;
  readonly #kept = new Map<string, KeptAnswer>();
  /** What functions did against CloudFront's rules. */
  readonly violations: string[] = [];

  constructor(template: string, invoke: Invoke, askOrigin: AskOrigin) {
    this.#distribution = readDistribution(template);
    this.#invoke = invoke;
    this.#askOrigin = askOrigin;
  }

  /** Answers a request; `now`: seconds since 1970. */
  async answer(method: string, target: string, headers: Lines, now: number): Promise<Answer> {
    if (!this.#distribution.allowedMethods.includes(method)) return ownError(403);
    try {
      return await this.#answer(method, target, headers, now);
    } catch (error) {
      this.violations.push(error instanceof Error ? error.message : String(error));
      return ownError(502);
    }
  }

  async #answer(method: string, target: string, headers: Lines, now: number): Promise<Answer> {
    const [uri = '', ...query] = target.split('?');
    const received: CloudFrontRequest = {
      clientIp: '203.0.113.7',
      headers: eventHeaders(headers),
      method,
      querystring: query.join('?'),
      uri,
    };
    const result = await this.#ask('viewer-request', { request: received });
    if (typeof result === 'object' && result !== null && 'status' in result) {
      const generated = responseSchema.parse(result);
      checkHeaders({}, generated.headers ?? {}, 'viewer-request');
      checkGenerated(method, generated);
      return finished(answerOf(generated, Buffer.alloc(0)), 'LambdaGeneratedResponse from cloudfront', null);
    }
    const request = result === undefined ? received : requestSchema.parse(result);
    checkRequest(received, request);

    const key = this.#keyOf(request);
    const kept = this.#kept.get(key);
    const isHit = kept !== undefined && now < kept.until;
    const found = isHit ? kept : await this.#fetch(request, key, now);
    const state = found.status >= 400 ? 'Error' : isHit ? 'Hit' : 'Miss';
    const age = isHit ? Math.floor(now - kept.keptAt) : null;
    // CloudFront runs no function here for an error of the origin.
    const answered = found.status >= 400 ? found : await this.#toViewer(request, selected(request, found));
    return finished(answered, `${state} from cloudfront`, age);
  }

  /** Asks the origin, and then the function at origin response. */
  async #fetch(request: CloudFrontRequest, key: string, now: number): Promise<Answer> {
    const { originDomain, keyHeaders, ttl, errorSeconds } = this.#distribution;
    const { method, uri } = request;
    const origin = await this.#askOrigin(originDomain, method, uri);
    const forwarded = {
      ...request,
      headers: {
        ...Object.fromEntries(
          keyHeaders.flatMap((name) => Object.entries(request.headers).filter(([own]) => own === name)),
        ),
        host: [{ key: 'Host', value: originDomain }],
        'user-agent': [{ key: 'User-Agent', value: 'Amazon CloudFront' }],
      },
    };
    const response = { status: String(origin.status), statusDescription: '', headers: eventHeaders(origin.headers) };
    const result = await this.#ask('origin-response', { request: forwarded, response });
    const replaced = result === undefined ? response : responseSchema.parse(result);
    checkHeaders(response.headers, replaced.headers ?? {}, 'origin-response');
    checkGenerated(method, { ...replaced, headers: {} });
    const answer = answerOf(replaced, origin.content);
    const control = replaced.headers?.['cache-control']?.[0]?.value ?? '';
    const maxAge = /(?:^|,)\s*max-age=(\d+)/.exec(control)?.[1];
    const said = /no-store|no-cache|private/.test(control) ? 0 : maxAge === undefined ? null : Number(maxAge);
    const seconds =
      answer.status >= 400
        ? Math.max(errorSeconds.get(answer.status) ?? 10, said ?? 0)
        : Math.min(Math.max(said ?? ttl.default, ttl.min), ttl.max);
    // The answer to a HEAD has no content for a later GET.
    if (seconds > 0 && method === 'GET') this.#kept.set(key, { ...answer, keptAt: now, until: now + seconds });
    return answer;
  }

  async #toViewer(request: CloudFrontRequest, found: Answer): Promise<Answer> {
    const response = { status: String(found.status), statusDescription: 'OK', headers: eventHeaders(found.headers) };
    const result = await this.#ask('viewer-response', { request, response });
    if (result === undefined) return found;
    const replaced = responseSchema.parse(result);
    checkHeaders(response.headers, replaced.headers ?? {}, 'viewer-response');
    if (replaced.status !== response.status) throw new Error('viewer-response: the status is read-only');
    if (replaced.body !== undefined) throw new Error('viewer-response: the body cannot be set');
    return answerOf(replaced, found.content);
  }

  /** The result of the function at an event; undefined if the event has no function. */
  async #ask(eventType: Trigger, about: object): Promise<unknown> {
    const file = this.#distribution.functions[eventType];
    if (file === undefined) return undefined;
    const config = {
      distributionDomainName: 'd111111abcdef8.cloudfront.net',
      distributionId: 'EDFDVBD6EXAMPLE',
      eventType,
      requestId: '4TyzHTaYWb1GX1qTfsHhEqV6HUDd_BzoBZnwfnvQc_1oF26ClkoUSEQ==',
    };
    return this.#invoke(file, { Records: [{ cf: { config, ...about } }] });
  }

  #keyOf({ uri, querystring, headers }: CloudFrontRequest): string {
    const { keyHeaders, hasQueryInKey } = this.#distribution;
    return JSON.stringify([uri, hasQueryInKey ? querystring : '', keyHeaders.map((name) => headers[name] ?? [])]);
  }
}

/** Header lines in the form of an event, without those that functions do not see. */
function eventHeaders(lines: Lines): Headers {
  const headers: Headers = {};
  for (const [key, value] of lines) {
    const name = key.toLowerCase();
    if (isShown(name)) (headers[name] ??= []).push({ key, value });
  }
  return headers;
}

function answerOf({ status, headers = {}, body, bodyEncoding }: CloudFrontResponse, content: Buffer): Answer {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    values.map(({ key = name, value }) => [key, value] as const),
  );
  const own = body === undefined ? content : Buffer.from(body, bodyEncoding === 'base64' ? 'base64' : 'utf8');
  return { status: Number(status), headers: lines, content: own };
}

const valueOf = (headers: Lines, wanted: string): string | null =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;

/** CloudFront's own answer to conditions and ranges that the function left in the request. */
function selected({ headers }: CloudFrontRequest, found: Answer): Answer {
  const asked = (name: string): string | undefined => headers[name]?.[0]?.value;
  const tag = valueOf(found.headers, 'etag') ?? '';
  const isKnown = asked('if-none-match')?.includes(tag) === true || asked('if-none-match') === '*';
  const since = Date.parse(asked('if-modified-since') ?? '');
  if (isKnown || since >= Date.parse(valueOf(found.headers, 'last-modified') ?? ''))
    return { ...found, status: 304, content: Buffer.alloc(0) };
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(asked('range') ?? '') ?? [];
  if (first === undefined) return found;
  return { ...found, status: 206, content: found.content.subarray(Number(first), Number(last) + 1) };
}

/** Adds CloudFront's own headers. */
function finished(answer: Answer, state: string, age: number | null): Answer {
  const own: Lines = [
    ['X-Cache', state],
    ['Via', '1.1 0123456789abcdef.cloudfront.net (CloudFront)'],
    ...(age === null ? [] : [['Age', String(age)] as const]),
  ];
  return { ...answer, headers: [...answer.headers, ...own] };
}

const ownError = (status: number): Answer => ({
  status,
  headers: [['Content-Type', 'text/html']],
  content: Buffer.from('<h1>The request could not be satisfied.</h1>'),
});
