// The packed command: every command of it in a pipe and on a pseudo-terminal, on this Node.js, the
// oldest and the newest; a Node.js that is too old; a driver that does not load.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandsOf } from '../../scripts/commands.ts';
import { testContext } from '../support/cli/parser.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { runEveryCommand } from '../support/packed/every-command.ts';
import { installPacked } from '../support/packed/installed.ts';
import { compiledCommand } from '../support/compiled.ts';
import { OTHER_NODES } from '../support/nodes.ts';
import { sample } from '../speeds.ts';
import { recipe } from '../support/recipe.ts';
import { PLACES, start } from '../support/packed/runs.ts';

const thisNode = dirname(process.execPath);
const folder = temporaryFolderOfFile();
let installation = '';

beforeAll(() => {
  installation = installPacked(folder);
}, 600_000);

const binOf = (root: string): string => join(root, 'node_modules/.bin');

const VERSIONS = ['this', 22, 26] as const;
// Each version once, and both places.
const RUNS = sample(
  PLACES.flatMap((place) => VERSIONS.map((version) => [place, version] as const)),
  2,
);
test.each(RUNS)('every command, %s, on Node.js: %s', async (place, version) => {
  const commands = commandsOf(testContext()).map(({ words }) => words.join(' '));
  const node = version === 'this' ? thisNode : OTHER_NODES[version];
  const where = { place, node, bin: binOf(installation), cwd: temporaryFolder() };
  const done = await runEveryCommand(where, commands);
  // Taken from the program itself: a command without a run here is one that nobody has tried.
  expect([...done].toSorted()).toEqual(commands.toSorted());
});

describe.each(PLACES)('a Node.js that is too old, %s', (place) => {
  test.each([18, 20] as const)('%d is refused in one line', async (version) => {
    const where = { place, node: OTHER_NODES[version], bin: binOf(installation), cwd: temporaryFolder() };
    for (const argv of [['build'], ['check-db', '--json'], ['--version']]) {
      const { status, stdout, stderr } = await start(argv, where).ended;
      expect(status).toBe(2);
      const text = place === 'in a pipe' ? stderr : stdout.replace('\r\n', '\n');
      expect(text).toMatch(
        new RegExp(
          `^Playbill needs Node\\.js 22\\.14 or newer \\(not 23\\), and this is ${version}\\.[\\d.]+: [^\\n]+\\n$`,
        ),
      );
    }
  });
});

test('a checkout that has brought a Node.js says how to use it, as the recipes do', () => {
  const checkout = join(temporaryFolder(), 'playbill');
  const brought = join(checkout, '.node/node_modules/.bin');
  cpSync(dirname(dirname(dirname(compiledCommand()))), checkout, { recursive: true, verbatimSymlinks: true });
  mkdirSync(brought, { recursive: true });
  symlinkSync(process.execPath, join(brought, 'node'));
  const main = join(checkout, 'dist/cli/main.js');
  const refused = spawnSync(join(OTHER_NODES[20], 'node'), [main, '--version'], { encoding: 'utf8' });
  expect(refused.status).toBe(2);
  const [, hint = ''] = /^Playbill needs .*\n {2}hint: .*\n([^]*)$/.exec(refused.stderr) ?? [];

  // What the README of the recipes has as /usr/local/bin/playbill, for this checkout.
  const [, ofReadme = ''] = /\n(#!\/bin\/sh\nexec .*\n)/.exec(recipe('README.md')) ?? [];
  const script = ofReadme.replaceAll('/opt/playbill', checkout);
  expect(hint.replaceAll(/^ {4}/gm, '')).toBe(script);
  const command = join(checkout, 'playbill');
  writeFileSync(command, script, { mode: 0o755 });
  const environment = { PATH: `${OTHER_NODES[20]}:/usr/bin:/bin` };
  const done = spawnSync(command, ['--version'], { env: environment, encoding: 'utf8' });
  expect(done).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) as string });
});

describe('a driver that does not load', () => {
  const prebuilt = 'node_modules/better-sqlite3/prebuilds';
  let broken = '';

  async function expectRefusal(argv: readonly string[], found: RegExp): Promise<void> {
    const where = { place: 'in a pipe', node: thisNode, bin: binOf(broken), cwd: temporaryFolder() } as const;
    const { status, stdout, stderr } = await start(argv, where).ended;
    expect({ status, stdout, stderr }, argv.join(' ')).toMatchObject({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^error driver-unusable: expected an SQLite driver that loads, found: .*\n {2}hint: .*\n$/);
    expect(stderr).toMatch(found);
    expect(stderr).toContain('npm rebuild better-sqlite3');
  }

  /**
   * Where each command begins with the driver: a catalogue that is there, a new one, a tree's lock.
   */
  async function expectRefusals(found: RegExp): Promise<void> {
    const tree = join(temporaryFolder(), 'out');
    mkdirSync(join(tree, 'releases'), { recursive: true });
    const database = join(tree, 'c.sqlite');
    writeFileSync(database, '');
    await expectRefusal(['check-db', '--db', database], found);
    await expectRefusal(['build', '--db', database, '--out', tree], found);
    await expectRefusal(['import', '/dev/null', '--db', join(tree, 'new.sqlite')], found);
    await expectRefusal(['prune', '--out', tree], found);
  }

  beforeAll(() => {
    broken = join(folder, 'broken');
    cpSync(installation, broken, { recursive: true, verbatimSymlinks: true });
  });

  test('because it is damaged', async () => {
    const platform = `${process.platform}-${process.arch}`;
    truncateSync(join(broken, prebuilt, `${platform}.node`), 100);
    await expectRefusals(/prebuilds\/.*\.node: /);
  });

  test('because there is none for this machine', async () => {
    rmSync(join(broken, prebuilt), { recursive: true });
    await expectRefusals(/Cannot find module .*better_sqlite3\.node/);
  });

  test('because the package is missing', async () => {
    rmSync(join(broken, 'node_modules/better-sqlite3'), { recursive: true });
    await expectRefusal(['import', '/dev/null'], /Cannot find package 'better-sqlite3'/);
  });
});
