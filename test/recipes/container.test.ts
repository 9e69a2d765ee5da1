// The container file: its form, then its instructions carried out one by one in clean folders, one
// per stage. No container is needed, and no network: where it installs packages, those of this
// checkout that the lock file names take their place.

import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { productionPackages } from '../support/packed/installed.ts';
import { currentName } from '../support/manifests.ts';
import { recipe, run, withSettings } from '../support/recipe.ts';

const projectRoot = fileURLToPath(new URL('../../', import.meta.url));
const text = recipe('Containerfile');

/** Instructions, continued lines joined, `${NODE_VERSION}` left as it is. */
const instructions = text
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', words = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return { name, words };
  });

const ofLast = (name: string): string => instructions.findLast((one) => one.name === name)?.words ?? '';

test('its form is right, and a wrong one would be seen', () => {
  expect(validate(text)).toEqual([]);
  expect(validate(text.replace('WORKDIR /app', 'WORKDIR')).length).toBeGreaterThan(0);
  expect(validate(text.replace('COPY src src', 'COPPY src src')).length).toBeGreaterThan(0);
});

test('the image is of a named version, runs without root and without a shell, and has no compiler', () => {
  const stages = instructions.filter(({ name }) => name === 'FROM').map(({ words }) => words);
  for (const stage of stages) expect(stage).toMatch(/^node:\$\{NODE_VERSION\}-bookworm(-slim)?( AS [a-z]+)?$/);
  expect(text).toMatch(/^ARG NODE_VERSION=24$/m);
  expect(stages.at(-1)).toMatch(/-slim$/);
  const [uid, gid] = ofLast('USER').split(':').map(Number);
  expect(uid).toBeGreaterThan(0);
  expect(gid).toBeGreaterThan(0);
  expect(JSON.parse(ofLast('ENTRYPOINT'))).toHaveLength(2);
  const cronJob = recipe('cronjob.yaml');
  expect(cronJob).toContain(`runAsUser: ${uid}`);
});

test('carried out step by step, it makes a command that builds as an unprivileged user', async () => {
  const root = temporaryFolderOfFile();
  chmodSync(root, 0o755);
  const folders = new Map<string, string>();
  let stage = '';
  let workdir = '/';
  const here = (path: string): string => join(stage, path.startsWith('/') ? path : join(workdir, path));
  const environment = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: root, npm_config_offline: 'true' };
  for (const { name, words } of instructions) {
    if (name === 'FROM') {
      const alias = / AS (\w+)$/.exec(words)?.[1] ?? 'image';
      stage = join(root, alias);
      mkdirSync(stage);
      folders.set(alias, stage);
      workdir = '/';
    } else if (name === 'WORKDIR') {
      workdir = words;
      mkdirSync(here('.'), { recursive: true });
    } else if (name === 'COPY') {
      const from = /^--from=(\w+) /.exec(words)?.[1];
      const source = from === undefined ? projectRoot : (folders.get(from) ?? '');
      const paths = words.replace(/^--from=\w+ /, '').split(' ');
      copy(source, paths.slice(0, -1), here(paths.at(-1) ?? ''), (paths.at(-1) ?? '').endsWith('/'));
    } else if (name === 'RUN' && words.startsWith('npm ci ')) {
      installPackages(here('node_modules'), words.includes('--omit=dev'));
    } else if (name === 'RUN') {
      const done = await run(['sh', '-c', words], environment, { cwd: here('.') });
      expect(done.status, `${words}\n${done.stdout}\n${done.stderr}`).toBe(0);
    }
  }
  // The package, and what it depends on.
  const packaged = readdirSync(join(root, 'command/project/dist-package'));
  expect(packaged).toEqual(expect.arrayContaining(['dist', 'package.json', 'THIRD-PARTY-NOTICES']));
  expect(readdirSync(join(stage, 'app')).toSorted()).toEqual([...packaged, 'node_modules'].toSorted());
  expect(existsSync(join(stage, 'app/node_modules/typescript'))).toBe(false);

  const work = join(root, 'volume');
  mkdirSync(work);
  chmodSync(work, 0o777);
  const small = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' };
  writeFileSync(
    join(work, 'rows.ndjson'),
    smallCatalogue(small)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  );
  const entry = (JSON.parse(ofLast('ENTRYPOINT')) as string[]).map((word) =>
    word.startsWith('/') ? join(stage, word) : word,
  );
  const [uid = 0, gid = 0] = ofLast('USER').split(':').map(Number);
  const as = process.getuid?.() === 0 ? { uid, gid } : {};
  const playbill = async (words: readonly string[]): Promise<string> => {
    const done = await run([...entry, ...words], { ...environment, HOME: '/' }, { cwd: work, ...as });
    expect(done.status, `${words.join(' ')}\n${done.stderr}`).toBe(0);
    return done.stdout;
  };
  expect(await playbill(JSON.parse(ofLast('CMD')) as string[])).toContain('Usage: playbill');
  await playbill(['import', 'rows.ndjson', '--db', 'catalogue.sqlite']);
  // As with -v /etc/playbill:/etc/playbill:ro: the file is root's, or of whoever runs the tests.
  const settings = join(root, 'etc');
  mkdirSync(settings, { mode: 0o755 });
  Object.assign(environment, withSettings(recipe('playbill.json'), settings, { '/var/lib/playbill': work }));
  expect(await playbill(['build', '--now', NOW])).toContain('Published 1 of 1 front ');
  const byHand = ['build', '--now', NOW, '--db', join(work, 'catalogue.sqlite'), '--out', join(root, 'by-hand')];
  const typed = await run([...entry, ...byHand, '--precompress', 'gzip'], { PATH: environment.PATH });
  expect(typed.status, typed.stderr).toBe(0);
  expect(currentName(join(work, 'out'))).toBe(currentName(join(root, 'by-hand')));
  expect(await playbill(['verify'])).toContain('0 errors, 0 warnings');
  await playbill(['edge', 'build', '--target', 'worker', '--out', 'out', '--to', 'edge']);
  if (process.getuid?.() === 0) expect(statSync(join(work, 'out/releases/current')).uid).toBe(uid);
});

/** COPY: a folder's contents, or files, into a place of the stage. */
function copy(source: string, paths: readonly string[], target: string, isFolder: boolean): void {
  for (const path of paths.flatMap((each) => (each.includes('*') ? globSync(each, { cwd: source }) : each))) {
    const from = join(source, path);
    const isInto = isFolder && statSync(from).isFile();
    mkdirSync(dirname(target), { recursive: true });
    cpSync(from, isInto ? join(target, basename(path)) : target, { recursive: true });
  }
}

/** The packages that the lock file names, from this checkout's folder of them. */
function installPackages(target: string, isWithoutDevelopment: boolean): void {
  if (!isWithoutDevelopment) {
    symlinkSync(join(projectRoot, 'node_modules'), target);
    return;
  }
  const names = productionPackages();
  expect(names).toContain('node_modules/better-sqlite3');
  for (const path of names) cpSync(join(projectRoot, path), join(dirname(target), path), { recursive: true });
}
