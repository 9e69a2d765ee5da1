// nginx over a bucket that it cannot read, or must not: what clients and the log get to know. And how it is installed.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { compare } from '../support/edge/exchange.ts';
import type { RawResponse } from '../support/edge/messages.ts';
import { startNameServer } from '../support/edge/name-server.ts';
import { ask, editionOf, longPointers, withNginx } from '../support/edge/nginx-bucket.ts';
import {
  originIn,
  startPrivateBucket,
  UNREADABLE,
  UNREADABLE_BUCKETS,
  type UnreadableBucket,
  WRONG_SECRET,
} from '../support/edge/private-bucket.ts';
import { startNginxBucket } from '../support/edge/runtimes/nginx.ts';
import { startProgram } from '../support/edge/runtimes/runtime.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { makeWorld, type World } from '../support/edge/world.ts';
import { EXPIRED_TOKEN } from '../support/objects/signature.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
});

/** The problem document of a 503, and nothing of nginx's or the bucket's. */
function expectUnavailable(answer: RawResponse): void {
  const expected = { status: 503, code: 'internal', headers: [], absent: [], edition: null, content: null };
  compare(answer, expected, false, world);
}

test('without the bucket, what is kept is served for as long as its pointer is, and all else is a 503', () =>
  withNginx(
    world,
    async (nginx, store) => {
      expect((await ask(world, nginx, 'moscow')).status).toBe(200);
      await store.close();
      expect((await ask(world, nginx, 'moscow')).status).toBe(200);
      // Its pointer is kept and this form is not: it may be had in another.
      expect((await ask(world, nginx, 'moscow', { encoding: 'br' })).status).toBe(200);
      expect((await ask(world, nginx, 'kazan')).status).toBe(503);
    },
    { edit: longPointers },
  ));

test('without the bucket, an old pointer is not used', () =>
  withNginx(world, async (nginx, store) => {
    expect((await ask(world, nginx, 'moscow')).status).toBe(200);
    await store.close();
    await expect.poll(async () => (await ask(world, nginx, 'moscow')).status).toBe(503);
  }));

describe('a bucket that cannot be read makes it a 503 and a line in the log:', () => {
  type Change = UnreadableBucket & { readonly edit?: (name: string, text: string) => string };
  const quick = (_: string, text: string): string => text.replace('proxy_read_timeout 10s', 'proxy_read_timeout 100ms');

  test.each<readonly [string, Change, string]>([
    ...UNREADABLE_BUCKETS,
    ['blanks for a secret', { environment: { AWS_SECRET_ACCESS_KEY: ' ' } }, 'AWS_SECRET_ACCESS_KEY is missing'],
    ['a broken connection', { store: { faults: () => ({ kind: 'reset' }) } }, 'answers 502'],
    ['a store that says nothing', { store: { faults: () => ({ kind: 'hang' }) }, edit: quick }, 'answers 504'],
  ])('%s', async (_, { environment = {}, origin = {}, store: options = {}, ...change }, why) => {
    const store = await startPrivateBucket(world, 'refused', options);
    const output: string[] = [];
    const secrets = { ...store.environment, ...environment };
    const more = { output, ...change };
    const nginx = await startNginxBucket(world, { ...originIn(store), ...origin }, secrets, more);
    try {
      for (const front of ['moscow', 'unpublished']) expectUnavailable(await ask(world, nginx, front));
      const lines = (): string[] =>
        output
          .join('')
          .split('\n')
          .filter((line) => line.includes('playbill: the tree'));
      await expect.poll(() => lines().length).toBe(2);
      expect(lines().join('\n')).toContain(`playbill: the tree cannot be read: ${new URL(store.endpoint).host} `);
      expect(lines().join('\n')).toContain(why);
      for (const secret of [store.credentials.secretAccessKey, WRONG_SECRET, EXPIRED_TOKEN, 'AWS4'])
        expect(output.join('')).not.toContain(secret);
    } finally {
      await nginx.stop();
      await store.close();
    }
  });

  test('an edition that is there and cannot be read', async () => {
    const output: string[] = [];
    await withNginx(
      world,
      async (nginx) => {
        expect((await ask(world, nginx, 'moscow')).status).toBe(503);
        const line = `playbill: the tree cannot be read: .* answers .*500 for ${editionOf(world, 'moscow', 2)}`;
        await expect.poll(() => output.join('')).toMatch(new RegExp(line));
      },
      {
        output,
        store: {
          faults: (request) => (/products/.test(request.key) ? { kind: 'status', status: 500 } : UNREADABLE(request)),
        },
      },
    );
  });

  test.each([404, 403, 200, 204, 302, 418])('what answers %d without a word of S3', async (status) => {
    const server = createHttpServer((_, response) =>
      response
        .writeHead(status, { 'content-type': 'text/html', location: 'http://127.0.0.1:1/' })
        .end('<h1>Hello</h1>'),
    );
    const endpoint = `http://127.0.0.1:${await listen(server)}`;
    const origin = { origin: 's3://bucket', originEndpoint: endpoint, originRegion: 'eu-central-1' };
    const nginx = await startNginxBucket(world, origin, { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'secret' });
    try {
      const answer = await ask(world, nginx, 'moscow');
      expectUnavailable(answer);
    } finally {
      await nginx.stop();
      server.closeAllConnections();
      server.close();
    }
  });
});

async function listen(server: Server | ReturnType<typeof createTlsServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('a store at https', () => {
  /** A certificate for a name, which nobody else has signed, and its key. */
  function certificate(name: string): { readonly path: string; readonly cert: Buffer; readonly key: Buffer } {
    const folder = temporaryFolder();
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}`;
    const more = ['-addext', `subjectAltName=DNS:${name}`, '-keyout', 'key.pem', '-out', 'cert.pem'];
    execFileSync('openssl', [...words.split(' '), ...more], { cwd: folder, stdio: 'pipe' });
    const path = join(folder, 'cert.pem');
    return { path, cert: readFileSync(path), key: readFileSync(join(folder, 'key.pem')) };
  }

  test.each([
    ['is read by a name that a name server gives, and by a certificate for it', 'store.test', true, 200],
    ['is not read by a certificate that nobody trusts', 'store.test', false, 503],
    ['is not read by a certificate for another name', 'another.test', true, 503],
  ] as const)('%s', async (_, name, isTrusted, status) => {
    const store = await startPrivateBucket(world, 'refused');
    const { path, cert, key } = certificate(name);
    const names: string[] = [];
    const server = createTlsServer({ cert, key }, (socket) => {
      names.push(String(socket.servername));
      const plain = connect(Number(new URL(store.endpoint).port), '127.0.0.1');
      for (const end of [socket, plain]) end.on('error', () => undefined);
      socket.pipe(plain).pipe(socket);
    });
    server.on('tlsClientError', () => undefined);
    const port = await listen(server);
    const nameServer = await startNameServer({ 'store.test': '127.0.0.1' });
    const origin = { ...originIn(store), originEndpoint: `https://store.test:${port}` };
    const edit = (_name: string, text: string): string =>
      isTrusted ? text.replace('/etc/ssl/certs/ca-certificates.crt', path) : text;
    const resolver = `127.0.0.1:${nameServer.port}`;
    const nginx = await startNginxBucket(world, origin, store.environment, { resolver, edit });
    try {
      const answer = await ask(world, nginx, 'moscow');
      expect(answer.status).toBe(status);
      expect(nameServer.asked).toContain('store.test');
      expect(store.log.length > 0).toBe(status === 200);
      if (status === 200) expect(names).toContain('store.test');
    } finally {
      await nginx.stop();
      nameServer.close();
      server.close();
      await store.close();
    }
  });
});

test('it runs in /etc/nginx as its README says', async () => {
  const store = await startPrivateBucket(world, 'refused');
  const trial = await startNginxBucket(world, originIn(store), store.environment);
  await trial.stop();
  const etc = join(temporaryFolder(), 'etc');
  mkdirSync(join(etc, 'conf.d'), { recursive: true });
  const steps = readFileSync(join(trial.folder, 'README.md'), 'utf8').match(/^ {4}(?:cp|ln) .*$/gm) ?? [];
  expect(steps).toHaveLength(3);
  for (const step of steps)
    execFileSync('sh', ['-c', step.replaceAll('/etc/nginx', etc)], { cwd: trial.folder, stdio: 'pipe' });
  // The cache must not be that of an nginx of this machine.
  const cache = join(etc, 'playbill-cache.conf');
  const kept = join(etc, 'kept');
  writeFileSync(cache, readFileSync(cache, 'utf8').replace('/var/lib/nginx/playbill', kept));
  // As Debian's: everything in conf.d is included.
  const main = readFileSync(join(trial.folder, 'nginx.conf'), 'utf8');
  const included = main.replace('include playbill.conf;', 'include conf.d/*.conf;');
  writeFileSync(join(etc, 'nginx.conf'), included.replace(/ {2}proxy_cache_path .*\n/, ''));
  const options = { cwd: etc, env: process.env };
  const stop = await startProgram('nginx', ['-p', etc, '-c', join(etc, 'nginx.conf')], trial.port, options);
  try {
    expect((await ask(world, trial, 'moscow')).status).toBe(200);
    const files = readdirSync(kept, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    // The key ring, a pointer, an edition.
    expect(files).toHaveLength(3);
    // For nobody else on this machine.
    for (const { parentPath, name } of files) expect(statSync(join(parentPath, name)).mode & 0o077).toBe(0);
  } finally {
    await stop();
    await store.close();
  }
});
