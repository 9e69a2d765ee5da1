// The profile `signed-headers` alone, for any runtime.

export { signedHeaders as profile } from '../../rule/signed-headers.ts';
