// The Lambda@Edge function, one for all three triggers. `edge build` writes its configuration in
// front of the bundle, since Lambda@Edge has no environment variables to set. Lambda itself puts
// the role's credentials into the environment.

import type { EdgeEvent, EventRequest, EventResponse } from './event.ts';
import { answerOrigin, answerFile } from './responses.ts';
import { answerRequest, type LambdaEdgeConfiguration } from './viewer-request.ts';

declare const PLAYBILL: LambdaEdgeConfiguration;

const log = (why: string): void => console.error(`playbill: the tree cannot be read: ${why}`);

/** CloudFront calls this with each event. */
export const handler = async ({ Records: [{ cf }] }: EdgeEvent): Promise<EventRequest | EventResponse> => {
  const context = { configuration: PLAYBILL, environment: process.env, now: Date.now() / 1000, log };
  if (!('response' in cf)) return answerRequest(cf.request, context);
  if (cf.config.eventType === 'origin-response') return answerOrigin(cf.request, cf.response, context);
  return answerFile(cf.request, cf.response);
};
