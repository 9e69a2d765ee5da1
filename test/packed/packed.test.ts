// The packed command: every command of it in a pipe and on a pseudo-terminal, on this Node.js, the oldest and the newest; a Node.js that
// is too old; a driver that does not load.

import { cpSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commandsOf, testContext } from '../support/cli/parser.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { runEveryCommand } from '../support/packed/every-command.ts';
import { installPacked } from '../support/packed/installed.ts';
import { OTHER_NODES } from '../support/nodes.ts';
import { PLACES, start } from '../support/packed/runs.ts';

const thisNode = dirname(process.execPath);
const folder = temporaryFolderOfFile();
let installation = '';

beforeAll(() => {
  installation = installPacked(folder);
}, 600_000);

const binOf = (root: string): string => join(root, 'node_modules/.bin');

describe.each(PLACES)('every command, %s', (place) => {
  test.each(['this', 22, 26] as const)('on Node.js: %s', async (version) => {
    const commands = commandsOf(testContext()).map(({ words }) => words.join(' '));
    const node = version === 'this' ? thisNode : OTHER_NODES[version];
    const where = { place, node, bin: binOf(installation), cwd: temporaryFolder() };
    const done = await runEveryCommand(where, commands);
    // Taken from the program itself: a command without a run here is one that nobody has tried.
    expect([...done].toSorted()).toEqual(commands.toSorted());
  });
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

  /** Where each command begins with the driver: a catalogue that is there, a new one, a tree's lock. */
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
