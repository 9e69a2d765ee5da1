// By what a private bucket is read, in names that every tool for S3 has. For workers and nginx alike; no secret is in here.

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken: string | null;
}

/** The names of the secrets, as every tool for S3 has them; the third is there with temporary credentials alone. */
export const CREDENTIAL_NAMES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/** SHA-256 of nothing: the payload of a request that reads. */
export const EMPTY_PAYLOAD = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** What a store says of an object that is not there: the second to who may read objects and not list them. */
export const ABSENT = ['NoSuchKey', 'AccessDenied'];
