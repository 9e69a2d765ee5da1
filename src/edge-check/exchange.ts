// Sends one request to an edge over HTTP and returns the raw answer: follows no redirect, decodes
// and caches nothing, and sends no cookies.

import { Agent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { AppError, messageOf, systemCodeOf } from '../errors.ts';

export interface EdgeAnswer {
  readonly status: number;
  /** The lines of a field, joined by commas; null if there is none. */
  field(name: string): string | null;
  /** As received, not decoded. */
  readonly content: Uint8Array;
  /** By the clock of this machine, in seconds since 1970. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The fields of a request. An array is sent as one line per value. */
export type RequestFields = Readonly<Record<string, string | readonly string[]>>;

export class EdgeConnection {
  readonly #origin: URL;
  readonly #clock: () => number;
  readonly #timeoutSeconds: number;
  readonly #agent: Agent | TlsAgent;

  /** `clock`: seconds since 1970, with a fraction. */
  constructor(origin: URL, clock: () => number, timeoutSeconds: number) {
    this.#origin = origin;
    this.#clock = clock;
    this.#timeoutSeconds = timeoutSeconds;
    const options = { keepAlive: true, maxSockets: 1 };
    this.#agent = origin.protocol === 'https:' ? new TlsAgent(options) : new Agent(options);
  }

  /** `target`: path and query, sent unchanged. @throws AppError edge-unreachable */
  async send(method: string, target: string, fields: RequestFields): Promise<EdgeAnswer> {
    const stop = AbortSignal.timeout(this.#timeoutSeconds * 1000);
    try {
      // A server may close a kept connection just as it is reused. If so, try once more on a new
      // connection.
      const answer =
        (await this.#exchange(method, target, fields, stop, true)) ??
        (await this.#exchange(method, target, fields, stop, false));
      if (answer === null) throw new Error('the connection was closed twice');
      return answer;
    } catch (error) {
      throw this.#unreachable(`${method} ${target}`, stop.aborted, error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** null if the server closed a kept connection before it answered. */
  #exchange(
    method: string,
    target: string,
    fields: RequestFields,
    signal: AbortSignal,
    isKept: boolean,
  ): Promise<EdgeAnswer | null> {
    const send = this.#origin.protocol === 'https:' ? tlsRequest : plainRequest;
    const headers = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
    );
    const sentAt = this.#clock();
    return new Promise((resolve, reject) => {
      const agent = isKept ? this.#agent : false;
      const request = send(this.#origin, { method, path: target, headers, agent, signal }, (incoming) => {
        contentOf(incoming).then(
          (content) => resolve(answerOf(incoming, content, sentAt, this.#clock())),
          (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
        );
      });
      request.on('error', (error) => {
        if (request.reusedSocket && systemCodeOf(error) === 'ECONNRESET') resolve(null);
        else reject(error);
      });
      request.end();
    });
  }

  #unreachable(what: string, isTimeout: boolean, error: unknown): AppError {
    const { host, protocol } = this.#origin;
    const found = isTimeout ? `none within ${this.#timeoutSeconds} s` : causeText(error);
    const message = `expected an answer from ${protocol}//${host} to ${what}, found: ${found}`;
    const hint = isTimeout
      ? 'check that the edge is running and not blocked, or wait longer with --timeout'
      : hintFor(error);
    return new AppError('edge-unreachable', message, hint, error);
  }
}

/** More than any document needs. The limit stops an edge from filling this machine's memory. */
export const CONTENT_BYTES_MAX = 64 * 2 ** 20;

async function contentOf(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > CONTENT_BYTES_MAX) throw new Error(`more than ${CONTENT_BYTES_MAX} bytes`);
  }
  return Buffer.concat(chunks);
}

function answerOf(incoming: IncomingMessage, content: Uint8Array, sentAt: number, receivedAt: number): EdgeAnswer {
  const { headersDistinct } = incoming;
  const field = (name: string): string | null => headersDistinct[name.toLowerCase()]?.join(', ') ?? null;
  return { status: incoming.statusCode ?? 0, field, content, sentAt, receivedAt };
}

/** A host name with several addresses gives one error per address; takes the first. */
function firstCause(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : error;
}

function causeText(error: unknown): string {
  const cause = firstCause(error);
  return `${systemCodeOf(cause)} ${messageOf(cause)}`.trim();
}

function hintFor(error: unknown): string {
  const code = systemCodeOf(firstCause(error));
  if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) return 'check the host name, and whether the DNS already has it';
  if (/CERT|SIGNATURE|SSL|TLS|EPROTO/.test(code))
    return 'check the certificate of the edge; for a private certificate authority: export NODE_EXTRA_CA_CERTS=ca.pem';
  return 'check the URL and its port, and that the edge is running';
}
