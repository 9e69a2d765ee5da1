// The archive as npm and those who install it see it: what is in it, what can be imported by its
// name, and that its types fit.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, expect, test } from 'vitest';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { installArchive, packCheckout } from '../support/packed/installed.ts';
import { start } from '../support/packed/runs.ts';
import { launch } from '../support/preview-stage.ts';
import { catalogueAt, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolderOfFile();
let archive = '';
/** Of playbill-client. */
let clientArchive = '';
let installation = '';

beforeAll(() => {
  archive = packCheckout(folder);
  clientArchive = pack(join(folder, 'source/dist-client'));
  installation = installArchive(archive, folder);
});

function pack(cwd: string): string {
  const { stdout } = spawnSync('npm', ['pack', '--silent'], { cwd, encoding: 'utf8' });
  return join(cwd, stdout.trim());
}

const bytesOf = (path: string): ArrayBuffer => new Uint8Array(readFileSync(path)).buffer;

async function lintOf(tarball: ArrayBuffer): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

test('publint has nothing to say', async () => {
  expect(await lintOf(bytesOf(archive))).toEqual([]);
  expect(await lintOf(bytesOf(clientArchive))).toEqual([]);
});

test('publint has something to say of a package whose exports name a missing file', async () => {
  const broken = temporaryFolder();
  const exports = { '.': './missing.js' };
  writeFileSync(join(broken, 'package.json'), JSON.stringify({ name: 'broken', version: '1.0.0', exports }));
  expect(await lintOf(bytesOf(pack(broken)))).toContainEqual(expect.stringContaining('missing.js'));
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

test('the guides are in it, and no source', () => {
  const packed = join(installation, 'node_modules/playbill');
  const files = readdirSync(packed, { recursive: true, encoding: 'utf8' });
  const top = ['LICENSE', 'README.md', 'data', 'dist', 'package.json', 'scripts'];
  expect(readdirSync(packed).toSorted()).toEqual(top);
  expect(files).toEqual(
    expect.arrayContaining([
      'data/operating.md',
      'data/schema.sql',
      'data/schema-postgres.sql',
      'scripts/recipes/alerts.yml',
    ]),
  );
  expect(files.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
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
    await page.waitForSelector('article');
    expect(await page.locator('article').count()).toBeGreaterThan(20);
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
  pruneGraceSeconds: null,
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
