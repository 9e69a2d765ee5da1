// The client as others install it: compiled, laid out as the package is, and used from a project
// that has nothing else. Types and code must be whole without zod, without Node's types and without
// the DOM's.

import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as contract from '../../src/contract/documents.ts';
import { signRequest } from '../../src/client/signature.ts';
import type * as published from '../../src/client/documents.ts';
import { PROFILE_NAMES } from '../../src/edge/rule/profile.ts';
import { issueKey } from '../../src/operations/keys.ts';
import { publishKeys } from '../../src/operations/publish-keys.ts';
import { showDocument } from '../../src/release/status/show.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import { compiledClientPackage, folderOfRun } from '../support/compiled.ts';
import { linksOf } from '../support/docs/links.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import {
  buildTree,
  catalogueAt,
  instant,
  KEY_SETTINGS,
  temporaryFolder,
  temporaryFolderOfFile,
} from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const tsc = join(root, 'node_modules/.bin/tsc');
const consumer = temporaryFolderOfFile();
const packed = join(consumer, 'node_modules/playbill');

/** Of Node.js the programs in the documents use this alone. */
const NODE_TYPES =
  "declare module 'node:fs/promises' { export function readFile(path: string, encoding: 'utf8'): Promise<string>; }";

beforeAll(() => {
  cpSync(join(folderOfRun(), 'dist'), `${packed}/dist`, { recursive: true });
  cpSync(`${root}package.json`, `${packed}/package.json`);
  writeFileSync(`${consumer}/package.json`, '{"type":"module"}');
  writeFileSync(
    `${consumer}/tsconfig.json`,
    JSON.stringify({
      compilerOptions: {
        target: 'ES2022',
        module: 'NodeNext',
        // No DOM, no Node: only the language.
        lib: ['ES2022'],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
      },
      include: ['*.ts'],
    }),
  );
  cpSync(`${root}test/types/null-checks.ts`, `${consumer}/null-checks.ts`);
});

function compile(): string {
  return spawnSync(tsc, ['-p', consumer], { encoding: 'utf8' }).stdout;
}

test('compiles in the strictest project, with its libraries checked', () => {
  expect(compile()).toBe('');
  // It was the packed client that was compiled against, and the compiler had something to refuse.
  const found = spawnSync(tsc, ['-p', consumer, '--listFiles'], { encoding: 'utf8' }).stdout;
  expect(found).toContain('node_modules/playbill/dist/client/client.d.ts');
  expect(found).not.toContain('zod');
});

test.each([
  ['a price that is said to be there', 'priceFrom: number | null', 'priceFrom: number'],
  ['a session that is said to be there', 'todaySlot: string | null', 'todaySlot: string'],
  ['a session of any type', 'weekendSlot: string | null', 'weekendSlot: any'],
  ['a document that may be changed', 'readonly name: string', 'name: string'],
  ['a list that may be changed', 'readonly productCards: readonly ProductCard[]', 'productCards: ProductCard[]'],
])('a type that is loosened is seen: %s', (_, from, to) => {
  const path = `${packed}/dist/client/documents.d.ts`;
  const whole = readFileSync(path, 'utf8');
  expect(whole).toContain(from);
  writeFileSync(path, whole.replaceAll(from, to));
  expect(compile()).toMatch(/null-checks\.ts\(\d+,\d+\): error TS2578: Unused '@ts-expect-error' directive/);
  writeFileSync(path, whole);
});

test('the compiled command prints the same contract, and the client’s package has it', () => {
  const print = (...words: readonly string[]): string =>
    spawnSync(process.execPath, [...words, 'openapi'], { cwd: root, encoding: 'utf8' }).stdout;
  // Its own packages are those of the checkout.
  symlinkSync(`${root}node_modules`, `${packed}/node_modules`);
  const compiled = print(`${packed}/dist/cli/main.js`);
  expect(compiled).toContain('"openapi": "3.1.0"');
  expect(compiled).toBe(print('--import', 'tsx', `${root}src/cli/main.ts`));
  expect(readFileSync(join(compiledClientPackage(), 'openapi.json'), 'utf8')).toBe(compiled);
  rmSync(`${packed}/node_modules`);
});

test('runs where nothing else is installed', () => {
  expect(readdirSync(join(consumer, 'node_modules'))).toEqual(['playbill']);
  mkdirSync(join(consumer, 'run'));
  writeFileSync(
    join(consumer, 'run', 'main.mjs'),
    `import { createClient, keyFrom } from 'playbill/client';
     const issued = keyFrom('{"front":"moscow","keyid":"k","privateKey":null,"secretRef":"S"}', () => 'secret');
     const fetch = async (url, { headers }) => new Response(JSON.stringify([url, headers['X-Front']]));
     console.log(await createClient({ baseUrl: 'https://cdn.example/v1', ...issued, fetch }).categories());`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, [join(consumer, 'run', 'main.mjs')], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toContain("'https://cdn.example/v1/fronts/categories/', 'moscow'");
});

describe('playbill-client, a package of its own', () => {
  const folder = temporaryFolderOfFile();

  beforeAll(() => {
    const npm = (...words: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      return stdout.trim();
    };
    const archive = join(folder, npm('pack', '--silent', compiledClientPackage()));
    writeFileSync(`${folder}/package.json`, '{"type":"module"}');
    npm('install', '--offline', '--no-audit', '--no-fund', archive);
  });

  test('has its code, its types, a README and a licence, and brings nothing else', () => {
    expect(readdirSync(`${folder}/node_modules`).filter((name) => !name.startsWith('.'))).toEqual(['playbill-client']);
    const files = readdirSync(`${folder}/node_modules/playbill-client`, { recursive: true, encoding: 'utf8' });
    expect(files.filter((path) => /\.\w+$|LICENSE/.test(path)).toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'client/client.d.ts',
      'client/client.js',
      'client/documents.d.ts',
      'client/errors.d.ts',
      'client/key-file.d.ts',
      'client/options.d.ts',
      'client/signature.d.ts',
      'edge/web-crypto/key-pair.d.ts',
      'openapi.json',
      'package.json',
    ]);
    const versionIn = (path: string): unknown =>
      (JSON.parse(readFileSync(path, 'utf8')) as { version?: unknown }).version;
    expect(versionIn(`${folder}/node_modules/playbill-client/package.json`)).toBe(versionIn(`${root}package.json`));
  });

  test('signs a request as playbill does', async () => {
    writeFileSync(
      join(folder, 'main.js'),
      `import { createClient, keyFrom } from 'playbill-client';
       const issued = keyFrom('{"front":"moscow","keyid":"k","privateKey":null,"secretRef":"S"}', () => 'secret');
       const fetch = async (url, { headers }) => new Response(JSON.stringify([headers]));
       const client = createClient({ baseUrl: 'https://cdn.example', ...issued, fetch, clock: () => 1_800_000_000_000 });
       console.log(JSON.stringify(await client.categories()));`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, ['main.js'], { cwd: folder, encoding: 'utf8' });
    expect(stderr).toBe('');
    const signed = await signRequest({
      method: 'GET',
      url: 'https://cdn.example/fronts/categories/',
      front: 'moscow',
      key: { keyid: 'k', secret: 'secret' },
      created: 1_800_000_000,
    });
    expect(JSON.parse(stdout)).toEqual([{ ...signed, Accept: 'application/json' }]);
  });

  test('three commands and the smallest program of the page for storefronts print the cards', async () => {
    const page = readFileSync(`${root}scripts/storefront/README.md`, 'utf8');
    const [, commands = '', program = ''] =
      /^## The first cards\n[^]*?^```sh\n([^]*?)^```$[^]*?^```js\n([^]*?)^```$/m.exec(page) ?? [];
    expect(commands.trim().split('\n')).toHaveLength(3);
    const project = join(temporaryFolder(), 'shop');
    mkdirSync(project);
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    cpSync(join(folder, archive), join(project, archive));
    const rows = smallCatalogue({ fronts: ['moscow'], productsPerFront: 2, sessionsPerProduct: 1, edition: 'x' });
    const [database, out] = [catalogueAt(join(project, 'c.sqlite'), rows), join(project, 'out')];
    await buildTree(database, out, instant(NOW));
    const key = { front: 'moscow', keyid: 'k', alg: 'ecdsa-p256-sha256', secretRef: null } as const;
    const lasting = { notBefore: null, notAfter: null, to: join(project, 'moscow.key.json') };
    await issueKey(database, { ...key, ...lasting }, instant(NOW));
    await publishKeys(database, out, KEY_SETTINGS, instant(NOW));
    const world = { root: out, now: 0, secrets: {}, profiles: PROFILE_NAMES };
    const server = await startNodeServer(world, { clock: () => Date.now() / 1000, at: instant(NOW) });
    try {
      writeFileSync(
        join(project, 'main.js'),
        program.replace('https://cdn.example', `http://127.0.0.1:${server.port}`),
      );
      const env = { ...process.env, npm_config_offline: 'true' };
      const { stdout } = await promisify(execFile)('sh', ['-ec', commands], { cwd: project, env });
      const { text } = await showDocument('moscow', 'products', DirectoryReader.open(out), instant(NOW));
      const { productCards } = JSON.parse(text) as published.ProductsDocument;
      const lines = productCards.map((card) => `${card.nextScheduleSlot} ${card.name} ${card.priceFrom}\n`);
      expect(lines.length).toBeGreaterThan(1);
      expect(stdout.endsWith(`\n${lines.join('')}`), stdout).toBe(true);
    } finally {
      await server.stop();
    }
  });

  test('the program in its README compiles against its types, with its libraries checked', () => {
    const readme = readFileSync(`${folder}/node_modules/playbill-client/README.md`, 'utf8');
    const [, program = ''] = /^```ts\n([^]*?)^```$/m.exec(readme) ?? [];
    expect(program).toContain("from 'playbill-client'");
    expect(linksOf(`${folder}/node_modules/playbill-client`, 'README.md')).toEqual([]);
    expect(readme).toContain('(`data/signing.md` of the source)');
    writeFileSync(join(folder, 'program.ts'), program);
    writeFileSync(join(folder, 'node.d.ts'), NODE_TYPES);
    cpSync(join(consumer, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    expect(spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout).toBe('');
  });
});

test('the published types are those of the contract, both ways', () => {
  type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
  type Same<A, B> = [A, B] extends [B, A] ? true : false;
  const isSame: [
    Same<Mutable<published.ProductsDocument>, contract.ProductsDocument>,
    Same<Mutable<published.CategoriesDocument>, contract.CategoriesDocument>,
  ] = [true, true];
  expect(isSame).toEqual([true, true]);
});
