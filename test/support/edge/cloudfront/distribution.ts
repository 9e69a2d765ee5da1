// Reads a distribution from its CloudFormation template. Refuses a template that Lambda@Edge or an
// origin access control would not accept, and one with anything that is not simulated here.

import * as z from 'zod';

const resourceSchema = z.looseObject({ Type: z.string(), Properties: z.looseObject({}) });
const ref = z.strictObject({ Ref: z.string() });
const attribute = (name: string) => z.strictObject({ 'Fn::GetAtt': z.tuple([z.string(), z.literal(name)]) });

const TRIGGERS = ['viewer-request', 'origin-response', 'viewer-response'] as const;
export type Trigger = (typeof TRIGGERS)[number];

const distributionSchema = z.strictObject({
  DistributionConfig: z.strictObject({
    Enabled: z.literal(true),
    HttpVersion: z.string(),
    Aliases: z.array(ref),
    ViewerCertificate: z.strictObject({
      AcmCertificateArn: ref,
      SslSupportMethod: z.literal('sni-only'),
      MinimumProtocolVersion: z.string(),
    }),
    Origins: z.tuple([
      z.strictObject({
        Id: z.string(),
        DomainName: z.string(),
        OriginAccessControlId: attribute('Id'),
        // Required with an access control, and then empty.
        S3OriginConfig: z.strictObject({ OriginAccessIdentity: z.literal('') }),
      }),
    ]),
    DefaultCacheBehavior: z.strictObject({
      TargetOriginId: z.string(),
      ViewerProtocolPolicy: z.literal('https-only'),
      AllowedMethods: z.array(z.string()),
      CachedMethods: z.tuple([z.literal('GET'), z.literal('HEAD')]),
      Compress: z.literal(false),
      CachePolicyId: ref,
      LambdaFunctionAssociations: z.array(z.strictObject({ EventType: z.enum(TRIGGERS), LambdaFunctionARN: ref })),
    }),
    CustomErrorResponses: z.array(z.strictObject({ ErrorCode: z.number(), ErrorCachingMinTTL: z.number() })),
  }),
});

/**
 * A function at viewer events: within their limits, and without environment variables, which they
 * may not have.
 */
const functionSchema = z.strictObject({
  Code: z.string(),
  Handler: z.literal('index.handler'),
  Runtime: z.enum(['nodejs22.x', 'nodejs24.x']),
  MemorySize: z.number().max(128),
  Timeout: z.number().max(5),
  Role: attribute('Arn'),
});

const cachePolicySchema = z.strictObject({
  CachePolicyConfig: z.strictObject({
    Name: ref,
    MinTTL: z.number(),
    DefaultTTL: z.number(),
    MaxTTL: z.number(),
    ParametersInCacheKeyAndForwardedToOrigin: z.strictObject({
      EnableAcceptEncodingBrotli: z.literal(false),
      EnableAcceptEncodingGzip: z.literal(false),
      HeadersConfig: z.union([
        z.strictObject({ HeaderBehavior: z.literal('none') }),
        z.strictObject({ HeaderBehavior: z.literal('whitelist'), Headers: z.array(z.string()) }),
      ]),
      CookiesConfig: z.strictObject({ CookieBehavior: z.literal('none') }),
      QueryStringsConfig: z.strictObject({ QueryStringBehavior: z.enum(['none', 'all']) }),
    }),
  }),
});

const accessControlSchema = z.strictObject({
  OriginAccessControlConfig: z.strictObject({
    Name: ref,
    OriginAccessControlOriginType: z.literal('s3'),
    SigningBehavior: z.literal('always'),
    SigningProtocol: z.literal('sigv4'),
  }),
});

export interface Distribution {
  readonly originDomain: string;
  readonly allowedMethods: readonly string[];
  /** By event, the file of its function. */
  readonly functions: Partial<Record<Trigger, string>>;
  readonly keyHeaders: readonly string[];
  readonly hasQueryInKey: boolean;
  readonly ttl: { readonly min: number; readonly default: number; readonly max: number };
  /** By status, in seconds. The default is 10. */
  readonly errorSeconds: ReadonlyMap<number, number>;
}

/**
 * Throws Error for a template that CloudFormation or CloudFront would refuse, and for one with
 * anything unknown in it.
 */
export function readDistribution(text: string): Distribution {
  const { Resources } = z.looseObject({ Resources: z.record(z.string(), resourceSchema) }).parse(JSON.parse(text));
  const named = (name: string, type: string): unknown => {
    const found = Resources[name];
    if (found?.Type !== type) throw new Error(`${name}: expected a resource ${type}, found ${found?.Type ?? 'none'}`);
    return found.Properties;
  };
  const config = distributionSchema.parse(named('Distribution', 'AWS::CloudFront::Distribution')).DistributionConfig;
  const [origin] = config.Origins;
  accessControlSchema.parse(
    named(origin.OriginAccessControlId['Fn::GetAtt'][0], 'AWS::CloudFront::OriginAccessControl'),
  );
  const behavior = config.DefaultCacheBehavior;
  if (behavior.TargetOriginId !== origin.Id) throw new Error(`no such origin: ${behavior.TargetOriginId}`);

  const functions: Partial<Record<Trigger, string>> = {};
  for (const { EventType, LambdaFunctionARN } of behavior.LambdaFunctionAssociations) {
    // A numbered version: neither $LATEST nor an alias.
    const version = z.strictObject({ FunctionName: ref }).parse(named(LambdaFunctionARN.Ref, 'AWS::Lambda::Version'));
    functions[EventType] = functionSchema.parse(named(version.FunctionName.Ref, 'AWS::Lambda::Function')).Code;
  }
  const policy = cachePolicySchema.parse(named(behavior.CachePolicyId.Ref, 'AWS::CloudFront::CachePolicy'));
  const { MinTTL, DefaultTTL, MaxTTL, ParametersInCacheKeyAndForwardedToOrigin: key } = policy.CachePolicyConfig;
  return {
    originDomain: origin.DomainName,
    allowedMethods: behavior.AllowedMethods,
    functions,
    keyHeaders: 'Headers' in key.HeadersConfig ? key.HeadersConfig.Headers.map((name) => name.toLowerCase()) : [],
    hasQueryInKey: key.QueryStringsConfig.QueryStringBehavior === 'all',
    ttl: { min: MinTTL, default: DefaultTTL, max: MaxTTL },
    errorSeconds: new Map(config.CustomErrorResponses.map((error) => [error.ErrorCode, error.ErrorCachingMinTTL])),
  };
}
