// The configuration of the authorizer service (authorizer.ts), as `edge build` writes it. It holds
// no secrets.

import type { SiblingEncoding } from '../../rule/encoding.ts';
import type { ProfileName } from '../../rule/profile.ts';
import type { FieldLine } from '../../rule/request.ts';
import type { SettingsFile } from '../../rule/settings.ts';
import type { BucketOrigin } from '../../remote-tree/bucket-load.ts';

/** Placeholder for the path of a file in a header's value. */
export const FILE_PLACEHOLDER = '{file}';

/** A tree on this machine. */
export interface ReadableFolder {
  readonly kind: 'folder';
  /** Absolute path of the tree's folder `public`. */
  readonly publicRoot: string;
  /** Absolute path of its key ring. */
  readonly keyRing: string;
  /**
   * The header lines that name a file to the proxy, with FILE_PLACEHOLDER for its path below
   * `public`; null if the service sends files.
   */
  readonly fileHeaders: readonly FieldLine[] | null;
}

/** A tree in a private bucket. */
export interface ReadableBucket extends BucketOrigin {
  readonly kind: 'bucket';
  /** The encodings of the precompressed siblings in the tree. */
  readonly encodings: readonly SiblingEncoding[];
}

/** The configuration that `edge build` writes at the start of the bundle. */
export interface AuthorizerConfiguration extends SettingsFile {
  readonly profiles: readonly ProfileName[];
  readonly host: string;
  readonly port: number;
  readonly tree: ReadableFolder | ReadableBucket;
}
