// Ceph's RADOS Gateway for all test files of a run of `npm run test:all`: started when the first of
// them asks, ended after the last test. A test file asks the process that runs vitest, which holds
// the cluster.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ceph, type RunningGateway } from './ceph.ts';
import { RemoteBucket } from './remote-bucket.ts';

const ADDRESS = 'PLAYBILL_TEST_GATEWAY';

/**
 * vitest calls this before the first test, and what it returns after the last one, also where tests
 * failed.
 */
export async function setup(): Promise<() => Promise<void>> {
  let starting: ReturnType<typeof Ceph.start> | undefined;
  const server = createServer((_request, response) => {
    starting ??= Ceph.start();
    starting.then(
      ({ gateway }) => response.end(JSON.stringify(gateway)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env[ADDRESS] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    server.close();
    server.closeAllConnections();
    // Where it never came up there is nothing to stop: the test that asked has failed with the
    // reason.
    const started = await starting?.catch(() => null);
    await started?.cluster.stop();
  };
}

export interface Gateway extends RunningGateway {
  /** An empty bucket of the caller's own. It goes with the gateway. */
  newBucket(): Promise<RemoteBucket>;
}

/** The gateway of this run; starts it where no test has asked before. */
export async function sharedGateway(): Promise<Gateway> {
  const address = process.env[ADDRESS];
  if (address === undefined) throw new Error('there is no gateway here: run this test by npm run test:all');
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const gateway = JSON.parse(text) as RunningGateway;
  return {
    ...gateway,
    newBucket: async () => {
      const bucket = new RemoteBucket({ ...gateway, bucket: `bucket-${randomUUID()}` });
      await bucket.create();
      return bucket;
    },
  };
}
