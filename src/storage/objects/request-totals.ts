// What a run has asked of a bucket: the bill.

export interface RequestTotals {
  readonly puts: number;
  readonly gets: number;
  readonly lists: number;
  readonly deletes: number;
  /** Requests that were made again, counted above as well. */
  readonly retries: number;
  /** Bytes of the bodies that were sent. */
  readonly bytesSent: number;
}
