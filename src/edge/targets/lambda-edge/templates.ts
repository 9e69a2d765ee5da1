// The two CloudFormation templates. The distribution and its function go to us-east-1, where Lambda@Edge wants its functions; the bucket's
// policy goes to the bucket's own region.

import type { WorkerOrigin } from '../origin.ts';

export type PrivateBucket = Extract<WorkerOrigin, { readonly kind: 's3' }>;

/**
 * How long CloudFront keeps an edition. Editions never change, but nothing on CloudFront can compare one with its name, so a wrong body that the
 * bucket, or something before it, sent once must not stay for a year. In the bucket an edition says a year: the maximum counts.
 */
export const KEPT_HOURS = 4;
const KEPT_SECONDS = KEPT_HOURS * 3600;

/** All statuses for which CloudFront lets one set how long it keeps an error; the default is 10 s. */
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

const VERSION = '2010-09-09';

/** Everything but the bucket's policy. CloudFormation publishes new code only as a version with a new name; `codeDigest` makes it new. */
export function distributionTemplate(bucket: PrivateBucket, codeDigest: string): object {
  const version = `Version${codeDigest}`;
  return {
    AWSTemplateFormatVersion: VERSION,
    Description: 'The edge rule of Playbill on CloudFront',
    Parameters: {
      Host: { Type: 'String', Description: 'The host that storefronts ask. It is part of what they sign.' },
      CertificateArn: { Type: 'String', Description: 'A certificate for Host, in us-east-1' },
    },
    Resources: {
      Role: roleOf(bucket),
      Function: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          // A local file: `aws cloudformation package` zips and uploads it.
          Code: 'index.mjs',
          Handler: 'index.handler',
          Runtime: 'nodejs22.x',
          // The maximum at viewer events.
          MemorySize: 128,
          Timeout: 5,
          Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        },
      },
      [version]: {
        Type: 'AWS::Lambda::Version',
        DeletionPolicy: 'Retain',
        Properties: { FunctionName: { Ref: 'Function' } },
      },
      AccessControl: {
        Type: 'AWS::CloudFront::OriginAccessControl',
        Properties: {
          OriginAccessControlConfig: {
            Name: { Ref: 'AWS::StackName' },
            OriginAccessControlOriginType: 's3',
            SigningBehavior: 'always',
            SigningProtocol: 'sigv4',
          },
        },
      },
      CachePolicy: CACHE_POLICY,
      Distribution: {
        Type: 'AWS::CloudFront::Distribution',
        Properties: { DistributionConfig: distributionOf(bucket, version) },
      },
    },
    Outputs: {
      DistributionArn: {
        Value: { 'Fn::Sub': 'arn:aws:cloudfront::${AWS::AccountId}:distribution/${Distribution}' },
      },
      DistributionDomain: { Value: { 'Fn::GetAtt': ['Distribution', 'DomainName'] } },
    },
  };
}

/** Lets the function read the tree, and write its log in whichever region it runs. */
const roleOf = ({ bucket, folder }: PrivateBucket): object => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: ['lambda.amazonaws.com', 'edgelambda.amazonaws.com'] },
          Action: 'sts:AssumeRole',
        },
      ],
    },
    Policies: [
      {
        PolicyName: 'rule',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: 's3:GetObject',
              Resource: [
                `arn:aws:s3:::${bucket}/${folder}public/*`,
                `arn:aws:s3:::${bucket}/${folder}edge/keyring.json`,
              ],
            },
            {
              Effect: 'Allow',
              Action: 's3:ListBucket',
              Resource: `arn:aws:s3:::${bucket}`,
              Condition: { StringLikeIfExists: { 's3:prefix': `${folder}*` } },
            },
            {
              Effect: 'Allow',
              Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
              Resource: { 'Fn::Sub': 'arn:aws:logs:*:${AWS::AccountId}:log-group:/aws/lambda/us-east-1.*' },
            },
          ],
        },
      },
    ],
  },
});

/** The cache key is the path that the function has named, and nothing else. No header of the client reaches the bucket. */
const CACHE_POLICY = {
  Type: 'AWS::CloudFront::CachePolicy',
  Properties: {
    CachePolicyConfig: {
      Name: { Ref: 'AWS::StackName' },
      // 0, so that an error with `no-store` is not kept.
      MinTTL: 0,
      DefaultTTL: KEPT_SECONDS,
      MaxTTL: KEPT_SECONDS,
      ParametersInCacheKeyAndForwardedToOrigin: {
        // The function chooses between the file and its precompressed siblings.
        EnableAcceptEncodingBrotli: false,
        EnableAcceptEncodingGzip: false,
        HeadersConfig: { HeaderBehavior: 'none' },
        CookiesConfig: { CookieBehavior: 'none' },
        QueryStringsConfig: { QueryStringBehavior: 'none' },
      },
    },
  },
};

const distributionOf = ({ origin }: PrivateBucket, version: string): object => ({
  Enabled: true,
  HttpVersion: 'http2and3',
  Aliases: [{ Ref: 'Host' }],
  ViewerCertificate: {
    AcmCertificateArn: { Ref: 'CertificateArn' },
    SslSupportMethod: 'sni-only',
    MinimumProtocolVersion: 'TLSv1.2_2021',
  },
  Origins: [
    {
      Id: 'tree',
      DomainName: new URL(origin).host,
      OriginAccessControlId: { 'Fn::GetAtt': ['AccessControl', 'Id'] },
      S3OriginConfig: { OriginAccessIdentity: '' },
    },
  ],
  DefaultCacheBehavior: {
    TargetOriginId: 'tree',
    ViewerProtocolPolicy: 'https-only',
    // All that CloudFront knows: the rule itself answers 405.
    AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
    CachedMethods: ['GET', 'HEAD'],
    Compress: false,
    CachePolicyId: { Ref: 'CachePolicy' },
    LambdaFunctionAssociations: ['viewer-request', 'origin-response', 'viewer-response'].map((EventType) => ({
      EventType,
      LambdaFunctionARN: { Ref: version },
    })),
  },
  CustomErrorResponses: ERRORS.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
});

/** Lets the distribution read the editions, and nobody else. */
export const bucketPolicyTemplate = ({ bucket, folder }: PrivateBucket): object => ({
  AWSTemplateFormatVersion: VERSION,
  Description: 'Lets the distribution of Playbill read its bucket',
  Parameters: { Distribution: { Type: 'String', Description: 'The output DistributionArn of the other stack' } },
  Resources: {
    BucketPolicy: {
      Type: 'AWS::S3::BucketPolicy',
      Properties: {
        Bucket: bucket,
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Sid: 'ReadEditions',
              Effect: 'Allow',
              Principal: { Service: 'cloudfront.amazonaws.com' },
              Action: 's3:GetObject',
              Resource: `arn:aws:s3:::${bucket}/${folder}public/fronts/*`,
              Condition: { StringEquals: { 'AWS:SourceArn': { Ref: 'Distribution' } } },
            },
          ],
        },
      },
    },
  },
});
