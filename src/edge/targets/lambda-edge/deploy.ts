// The folder for CloudFront: the function for Lambda@Edge, two CloudFormation templates and a
// README. The distribution and its function go to us-east-1, where Lambda@Edge wants its functions;
// the bucket's policy goes to the bucket's own region. Refuses a bucket that CloudFront cannot
// read, and a signature profile that the function cannot verify.

import { createHash } from 'node:crypto';
import type { KeyRing } from '../../../contract/key-ring.ts';
import { HMAC } from '../../rule/key-store.ts';
import { PROFILE_NAMES } from '../../rule/profile.ts';
import { rendered } from '../../template.ts';
import { codeList, commonValues, configured } from '../deployment.ts';
import { type OriginOptions, parseOrigin, type TreeOrigin } from '../origin.ts';
import { type Bundle, type Deployment, type DeploymentFiles, targetOf, type TargetOptions } from '../target.ts';
import type { LambdaEdgeConfiguration } from './viewer-request.ts';

const OPTIONS = ['origin', 'originEndpoint', 'originRegion', 'encodings', 'pointerSeconds'] as const;

export type LambdaEdgeDeployment = Deployment & Pick<TargetOptions, (typeof OPTIONS)[number]>;

type PrivateBucket = Extract<TreeOrigin, { readonly kind: 's3' }>;

/**
 * How long CloudFront keeps an edition. Editions never change, but nothing on CloudFront can
 * compare one with its name, so a wrong body that the bucket, or something before it, sent once
 * must not stay for a year. In the bucket an edition says a year: the maximum counts.
 */
export const KEPT_HOURS = 4;

// Why distribution.json is as it is, which JSON itself cannot say:
// - 128 MB and 5 s are the most at viewer events. `aws cloudformation package` zips and uploads the
//   code.
// - The cache key is the path that the function has named, and nothing else. No header of the
//   client reaches the bucket. No encodings: the function chooses between the file and its
//   siblings.
// - MinTTL is 0, so that an error with `no-store` is not kept; so is the time of every status that
//   CloudFront would otherwise keep for 10 s.
// - All methods are allowed: the rule itself answers 405.

const BUNDLE: Bundle = { name: 'lambda-edge', entry: 'lambda-edge/runtime.ts', form: 'fetch' };

export const lambdaEdge = targetOf({
  name: 'lambda-edge',
  summary: 'CloudFront with Lambda@Edge (tested against the events that Amazon documents, not on CloudFront itself)',
  testedOn: 'the events that Amazon documents; not on CloudFront itself',
  reads: { s3: BUNDLE },
  options: OPTIONS,
  codeBytesMax: 2 ** 20,
  // A key that needs a secret: the function has none.
  refusedKeys,
  files: lambdaEdgeFiles,
});

function refusedKeys(ring: KeyRing): readonly string[] {
  return Object.keys(ring.keys)
    .filter((keyid) => ring.keys[keyid]?.alg === HMAC)
    .toSorted();
}

/** Throws Error for options that cannot work. */
function lambdaEdgeFiles(deployment: LambdaEdgeDeployment): DeploymentFiles {
  const { bundle, settings, encodings, pointerSeconds, profiles, keyRing } = deployment;
  const [own] = PROFILE_NAMES;
  if (profiles.some((profile) => profile !== own))
    throw new Error(
      `--profile: expected ${own} with --target lambda-edge, which has no secrets, found ${profiles.join(' ')}`,
    );
  const { bucket, folder, origin, region } = bucketOf(deployment);
  const { host, pathname } = new URL(origin);
  const configuration: LambdaEdgeConfiguration = {
    ...settings,
    encodings,
    pointerSeconds,
    origin,
    region,
    folder: pathname.replace(/\/$/, ''),
  };
  const code = configured(configuration, bundle);
  const refused = refusedKeys(keyRing);
  const values = { bucket, folder };
  return [
    [
      'README.md',
      rendered('lambda-edge/README.md', {
        ...commonValues(settings, []),
        ...values,
        region,
        pointerSeconds,
        keptHours: KEPT_HOURS,
        refused: refused.length > 0,
        noRefused: refused.length === 0,
        refusedKeys: codeList(refused),
      }),
    ],
    ['bucket-policy.json', rendered('lambda-edge/bucket-policy.json', values)],
    [
      'distribution.json',
      rendered('lambda-edge/distribution.json', {
        ...values,
        domain: host,
        keptSeconds: KEPT_HOURS * 3600,
        // CloudFormation publishes new code only as a version with a new name.
        version: `Version${createHash('sha256').update(code).digest('hex').slice(0, 16)}`,
      }),
    ],
    ['index.mjs', code],
  ];
}

/**
 * Throws Error for a bucket that CloudFront cannot sign for, and for a prefix that CloudFront and
 * S3 might encode differently.
 */
function bucketOf(options: OriginOptions): PrivateBucket {
  const { origin, originEndpoint } = options;
  if (!origin.startsWith('s3://')) throw new Error(`--origin: expected s3://BUCKET/PREFIX, found "${origin}"`);
  if (originEndpoint !== null)
    throw new Error(
      `--origin-endpoint: expected none, since CloudFront signs for Amazon S3 only, found "${originEndpoint}"`,
    );
  const tree = parseOrigin(options);
  if (tree.kind !== 's3' || !/^https:\/\/[\w-]+\.s3\.[\w-]+\.amazonaws\.com(\/[\w.~-]+)*$/.test(tree.origin))
    throw new Error(
      `--origin: expected a bucket without dots in its name, outside of China, and a prefix of letters, digits and -._~, found "${origin}"`,
    );
  return tree;
}
