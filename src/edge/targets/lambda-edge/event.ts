// The events of Lambda@Edge and what a function may answer ("Lambda@Edge event structure" in
// CloudFront's developer guide); only the parts that are used here.

import type { FieldLine } from '../../rule/request.ts';

/** By lower-case name, with one entry for each header line. */
export type EventHeaders = Readonly<Record<string, readonly { readonly key?: string; readonly value: string }[]>>;

export interface EventRequest {
  readonly method: string;
  /** As on the request line, without the query. */
  readonly uri: string;
  /** Without its question mark. */
  readonly querystring: string;
  readonly headers: EventHeaders;
}

/** A response to pass on, or a generated one; only the latter has a body. */
export interface EventResponse {
  /** Three digits. */
  readonly status: string;
  readonly statusDescription?: string;
  readonly headers: EventHeaders;
  readonly body?: string;
}

/** One event of any of the three triggers. */
export interface EdgeEvent {
  readonly Records: readonly [
    {
      readonly cf:
        | { readonly config: { readonly eventType: 'viewer-request' }; readonly request: EventRequest }
        | {
            readonly config: { readonly eventType: 'origin-response' | 'viewer-response' };
            readonly request: EventRequest;
            readonly response: EventResponse;
          };
    },
  ];
}

/** Header lines in the form of an event. */
export const eventHeaders = (lines: readonly FieldLine[]): EventHeaders =>
  Object.fromEntries(lines.map(([key, value]) => [key.toLowerCase(), [{ key, value }]]));

/** The named headers, as far as they are there. */
export const headersNamed = (names: readonly string[], headers: EventHeaders): EventHeaders =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
