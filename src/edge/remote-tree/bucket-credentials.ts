// The credentials with which an edge reads a private bucket, and their names. Contains no secret.

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only with temporary credentials. */
  readonly sessionToken: string | null;
}

/** The usual environment variables of S3 tools. The third is only for temporary credentials. */
export const CREDENTIAL_NAMES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;
