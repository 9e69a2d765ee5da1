// What the readers of a private bucket share: the names of credentials, and constants of the S3 protocol. Contains no secret.

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only with temporary credentials. */
  readonly sessionToken: string | null;
}

/** The usual environment variables of S3 tools. The third is only for temporary credentials. */
export const CREDENTIAL_NAMES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/** SHA-256 of an empty body. */
export const EMPTY_PAYLOAD = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
