// The preview's server without a browser: hosts, answers, headers, and a damaged tree.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProductsDocument } from '../../src/contract/documents.ts';
import type { Pointer } from '../../src/contract/pointer.ts';
import type { MissingProduct, PreviewFront } from '../../src/preview/messages.ts';
import { diffDocuments } from '../../src/release/diff/document-diff.ts';
import * as explanationWords from '../../src/cli/output/explain.ts';
import { previewCatalogue } from '../../src/operations/preview/preview-catalogue.ts';
import { bundlePage } from '../../src/preview/bundle.ts';
import { isOwnHost } from '../../src/preview/server.ts';
import { currentName, idIn } from '../support/manifests.ts';
import { buildTree, temporaryFolder, temporaryFolderOfFile, instant } from '../support/trees.ts';
import { demoTree, NOW, startPreview, type Preview } from '../support/preview-stage.ts';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function ask(origin: string, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(origin + path, { method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    asked.on('error', reject).end();
  });
}

const folder = temporaryFolderOfFile();
let preview: Preview;
let tree = '';

beforeAll(async () => {
  tree = await demoTree(folder);
  preview = await startPreview(tree);
});
afterAll(() => {
  preview.server.close();
  preview.server.closeAllConnections();
});

/** A copy of the tree that a test may damage. */
function treeCopy(): string {
  const copy = join(temporaryFolder(), 'out');
  cpSync(tree, copy, { recursive: true });
  return copy;
}

describe('hosts', () => {
  test.each([
    ['127.0.0.1:8081', true],
    ['localhost:8081', true],
    ['LOCALHOST:8081', true],
    ['[::1]:8081', true],
    ['127.0.0.9:8081', true],
    ['localhost', false],
    ['127.0.0.1:8082', false],
    ['evil.example:8081', false],
    ['127.0.0.1.evil.example:8081', false],
    ['localhost.evil.example:8081', false],
    ['127.evil.example:8081', false],
    ['localhost:8081@evil.example:8081', false],
    ['', false],
    [undefined, false],
  ])('%s at port 8081: %s', (host, expected) => {
    expect(isOwnHost(host, 8081)).toBe(expected);
  });

  test('port 80 need not be named', () => {
    expect(isOwnHost('localhost', 80)).toBe(true);
  });

  test.each(['/', '/page.js', '/api/overview', '/api/releases/current'])(
    'a foreign name that resolves to this machine is refused: %s',
    async (path) => {
      const { status, body } = await ask(preview.origin, path, {
        host: `rebound.example:${new URL(preview.origin).port}`,
      });
      expect(status).toBe(421);
      expect(body).not.toContain('moscow');
    },
  );
});

describe('pages of other origins', () => {
  const fetched = (site: string): Record<string, string> => ({
    'Sec-Fetch-Site': site,
    'Sec-Fetch-Mode': 'no-cors',
    'Sec-Fetch-Dest': 'image',
  });
  const opened = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
  const missing = '/api/missing/moscow/2026-05-01T12:00:00Z';

  test.each(['/', '/page.js', '/api/overview', missing])('get nothing from %s', async (path) => {
    for (const site of ['cross-site', 'same-site']) {
      const { status, body } = await ask(preview.origin, path, fetched(site));
      expect(status).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'cross-site' } });
    }
    for (const site of ['same-origin', 'none'])
      expect((await ask(preview.origin, path, fetched(site))).status).toBe((await ask(preview.origin, path)).status);
  });

  test('may link to the page, and neither open nor frame anything else', async () => {
    for (const path of ['/', '/with-images']) expect((await ask(preview.origin, path, opened)).status).toBe(200);
    for (const path of ['/api/overview', missing]) expect((await ask(preview.origin, path, opened)).status).toBe(403);
    expect((await ask(preview.origin, '/', { ...opened, 'Sec-Fetch-Dest': 'iframe' })).status).toBe(403);
  });
});

describe('headers', () => {
  test('the policy of the page allows only what it needs', async () => {
    const { status, headers } = await ask(preview.origin, '/');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; " +
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    });
  });

  test('the page with pictures may also load pictures over https, and nothing else', async () => {
    const [plain, pictured] = await Promise.all([ask(preview.origin, '/'), ask(preview.origin, '/with-images')]);
    const policy = String(plain.headers['content-security-policy']);
    expect(pictured.headers['content-security-policy']).toBe(policy.replace("img-src 'self'", "img-src 'self' https:"));
    expect(pictured.body).toBe(plain.body);
  });

  test.each(['/api/overview', '/page.js', '/nowhere'])('%s is not a page', async (path) => {
    const { headers } = await ask(preview.origin, path);
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is not allowed', async (method) => {
    const { status, headers } = await ask(preview.origin, '/api/overview', {}, method);
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  test('HEAD answers as GET, without the body', async () => {
    const [get, head] = await Promise.all([ask(preview.origin, '/'), ask(preview.origin, '/', {}, 'HEAD')]);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.body).toBe('');
  });
});

describe('the tree as JSON', () => {
  const json = async (path: string): Promise<Record<string, unknown>> => {
    const { body } = await ask(preview.origin, path);
    return JSON.parse(body) as Record<string, unknown>;
  };

  test('the overview lists the kept releases, latest first, and the clock', async () => {
    const overview = await json('/api/overview');
    const current = idIn(currentName(tree));
    expect(overview).toMatchObject({ root: tree, now: NOW, current });
    const releases = overview['releases'] as { id: string; now: string }[];
    expect(releases.map(({ now }) => now)).toEqual(['2026-05-01T09:05:00Z', NOW, '2026-05-01T08:00:00Z']);
    expect(releases[0]?.id).toBe(current);
  });

  test('what is in force comes from the pointers, with the records of the manifest', async () => {
    const { fronts } = (await json('/api/releases/current')) as { fronts: Record<string, unknown>[] };
    expect(fronts.map(({ front }) => front)).toEqual(readdirSync(join(tree, 'public/fronts')).sort());
    const moscow = fronts.find(({ front }) => front === 'moscow');
    expect(moscow?.['pointer']).toEqual(
      JSON.parse(readFileSync(join(tree, 'public/fronts/moscow/pointer.json'), 'utf8')),
    );
    expect(moscow?.['record']).toMatchObject({ held: null, currency: 'RUB' });
  });

  test('what each edition changes is what diff finds between them; null where one cannot be read', async () => {
    const pointer = JSON.parse(readFileSync(join(tree, 'public/fronts/moscow/pointer.json'), 'utf8')) as Pointer;
    const documents = pointer.products.map(
      (entry) =>
        JSON.parse(
          readFileSync(join(tree, `public/fronts/moscow/products.${entry.slice(21)}.json`), 'utf8'),
        ) as ProductsDocument,
    );
    const expected = documents.map((document, i) => {
      const changes = diffDocuments(documents[i - 1] ?? document, document);
      const cards = changes.filter(({ list }) => list === 'productCards');
      return { count: changes.length, products: [...new Set(cards.map(({ id }) => id))] };
    });
    expect(await json('/api/changes/current/moscow')).toEqual(expected);
    const counts = expected.map(({ count }) => count);
    expect(Math.max(...counts)).toBeGreaterThan(Math.min(...counts.slice(1)));
    const out = treeCopy();
    rmSync(join(out, `public/fronts/moscow/products.${pointer.products[2]?.slice(21)}.json`));
    const { origin, server } = await startPreview(out);
    const { body } = await ask(origin, '/api/changes/current/moscow');
    expect(JSON.parse(body)).toEqual(expected.map((change, i) => (i === 2 || i === 3 ? null : change)));
    server.close();
  });

  test('the current release and the clock alone, for a page that asks again and again', async () => {
    const current = idIn(currentName(tree));
    expect(await json('/api/current')).toEqual({ now: NOW, current });
    expect((await ask(preview.origin, `/other/releases/${current}`)).status).toBe(404);
  });

  test('without a catalogue there is nothing to ask why; with one, what explain says', async () => {
    const labels = '/api/labels/moscow';
    const paths = [
      '/api/missing/current/moscow/2026-05-01T09:05:00Z',
      '/api/explain/moscow/chayka/2026-05-01T09:05:00Z',
      '/api/day/moscow/2026-05-01T09:05:00Z',
    ];
    for (const path of [...paths, labels]) expect((await ask(preview.origin, path)).status).toBe(404);
    expect(await json('/api/overview')).toMatchObject({ database: null });
    const database = join(folder, 'after.sqlite');
    const { origin, server } = await startPreview(tree, NOW, database);
    const [missing, explained] = await Promise.all(paths.map((path) => ask(origin, path)));
    const { fronts } = (await json('/api/releases/current')) as { fronts: PreviewFront[] };
    const dropped = fronts.find(({ front }) => front === 'moscow')?.record?.dropped ?? {};
    const reasons = (JSON.parse(missing?.body ?? '') as MissingProduct[]).map(({ reason }) => reason);
    for (const [reason, count] of Object.entries(dropped))
      expect(reasons.filter((one) => one === reason).length, reason).toBe(count);
    const catalogue = previewCatalogue(database, process.versions['tz'] ?? '', explanationWords);
    // Nobody waits for the answer any more.
    const given = [instant('2026-05-01T09:05:00Z'), new Set<string>(), AbortSignal.abort()] as const;
    expect(await catalogue.missing('moscow', ...given)).toEqual([]);
    expect(JSON.parse(explained?.body ?? '')).toMatchObject({ text: expect.stringMatching(/^It has a card\.\n/) });
    expect((await ask(origin, '/api/explain/moscow/no-such/2026-05-01T09:05:00Z')).status).toBe(404);
    expect((await ask(origin, '/api/explain/moscow/chayka/yesterday')).status).toBe(404);
    // A slug may have a percent sign, which the page encodes.
    expect((await ask(origin, '/api/explain/moscow/cha%79ka/2026-05-01T09:05:00Z')).status).toBe(200);
    expect((await ask(origin, '/api/explain/moscow/cha%/2026-05-01T09:05:00Z')).status).toBe(404);
    expect((await ask(origin, '/api/explain/moscow/chayka/1/yesterday/2026-05-01T09:05:00Z')).status).toBe(404);
    expect((await ask(origin, '/api/day/moscow/yesterday')).status).toBe(404);
    expect((await ask(origin, '/api/day/no-such/2026-05-01T09:05:00Z')).status).toBe(404);
    server.close();
  });

  test('an edition is served as published', async () => {
    const path =
      'moscow/' + readdirSync(join(tree, 'public/fronts/moscow')).find((name) => name.startsWith('products'));
    const { status, body } = await ask(preview.origin, `/api/fronts/${path}`);
    expect([status, body]).toEqual([200, readFileSync(join(tree, 'public/fronts', path), 'utf8')]);
  });

  test.each([
    '/api/fronts/../../releases/current',
    '/api/fronts/..%2f..%2fedge/keyring.json',
    '/api/fronts/moscow/pointer.json',
    '/api/fronts/moscow/products.0123456789abcdef.json.gz',
    '/api/releases/0123456789abcdef',
    '/api/releases/..%2Fcurrent',
    '/api/nothing',
    '/edge/keyring.json',
  ])('no other file is served: %s', async (path) => {
    const { status, body } = await ask(preview.origin, path);
    expect(status).toBe(404);
    expect(body).not.toContain('spki');
  });
});

test('a damaged tree is reported front by front, and the rest is shown', async () => {
  const out = treeCopy();
  const front = (name: string): string => join(out, 'public/fronts', name);
  writeFileSync(join(front('moscow'), 'pointer.json'), '{');
  rmSync(join(front('fonar'), 'pointer.json'));
  rmSync(join(out, 'releases/current'));
  const edition = readdirSync(front('berlin')).find((name) => name.startsWith('products')) ?? '';
  writeFileSync(join(front('berlin'), edition), '{"productCards":[]}');
  const { origin, server } = await startPreview(out);
  const { body } = await ask(origin, '/api/releases/current');
  const { fronts } = JSON.parse(body) as { fronts: { front: string; pointer: unknown; problem: string | null }[] };
  expect(fronts.find((view) => view.front === 'moscow')).toMatchObject({ pointer: null });
  expect(fronts.find((view) => view.front === 'moscow')?.problem).toContain('public/fronts/moscow/pointer.json');
  expect(fronts.some((view) => view.front === 'fonar')).toBe(false);
  expect(fronts.filter(({ problem }) => problem === null)).toHaveLength(11);
  const damaged = await ask(origin, `/api/fronts/berlin/${edition}`);
  expect([damaged.status, damaged.body]).toEqual([500, expect.stringContaining('expected a SHA-256 that begins with')]);
  server.close();
});

test('a front of a newer build than the manifest is shown without a record', async () => {
  const out = treeCopy();
  const manifest = readFileSync(join(out, 'releases/current'), 'utf8');
  // Without --force the pointers would stay, and be those that the manifest lists.
  const guards = { maxShrink: 0.5, maxBad: 0.05, allow: [], force: true };
  await buildTree(join(folder, 'after.sqlite'), out, instant('2026-05-01T09:10:00Z'), { guards });
  writeFileSync(join(out, 'releases/current'), manifest);
  const { origin, server } = await startPreview(out);
  const { fronts } = JSON.parse((await ask(origin, '/api/releases/current')).body) as {
    fronts: { record: unknown }[];
  };
  expect(fronts.map(({ record }) => record)).toEqual(fronts.map(() => null));
  server.close();
});

test('the page is small', async () => {
  const { script, style } = await bundlePage();
  expect(script.length).toBeGreaterThan(10_000);
  expect(gzipSync(script).length + gzipSync(style).length).toBeLessThan(150_000);
});
