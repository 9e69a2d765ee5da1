// The targets of `edge build`: the one list of them. Choices, help, the table in the README,
// bundles and the transcripts' runtimes are made of it.
//
// Fastly: its local server, Viceroy, is not on npm: the package `@fastly/cli` contains the command
// line, which downloads Viceroy from elsewhere. So our tests cannot run the rule on it, and we
// offer no untested target.
//
// CloudFront Functions, without Lambda. The code would fit: the rule with HMAC alone, in the
// dialect of njs, is about 6.5 kB minified, of 10 KB allowed. But these functions can verify no
// public keys and make no requests. The pointers would have to be in a KeyValueStore, whose values
// hold 1 KB: the demo's have 250 to 1,200 bytes at the default horizon, and more editions make them
// longer. Every build would have to write them there through an API that neither a folder nor a
// bucket has. And these functions run only at viewer events, so an error of the bucket would reach
// the client as it is.

import { authorizer } from './authorizer/deploy.ts';
import { bun } from './bun/deploy.ts';
import { cloudflare } from './cloudflare/deploy.ts';
import { deno } from './deno/deploy.ts';
import { lambdaEdge } from './lambda-edge/deploy.ts';
import { netlify } from './netlify/deploy.ts';
import { nginx } from './nginx/deploy.ts';
import { kindOf, type OriginKind } from './origin.ts';
import type { Bundle, OptionName, Target } from './target.ts';
import { vercel } from './vercel/deploy.ts';
import { worker } from './worker/deploy.ts';

export const TARGETS: readonly Target[] = [
  nginx,
  authorizer,
  lambdaEdge,
  worker,
  cloudflare,
  deno,
  bun,
  netlify,
  vercel,
];

/** The target of that name. Throws Error if there is none. */
export function targetNamed(name: string): Target {
  const target = TARGETS.find((one) => one.name === name);
  if (target === undefined) throw new Error(`expected one of ${listed(TARGETS)}, found "${name}"`);
  return target;
}

/** Every bundle once. */
export const BUNDLES: readonly Bundle[] = [...new Set(TARGETS.flatMap(({ reads }) => Object.values(reads)))];

/** The bundle for an origin. For one that the target cannot read, which `files` refuses, any. */
export function bundleFor({ reads }: Target, origin: string): Bundle {
  const [other] = Object.values(reads);
  const bundle = reads[kindOf(origin)] ?? reads.folder ?? other;
  if (bundle === undefined) throw new Error('a target reads a tree');
  return bundle;
}

/** The names of the targets that take an option, or read a kind of origin, for the help. */
export const takers = (option: OptionName): string => those(({ options }) => options.includes(option));
export const readers = (kind: OriginKind): string => those(({ reads }) => reads[kind] !== undefined);

function those(isOne: (target: Target) => boolean): string {
  const others = TARGETS.filter((target) => !isOne(target));
  return others.length <= 2 ? `all but ${listed(others)}` : listed(TARGETS.filter(isOne));
}

const listed = (targets: readonly Target[]): string => targets.map(({ name }) => name).join(', ');
