// Turns what CloudFront got from the bucket or its cache into the rule's answer: it replaces the
// bucket's headers by those that the rule decided at viewer request, and what cannot be the file by
// a 503. No function sees the bytes of a file.

import type { FieldLine } from '../../rule/request.ts';
import { unforeseen } from '../../rule/rule.ts';
import { eventHeaders, type EventRequest, type EventResponse, headersNamed } from './event.ts';
import { PAGE } from '../../remote-tree/load.ts';
import { ANSWER_HEADER, encodingOf, type FunctionContext } from './viewer-request.ts';

/** Headers that a function may not change or remove at viewer response. */
const READ_ONLY = ['content-encoding', 'content-length', 'transfer-encoding', 'warning', 'via'];
/** Likewise at origin response. */
const READ_ONLY_OF_ORIGIN = ['transfer-encoding', 'via'];

/** At viewer response: the headers that the rule decided. */
export const answerFile = (request: EventRequest, response: EventResponse): EventResponse => {
  const answer = request.headers[ANSWER_HEADER]?.[0]?.value;
  if (response.status !== '200' || answer === undefined) return response;
  const decided = JSON.parse(answer) as readonly FieldLine[];
  const ours = eventHeaders(decided.filter(([name]) => name !== 'Content-Encoding'));
  return { ...response, headers: { ...headersNamed(READ_ONLY, response.headers), ...ours } };
};

/**
 * At origin response: a 503 for whatever cannot be the file, going by its status and headers.
 * CloudFront runs no function at viewer response for a status of 400 or more. It does not keep this
 * 503, which has `no-store`.
 */
export const answerOrigin = (
  request: EventRequest,
  response: EventResponse,
  { log }: Pick<FunctionContext, 'log'>,
): EventResponse => {
  const fault = faultOf(request, response);
  if (fault === null) {
    // Without validators CloudFront fetches the whole file again when its time is over. By a 304 it
    // would keep a wrong body for ever.
    const { etag: _, 'last-modified': __, ...headers } = response.headers;
    return { ...response, headers };
  }
  log(`${request.uri}: the bucket answers CloudFront ${fault}`);
  const { status, headers, body } = unforeseen();
  return {
    ...response,
    status: String(status),
    statusDescription: 'Service Unavailable',
    headers: { ...headersNamed(READ_ONLY_OF_ORIGIN, response.headers), ...eventHeaders(headers) },
    body: request.method === 'HEAD' ? '' : body,
  };
};

/**
 * Why an answer of the bucket is not the file; null if it may be, or says that what CloudFront has
 * is still the file.
 */
const faultOf = ({ uri }: EventRequest, { status, headers }: EventResponse): string | null => {
  const valueOf = (name: string): string => headers[name]?.[0]?.value ?? '';
  if (status === '304') return null;
  if (status !== '200') return status;
  if (PAGE.test(valueOf('content-type'))) return valueOf('content-type');
  if (valueOf('content-length') === '0') return 'nothing';
  const coding = valueOf('content-encoding') || 'identity';
  return coding === encodingOf(uri) ? null : `Content-Encoding: ${coding}`;
};
