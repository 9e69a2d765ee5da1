// Turns what CloudFront got from the bucket or its cache into the rule's answer: it replaces the bucket's headers by those that the rule
// decided at viewer request, and an error of the bucket by a 503.

import type { FieldLine } from '../../rule/request.ts';
import { unforeseen } from '../../rule/rule.ts';
import { eventHeaders, type EventRequest, type EventResponse, headersNamed } from './event.ts';
import { ANSWER_HEADER, type FunctionContext } from './viewer-request.ts';

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
 * At origin response: a 503 for an error of the bucket. CloudFront runs no function at viewer response for a status of 400 or more. It does not
 * keep this 503, which has `no-store`.
 */
export const answerError = (
  request: EventRequest,
  response: EventResponse,
  { log }: Pick<FunctionContext, 'log'>,
): EventResponse => {
  if (Number(response.status) < 400) return response;
  log(`${request.uri}: the bucket answers CloudFront ${response.status}`);
  const { status, headers, body } = unforeseen();
  return {
    ...response,
    status: String(status),
    statusDescription: 'Service Unavailable',
    headers: { ...headersNamed(READ_ONLY_OF_ORIGIN, response.headers), ...eventHeaders(headers) },
    body: request.method === 'HEAD' ? '' : body,
  };
};
