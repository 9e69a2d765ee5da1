// The archive as npm and those who install it see it: what is in it, what can be imported by its
// name, and that its types fit.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, describe, expect, test } from 'vitest';
import { isDead, linksOf } from '../support/docs/links.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { compiledClientPackage } from '../support/compiled.ts';
import { installArchive, packCheckout, packFolder } from '../support/packed/installed.ts';
import { start } from '../support/packed/runs.ts';
import { launch } from '../support/preview-stage.ts';
import { catalogueAt, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolderOfFile();

/** Reserved for examples, of this machine, of standards and namespaces, of hosts, and of Node.js. */
const KNOWN_HOST =
  /: (.*\.)?(example|example\.(com|org)|localhost|127\.0\.0\.1|www\.rfc-editor\.org|www\.w3\.org|r2\.cloudflarestorage\.com|nodejs\.org)$/;

/** What the compiled command loads only where it runs in a checkout. */
const ONLY_IN_A_CHECKOUT = ['esbuild'];

let archive = '';
/** Of playbill-client. */
let clientArchive = '';
let installation = '';

beforeAll(() => {
  archive = packCheckout(folder);
  clientArchive = packFolder(compiledClientPackage(), folder);
  installation = installArchive(archive, folder);
});

const bytesOf = (path: string): ArrayBuffer => new Uint8Array(readFileSync(path)).buffer;

async function lintOf(tarball: ArrayBuffer): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

test('packed again, in another folder and by somebody with other settings, it is the same to the byte', () => {
  const again = temporaryFolder();
  const packages = ['dist-package', 'dist-client'];
  const script = [
    'umask 077',
    `"${root}node_modules/.bin/tsx" scripts/compile.ts ${again}/dist`,
    ...packages.map((name) => `(cd ${again}/${name} && npm pack --silent)`),
  ].join(' && ');
  const env = { ...process.env, TZ: 'Asia/Tokyo', LC_ALL: 'C' };
  const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: root, env, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  for (const [i, path] of [archive, clientArchive].entries())
    expect(readFileSync(join(again, packages[i] ?? '', basename(path))).equals(readFileSync(path)), path).toBe(true);
});

test('publint has nothing to say', async () => {
  expect(await lintOf(bytesOf(archive))).toEqual([]);
  expect(await lintOf(bytesOf(clientArchive))).toEqual([]);
});

test('publint has something to say of a package whose exports name a missing file', async () => {
  const broken = temporaryFolder();
  const exports = { '.': './missing.js' };
  writeFileSync(join(broken, 'package.json'), JSON.stringify({ name: 'broken', version: '1.0.0', exports }));
  expect(await lintOf(bytesOf(packFolder(broken, broken)))).toContainEqual(expect.stringContaining('missing.js'));
});

test('its types are right for every way of resolving modules that knows ESM and exports', async () => {
  const names = { [archive]: ['.', './client', './package.json'], [clientArchive]: ['.', './package.json'] };
  for (const [path, expected] of Object.entries(names)) {
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(path))));
    if (analysis.types === false) throw new Error('no types in the archive');
    expect(Object.keys(analysis.entrypoints)).toEqual(expected);
    // It is ESM: CommonJS of Node.js 22 and later loads it by require() all the same. node10 knows
    // no exports.
    const unexpected = analysis.problems.filter(
      (problem) =>
        problem.kind !== 'CJSResolvesToESM' &&
        !(problem.kind === 'NoResolution' && problem.resolutionKind === 'node10'),
    );
    expect(unexpected).toEqual([]);
  }
});

describe('the files of the archive', () => {
  const packed = (): string => join(installation, 'node_modules/playbill');
  const files = (): string[] =>
    readdirSync(packed(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(packed(), join(entry.parentPath, entry.name)));
  const textOf = (path: string): string => readFileSync(join(packed(), path), 'utf8');

  test('are the command, what its users read, and no source', () => {
    const expected = [
      'LICENSE',
      'README.md',
      'THIRD-PARTY-NOTICES',
      'sbom.cdx.json',
      'CHANGELOG.md',
      'data/operating.md',
      'data/schema.sql',
      'data/schema-postgres.sql',
      'scripts/recipes/alerts.yml',
      'scripts/storefront/README.md',
      'data/reference.md',
      'data/client.md',
    ];
    expect(files()).toEqual(expect.arrayContaining(expected));
    // But for the example storefront, which is there to be copied.
    const sources = files().filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'));
    expect(sources.filter((path) => !path.startsWith('scripts/storefront/'))).toEqual([]);
  });

  test('have no dead link', () => {
    const links = files()
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => linksOf(packed(), path));
    expect(links.length).toBeGreaterThan(100);
    expect(links.filter((link) => isDead(packed(), link))).toEqual([]);
    expect(isDead(packed(), { from: 'README.md', target: '.github/CONTRIBUTING.md' }), 'one is seen').toBe(true);
  });

  test('name no address but that of a standard, an example or this machine', () => {
    // The compiled files and the licences have those of libraries.
    const own = files().filter(
      (path) => !/^(dist\/(chunks|types|edge\/bundles|preview)\/|THIRD|sbom|.*\.webp$)/.test(path),
    );
    const addresses = own.flatMap((path) =>
      [...textOf(path).matchAll(/\bhttps?:\/\/([\w-]+(?:\.[\w-]+)+)/g)].map(([, host = '']) => `${path}: ${host}`),
    );
    expect(addresses.length).toBeGreaterThan(20);
    expect(addresses.filter((address) => !KNOWN_HOST.test(address))).toEqual([]);
  });

  test('depend on what the compiled files import, and on nothing else', async () => {
    const modules = ['cli/main.js', 'client/client.js', 'operations/exports.js'];
    const { metafile } = await build({
      entryPoints: modules.map((path) => join(packed(), 'dist', path)),
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      outdir: folder,
      write: false,
      metafile: true,
    });
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    const others = new Set(imported.filter((name) => !isBuiltin(name) && !ONLY_IN_A_CHECKOUT.includes(name)));
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
    expect([...others]).toEqual(Object.keys(dependencies));
    expect(dependencies['better-sqlite3']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('load what is for PostgreSQL and buckets only where it is used', async () => {
    const copy = join(temporaryFolder(), 'installation');
    cpSync(installation, copy, { recursive: true, verbatimSymlinks: true });
    const chunks = join(copy, 'node_modules/playbill/dist/chunks');
    const removed = readdirSync(chunks).filter((name) =>
      /SCRAM-SHA-256|AWS4-HMAC-SHA256/.test(readFileSync(join(chunks, name), 'utf8')),
    );
    expect(removed.length).toBeGreaterThan(1);
    for (const name of removed) rmSync(join(chunks, name));
    const bin = join(copy, 'node_modules/.bin');
    const where = { place: 'in a pipe', node: dirname(process.execPath), bin, cwd: temporaryFolder() } as const;
    const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' });
    writeFileSync(join(where.cwd, 'rows.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    for (const line of ['import rows.ndjson --db c.sqlite', `build --db c.sqlite --now ${NOW}`, 'verify'])
      expect(await start(line.split(' '), where).ended, line).toMatchObject({ status: 0 });
    for (const line of ['build --db postgres://127.0.0.1:9/none', 'verify --out s3://shop/tree'])
      expect((await start(line.split(' '), where).ended).stderr, line).toContain('Cannot find module');
  });

  test('are three packages when they are installed', () => {
    const names = readdirSync(join(installation, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(names).toEqual(['better-sqlite3', 'node-addon-api', 'playbill']);
  });
});

test('playbill demo: from nothing to a page with cards, which leaves nothing behind', async () => {
  const where = {
    place: 'in a pipe',
    node: dirname(process.execPath),
    bin: join(installation, 'node_modules/.bin'),
  } as const;
  const demo = start(['demo', '--port', '0'], { ...where, cwd: temporaryFolder() });
  const browser = await launch();
  try {
    const url = await demo.printed(/http:\/\/127\.0\.0\.1:\d+\//);
    const page = await browser.newPage();
    await page.goto(`${url}?front=moscow`);
    await page.waitForSelector('.listed');
    expect(await page.locator('.listed').count()).toBeGreaterThan(20);
    demo.interrupt();
    const { status, stdout, stderr } = await demo.ended;
    expect(status).toBe(0);
    expect(stdout).toContain('Published 13 of 13 fronts');
    const [, folder = ''] = /^Showing (.*)\/out;/m.exec(stderr) ?? [];
    expect(folder).toContain('playbill-demo-');
    expect(existsSync(folder)).toBe(false);
  } finally {
    demo.kill();
    await browser.close();
  }
});

test('playbill demo --to keeps the catalogue, and builds it again the next time', async () => {
  const cwd = temporaryFolder();
  const where = {
    place: 'in a pipe',
    node: dirname(process.execPath),
    bin: join(installation, 'node_modules/.bin'),
    cwd,
  } as const;
  for (const _ of ['first', 'again']) {
    const demo = start(['demo', '--to', 'kept', '--port', '0'], where);
    await demo.printed(/http:/);
    demo.interrupt();
    expect(await demo.ended).toMatchObject({ status: 0, stdout: expect.stringContaining('Published 13 of 13 fronts') });
    expect(readdirSync(join(cwd, 'kept'))).toEqual(expect.arrayContaining(['catalogue.sqlite', 'out']));
  }
});

const PROGRAM = `
import { AppError, build, diff, openNamedRelease, parseInstant, verify, type BuildOptions } from 'playbill';

const [databasePath = '', outPath = '', ...times]: string[] = JSON.parse(ARGUMENTS);
const options: BuildOptions = {
  databasePath,
  outPath,
  horizonSeconds: 3600,
  frontCodes: null,
  isDryRun: false,
  precompress: [],
  guards: { maxShrink: 0.5, maxBad: 0.05, allow: [], force: false },
  keep: null,
  toolVersion: '1.2.3',
  tzdata: '2026a',
  onProgress: () => undefined,
};
const releases: string[] = [];
for (const time of times) {
  const now = parseInstant(time);
  if (now === undefined) throw new Error(time);
  const { releaseId, outcomes } = await build(options, now);
  releases.push(releaseId ?? '');
  print(outcomes.map(({ code, held }) => [code, held]));
}
const counts = { fronts: 0, editions: 0, bytes: 0, releases: 0 };
for await (const { code } of verify(outPath, counts, () => undefined)) print(code);
print(counts.releases);
const [before, after] = await Promise.all(releases.map((id) => openNamedRelease(id, outPath)));
if (before !== undefined && after !== undefined) print((await diff(before, after, null)).changed.map(({ front }) => front));
try {
  await verify('/no/such/folder', counts, () => undefined).next();
} catch (error) {
  if (error instanceof AppError) print(error.code);
}
`;

test('build, verify and diff are functions with types', () => {
  const database = catalogueAt(
    join(folder, 'c.sqlite'),
    smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' }),
  );
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    // For the URL that zod's types name.
    lib: ['ES2023', 'DOM'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    outDir: 'run',
  };
  writeFileSync(join(installation, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(installation, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts', 'globals.d.ts'] }),
  );
  writeFileSync(
    join(installation, 'globals.d.ts'),
    'declare const ARGUMENTS: string;\ndeclare function print(value: unknown): void;\n',
  );
  writeFileSync(join(installation, 'program.ts'), PROGRAM);
  const compiled = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', installation], { encoding: 'utf8' });
  expect(compiled.stdout).toBe('');
  const given = JSON.stringify([database, join(folder, 'out'), NOW, '2026-05-01T09:30:00Z']);
  const globals = `globalThis.ARGUMENTS=${JSON.stringify(given)};globalThis.print=(value)=>console.log(JSON.stringify(value));`;
  const preload = `data:text/javascript,${encodeURIComponent(globals)}`;
  const argv = ['--import', preload, join(installation, 'run/program.js')];
  const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual([
    '[["alpha",null]]',
    '[["alpha",null]]',
    '2',
    '["alpha"]',
    '"tree-missing"',
  ]);
});
