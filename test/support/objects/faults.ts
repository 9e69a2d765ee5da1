// The ways in which an object store, or the network before it, fails. One place for the store in
// memory and for the proxy.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer, S3Error, type S3Code, type StoreAnswer } from './messages.ts';

export type Fault =
  /** The connection is reset before anything is done. */
  | { readonly kind: 'reset' }
  /** The request takes effect; the connection is reset instead of an answer. */
  | { readonly kind: 'answer-dropped' }
  /**
   * An error, and nothing is done: ConditionalRequestConflict, TooManyRequests, InternalError,
   * SlowDown.
   */
  | { readonly kind: 'status'; readonly status: 409 | 429 | 500 | 503; readonly retryAfterSeconds?: number }
  /** An error that asking again does not mend; nothing is done. */
  | { readonly kind: 'refusal'; readonly code: S3Code }
  /** A 200 whose body is an error: nothing is done. */
  | { readonly kind: 'error-in-200' }
  /** The request takes effect; the body of the answer comes in this many pieces. */
  | { readonly kind: 'slow-body'; readonly pieces: number; readonly gapMs: number }
  /**
   * The request takes effect; the body of the answer stops halfway, and the connection stays open.
   */
  | { readonly kind: 'endless-body' }
  /** The request takes effect; the connection is reset in the middle of the answer's body. */
  | { readonly kind: 'cut-body' }
  /** The request takes effect; what comes back is another answer, made of the store's own. */
  | { readonly kind: 'lie'; readonly told: (honest: StoreAnswer) => StoreAnswer }
  /** Nothing is done and nothing answered until the client gives up. */
  | { readonly kind: 'hang' }
  /**
   * Nothing is done until the promise resolves; then all goes on as if the request came now, even
   * where its client is gone.
   */
  | { readonly kind: 'hold'; readonly until: Promise<unknown> };

export interface PlannedRequest {
  /** Counted from 1 over all requests to the store. */
  readonly n: number;
  readonly method: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly host: string;
  /** Counted from 1 over the requests of this method for this key. */
  readonly attempt: number;
}

/** Says for each request what goes wrong with it. */
export type FaultPlan = (request: PlannedRequest) => Fault | null;

const ERRORS = {
  409: new S3Error(
    'ConditionalRequestConflict',
    'The conditional request cannot succeed due to a conflicting operation against this resource.',
  ),
  429: new S3Error('TooManyRequests', 'Please reduce your request rate.'),
  500: new S3Error('InternalError', 'We encountered an internal error. Please try again.'),
  503: new S3Error('SlowDown', 'Please reduce your request rate.'),
} as const;

/** How the answer leaves. */
export type Delivery =
  | { readonly kind: 'whole' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'never' }
  | { readonly kind: 'pieces'; readonly pieces: number; readonly gapMs: number }
  | { readonly kind: 'half'; readonly ending: 'wait' | 'reset' };

export interface Outcome {
  /** Null where there is nothing to send. */
  readonly answer: StoreAnswer | null;
  readonly delivery: Delivery;
}

/** Lets a request take effect, or not, as its fault says. */
export async function performWith(fault: Fault | null, apply: () => Promise<StoreAnswer>): Promise<Outcome> {
  if (fault === null) return { answer: await apply(), delivery: { kind: 'whole' } };
  switch (fault.kind) {
    case 'reset':
      return { answer: null, delivery: { kind: 'dropped' } };
    case 'answer-dropped':
      await apply();
      return { answer: null, delivery: { kind: 'dropped' } };
    case 'status': {
      const answer = errorAnswer(ERRORS[fault.status]);
      const retry = fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
      return { answer: { ...answer, headers: { ...answer.headers, ...retry } }, delivery: { kind: 'whole' } };
    }
    case 'refusal':
      return { answer: errorAnswer(new S3Error(fault.code, 'Made up.')), delivery: { kind: 'whole' } };
    case 'error-in-200':
      return { answer: errorAnswer(ERRORS[500], 200), delivery: { kind: 'whole' } };
    case 'lie':
      return { answer: fault.told(await apply()), delivery: { kind: 'whole' } };
    case 'slow-body':
      return { answer: await apply(), delivery: { ...fault, kind: 'pieces' } };
    case 'endless-body':
      return { answer: await apply(), delivery: { kind: 'half', ending: 'wait' } };
    case 'cut-body':
      return { answer: await apply(), delivery: { kind: 'half', ending: 'reset' } };
    case 'hang':
      return { answer: null, delivery: { kind: 'never' } };
    case 'hold':
      await fault.until;
      return { answer: await apply(), delivery: { kind: 'whole' } };
  }
}

/** Sends what is to be sent, and breaks the connection where that is the fault. */
export function deliver({ answer, delivery }: Outcome, response: ServerResponse, socket: Socket): void {
  if (delivery.kind === 'dropped') socket.resetAndDestroy();
  if (answer === null) return;
  response.writeHead(answer.status, answer.headers);
  switch (delivery.kind) {
    case 'whole':
      response.end(answer.body);
      return;
    case 'pieces':
      sendPieces(answer.body, delivery, response);
      return;
    case 'half':
      response.flushHeaders();
      response.write(answer.body.subarray(0, answer.body.length >> 1), () => {
        if (delivery.ending === 'reset') socket.resetAndDestroy();
      });
      return;
    case 'dropped':
    case 'never':
  }
}

function sendPieces(
  body: Buffer,
  { pieces, gapMs }: { pieces: number; gapMs: number },
  response: ServerResponse,
): void {
  const size = Math.max(1, Math.ceil(body.length / pieces));
  let timer: NodeJS.Timeout | undefined;
  const sendFrom = (start: number): void => {
    response.write(body.subarray(start, start + size));
    if (start + size >= body.length) response.end();
    else timer = setTimeout(sendFrom, gapMs, start + size);
  };
  response.once('close', () => clearTimeout(timer));
  sendFrom(0);
}
