// The folder for CloudFront: the function for Lambda@Edge, two CloudFormation templates and a README. Refuses a bucket that CloudFront
// cannot read, and a signature profile that the function cannot verify.

import { PROFILE_NAMES } from '../../rule/profile.ts';
import type { SiblingEncoding } from '../../rule/encoding.ts';
import { HMAC } from '../../rule/key-store.ts';
import { RING_KEPT } from '../../rule/settings.ts';
import { digestOfBytes } from '../../rule/tree.ts';
import type { KeyRing } from '../../../contract/key-ring.ts';
import type { LambdaEdgeConfiguration } from './viewer-request.ts';
import {
  codeList,
  type Deployment,
  type DeploymentFiles,
  keyRingUnreadable,
  OWN_FILES,
  README_TITLE,
} from '../deployment.ts';
import { bucketPolicyTemplate, distributionTemplate, KEPT_HOURS, type PrivateBucket } from './templates.ts';
import { type OriginOptions, parseOrigin } from '../origin.ts';

export interface LambdaEdgeDeployment extends Deployment, OriginOptions {
  readonly encodings: readonly SiblingEncoding[];
  /** How long the function keeps a pointer, 0 to 10 s. */
  readonly pointerSeconds: number;
}

/** The keys of a ring that need a secret: the function has none, and refuses them. */
export const refusedKeys = (ring: KeyRing): readonly string[] =>
  Object.keys(ring.keys)
    .filter((keyid) => ring.keys[keyid]?.alg === HMAC)
    .toSorted();

/** Throws Error for options that cannot work. */
export async function lambdaEdgeFiles(deployment: LambdaEdgeDeployment): Promise<DeploymentFiles> {
  const { bundle, settings, encodings, pointerSeconds, profiles } = deployment;
  const [own] = PROFILE_NAMES;
  if (profiles.some((profile) => profile !== own))
    throw new Error(
      `--profile: expected ${own} with --target lambda-edge, which has no secrets, found ${profiles.join(' ')}`,
    );
  const bucket = bucketOf(deployment);
  const configuration: LambdaEdgeConfiguration = {
    ...settings,
    encodings,
    pointerSeconds,
    origin: bucket.origin,
    region: bucket.region,
    folder: new URL(bucket.origin).pathname.replace(/\/$/, ''),
  };
  const code = `const PLAYBILL = ${JSON.stringify(configuration)};\n${bundle}`;
  return [
    ['README.md', readme(deployment, bucket)],
    ['bucket-policy.json', `${JSON.stringify(bucketPolicyTemplate(bucket), null, 2)}\n`],
    [
      'distribution.json',
      `${JSON.stringify(distributionTemplate(bucket, await digestOfBytes(new TextEncoder().encode(code))), null, 2)}\n`,
    ],
    ['index.mjs', code],
  ];
}

/** Throws Error for a bucket that CloudFront cannot sign for, and for a prefix that CloudFront and S3 might encode differently. */
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

const readme = (
  { keyRing, pointerSeconds, settings }: LambdaEdgeDeployment,
  { bucket, folder, region }: PrivateBucket,
): string => `${README_TITLE} on CloudFront

Written by \`playbill edge build --target lambda-edge\`. CloudFront runs the function in \`index.mjs\` before it looks into its cache. The function
checks the signature and names a file; CloudFront then takes that file from its cache or from the private bucket \`${bucket}\`, by origin
access control. ${OWN_FILES}

**Untried on CloudFront itself.** The function and both templates are tested on Node, against the events, limits and rules that Amazon
documents, not on Amazon's machines. After a deployment run \`playbill edge check https://HOST --key FILE\` before storefronts use it.

## Deploy it, in this folder

You need a certificate for the host that storefronts ask, and a bucket for the function's code (CODE_BUCKET), both in us-east-1.

    aws cloudformation package --region us-east-1 --template-file distribution.json --s3-bucket CODE_BUCKET --output-template-file packaged.yaml
    aws cloudformation deploy --region us-east-1 --template-file packaged.yaml --stack-name playbill-edge --capabilities CAPABILITY_IAM --parameter-overrides Host=HOST CertificateArn=CERTIFICATE
    aws cloudformation describe-stacks --region us-east-1 --stack-name playbill-edge --query 'Stacks[0].Outputs'
    aws cloudformation deploy --region ${region} --template-file bucket-policy.json --stack-name playbill-edge-bucket --parameter-overrides Distribution=DISTRIBUTION_ARN

The third command prints \`DistributionArn\`, for the last one, and \`DistributionDomain\`, to which the DNS entry of HOST must point. A bucket
has only one policy: if \`${bucket}\` has one already, add the statement in \`bucket-policy.json\` to it and leave out the last command. Keep
the bucket private: whoever can read it directly needs no signature.

To change a setting, run \`playbill edge build --target lambda-edge\` and the first two commands again. The stack keeps old versions of the
function, because Amazon deletes one only hours after the last distribution stopped using it.

## Who may read what

- The function's role reads \`${folder}public/*\` and \`${folder}edge/keyring.json\`. It may also list \`${folder}*\`, so that S3 answers 404 for a missing
  file; without that right S3 answers 403, which the function treats as 404 until it has read a front's pointer.
- The distribution reads \`${folder}public/fronts/*\`, and asks only for files that the function has named.

## Keys

${keysText(refusedKeys(keyRing))}

The function reads the key ring from the bucket and keeps it for ${RING_KEPT} s. ${keyRingUnreadable(settings)}
So a revoked key is refused within ${settings.ringGrace} s in any case.

## After a build of the catalogue

Nothing to do: the new tree in the bucket is enough. Each instance of the function keeps a pointer for ${pointerSeconds} s at most, and for the same
time it remembers which of its files are there. CloudFront keeps an edition, by its path, for ${KEPT_HOURS} hours.

## Limits of this runtime

- A precompressed sibling is sent only if the object in the bucket has its \`Content-Encoding\`, since a function cannot set that header. A build
  into the bucket sets it.
- A function cannot see the bytes of a file. It refuses pages, redirects, empty files and files with the wrong \`Content-Encoding\`, but nothing here
  compares an edition with the digest in its name, as other targets do: if the bucket ever sent another body, CloudFront would go on with it for up to
  ${KEPT_HOURS} hours. \`playbill-client\` does not believe such a body, and the check above names it (row \`etag\`). To end it at once:
  \`aws cloudfront create-invalidation --distribution-id ID --paths '/*'\`.
- CloudFront answers some requests without the function: with HTML, and 400, 403, 413, 414, or 502 to 504.
- Storefronts must use https. \`@scheme\` is always \`https\`, and 443 the default port.
- From its cache CloudFront sends \`Age\`, which a function cannot remove. A client that subtracts it from \`max-age\` asks again sooner than it
  must, and gets a 304.
- The function cannot tell \`/products/?\` from \`/products/\`: to a signature that covers \`@query\` both have an empty query.

When the function cannot read the tree, clients get 503, and its log (CloudWatch, in the region where it ran) a line with
\`playbill: the tree cannot be read:\` and the reason.
`;

const keysText = (refused: readonly string[]): string =>
  `The function verifies keys that have a public half. It has no secrets (Lambda@Edge has no environment variables to set, and a
code package is no place for them), so it refuses keys with a shared secret (\`hmac-sha256\`) as it refuses unknown ones. ${
    refused.length === 0 ? 'This key ring has none.' : `In this key ring these are refused: ${codeList(refused)}.`
  }`;
