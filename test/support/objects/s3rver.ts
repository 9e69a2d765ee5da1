// s3rver, a small object store that ignores every condition of a PUT, and so must be refused for
// publishing.

import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RemoteBucket } from './remote-bucket.ts';

/** What is used of it; it brings no types. */
interface S3rver {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type S3rverClass = new (options: {
  directory: string;
  address: string;
  port: number;
  silent: boolean;
  configureBuckets: readonly { readonly name: string }[];
}) => S3rver;

const require = createRequire(import.meta.url);

/** A bucket of s3rver on a free port of 127.0.0.1, empty; its folder is removed by `close`. */
export async function startS3rver(): Promise<RemoteBucket> {
  const Server: S3rverClass = require('s3rver');
  const directory = mkdtempSync(join(tmpdir(), 'playbill-s3rver-'));
  const settings = { directory, address: '127.0.0.1', port: 0, silent: true };
  const server = new Server({ ...settings, configureBuckets: [{ name: 'bucket' }] });
  const { port } = await server.run();
  const destination = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'bucket',
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  };
  return new RemoteBucket(destination, async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
}
