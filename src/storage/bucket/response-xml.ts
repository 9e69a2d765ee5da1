// Parses a store's XML: an error, or a page of a listing. Stores other than Amazon's leave out some
// fields and add others.

import { XMLParser } from 'fast-xml-parser';
import * as z from 'zod';
import type { BucketResponse } from './connection.ts';

const parser = new XMLParser({
  parseTagValue: false,
  isArray: (name) => name === 'Contents' || name === 'CommonPrefixes',
});

const errorSchema = z.object({ Error: z.object({ Code: z.string(), Message: z.string().default('') }) });

const pageSchema = z.object({
  ListBucketResult: z.object({
    Contents: z
      .array(
        z.object({ Key: z.string(), Size: z.string().regex(/^\d+$/).transform(Number), ETag: z.string().default('') }),
      )
      .default([]),
    CommonPrefixes: z.array(z.object({ Prefix: z.string() })).default([]),
    IsTruncated: z.string().default('false'),
    NextContinuationToken: z.string().default(''),
    EncodingType: z.string().default(''),
  }),
});

/** The code and message of a response's `<Error>`; null if it has none. */
export function errorOf({ bytes }: BucketResponse): { readonly code: string; readonly message: string } | null {
  const { data } = errorSchema.safeParse(xmlOf(bytes.subarray(0, 8192)));
  return data === undefined ? null : { code: data.Error.Code, message: data.Error.Message };
}

/**
 * The keys and folders of a page, and the token of the next page ('' at the end); null if the
 * response is not a listing.
 */
export function pageOf({ bytes }: BucketResponse) {
  const { data } = pageSchema.safeParse(xmlOf(bytes));
  if (data === undefined) return null;
  const { Contents, CommonPrefixes, IsTruncated, NextContinuationToken, EncodingType } = data.ListBucketResult;
  const keyIn = (text: string): string =>
    EncodingType === 'url' ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
  return {
    objects: Contents.map(({ Key, Size, ETag }) => ({ key: keyIn(Key), bytes: Size, etag: ETag })),
    folders: CommonPrefixes.map(({ Prefix }) => keyIn(Prefix)),
    next: IsTruncated === 'true' ? NextContinuationToken : '',
  };
}

function xmlOf(bytes: Uint8Array): unknown {
  try {
    return parser.parse(Buffer.from(bytes));
  } catch {
    return null;
  }
}
