// The number of requests that a run has made to a bucket, by the kinds that providers bill.

export interface RequestTotals {
  readonly puts: number;
  readonly gets: number;
  readonly lists: number;
  readonly deletes: number;
  /** Repeated requests, which are counted above as well. */
  readonly retries: number;
  /** Bytes of request bodies. */
  readonly bytesSent: number;
}
