// What the service behind a proxy has to know (authorizer.ts), as `edge build` writes it: no secrets.

import type { SiblingEncoding } from '../../rule/encoding.ts';
import type { ProfileName } from '../../rule/profile.ts';
import type { FieldLine } from '../../rule/request.ts';
import type { SettingsFile } from '../../rule/settings.ts';
import type { BucketAddress } from '../bucket-load.ts';

/** Stands for the path of a file in the value of a header. */
export const FILE_PLACEHOLDER = '{file}';

/** A tree on this machine. */
export interface ReadableFolder {
  readonly kind: 'folder';
  /** Absolute path of the tree's folder `public`. */
  readonly publicRoot: string;
  /** Absolute path of its key ring. */
  readonly keyRing: string;
  /** The header lines by which the proxy finds a file, with FILE_PLACEHOLDER for its path below `public`; null: the service sends the file. */
  readonly fileHeaders: readonly FieldLine[] | null;
}

/** A tree in a private bucket. */
export interface ReadableBucket extends BucketAddress {
  readonly kind: 'bucket';
  /** The precompressed siblings that the build makes. */
  readonly encodings: readonly SiblingEncoding[];
}

/** What stands in front of the bundle. */
export interface AuthorizerConfiguration extends SettingsFile {
  readonly profiles: readonly ProfileName[];
  readonly host: string;
  readonly port: number;
  readonly tree: ReadableFolder | ReadableBucket;
}
