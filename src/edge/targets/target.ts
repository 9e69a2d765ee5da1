// What a target of `edge build` is: a record, in `deploy.ts` of its folder. targets.ts lists them
// all.

import type { KeyRing } from '../../contract/key-ring.ts';
import type { SiblingEncoding } from '../rule/encoding.ts';
import type { ProfileName } from '../rule/profile.ts';
import type { SettingsFile } from '../rule/settings.ts';
import type { OriginKind, OriginOptions } from './origin.ts';

/** The rule for a target and a kind of origin, as one file. */
export interface Bundle {
  /** Its file's name, without `.js`. */
  readonly name: string;
  /** The module that it begins with, below this folder. */
  readonly entry: string;
  /**
   * `fetch`: one small module without imports; `njs`: its syntax, and two of its modules; `node`:
   * any module of Node.js.
   */
  readonly form: 'fetch' | 'njs' | 'node';
}

/** The files of a deployable folder, sorted by name. */
export type DeploymentFiles = readonly (readonly [name: string, text: string])[];

/** What every target needs. */
export interface Deployment {
  /** The bundle of the target, as text. */
  readonly bundle: string;
  readonly keyRing: KeyRing;
  readonly settings: SettingsFile;
  /** The accepted signing profiles. */
  readonly profiles: readonly ProfileName[];
}

/** What `edge build` knows beyond that. Each target names what it takes. */
export interface TargetOptions extends OriginOptions {
  /** The proxy in front of the rule; null if none was named. */
  readonly proxy: string | null;
  /** Where a service behind a proxy listens: ADDRESS:PORT. */
  readonly authorizer: string;
  /** Where the server, or the proxy, listens: PORT or ADDRESS:PORT; for nginx with `ssl` and the like. */
  readonly listen: string;
  /** The names of nginx's server; null for any. */
  readonly serverName: string | null;
  /** Absolute paths of nginx's certificate, with its chain, and of its key; null without TLS. */
  readonly certificate: string | null;
  readonly certificateKey: string | null;
  /** Absolute path of the folder itself: its files name each other. */
  readonly folder: string;
  /** Absolute path of the tree's `public` folder on the machine that runs the target. */
  readonly publicRoot: string;
  /**
   * Absolute path of the key ring there; null if it is not known, or the tree is not in a folder.
   */
  readonly keyRingPath: string | null;
  /** A URL or the name of a binding for the key ring; null: next to the public folder. */
  readonly keyRingAt: string | null;
  /** The encodings of the precompressed siblings in the tree. */
  readonly encodings: readonly SiblingEncoding[];
  /** How long a pointer is kept: 0 to 10 s. */
  readonly pointerSeconds: number;
}

export type OptionName = keyof TargetOptions;

/** `Taken`: the options that the target takes. */
export interface Target<Taken extends OptionName = OptionName> {
  /** Of the target, its folder here, and the folder that `edge build` writes. */
  readonly name: string;
  /** What it is, for the help: no capital, no full stop. */
  readonly summary: string;
  /** What the tests run it on. */
  readonly testedOn: string;
  /** Where it can read the tree, and the bundle for each. */
  readonly reads: Readonly<Partial<Record<OriginKind, Bundle>>>;
  readonly options: readonly Taken[];
  /**
   * The bytes of compressed code that its host takes at most, on its largest plan; null without a
   * limit.
   */
  readonly codeBytesMax: number | null;
  /** Files that the operator fills in: each is written once, for its owner alone. */
  readonly filledIn?: readonly string[];
  /** The ids of the keys that it cannot verify, sorted. */
  readonly refusedKeys: (ring: KeyRing) => readonly string[];
  /** The files of its folder. Throws Error for options that cannot work. */
  readonly files: (deployment: Deployment & Pick<TargetOptions, Taken>) => DeploymentFiles;
}

/** Declares a target: `files` gets the options that it takes and no other. */
export const targetOf = <const Taken extends OptionName>(target: Target<Taken>): Target<Taken> => target;

/** For a target that verifies every key of a ring. */
export const noKeys = (): readonly string[] => [];
