// Files of settings that somebody else may have written or changed, tried as an attacker would; and
// what must not be taken from a file: commands that nobody asked for, half of a pair.

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { CommandContext } from '../../src/cli/context.ts';
import { followPath } from '../../src/cli/settings/safe-path.ts';
import { inFolder, settingsFolder } from '../support/cli/settings.ts';
import { outputOf } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

/** Somebody else: neither this user nor root. */
const MALLORY = 12_345;

/**
 * As a user who is not the one of the tests: theirs is then a stranger's, unless it is root's. To
 * root, only what is given to somebody else is.
 */
const isRoot = process.getuid?.() === 0;
const me: Partial<CommandContext> = {};

/** Gives a file to somebody else, or makes the command that of somebody else. */
function giveAway(path: string): Partial<CommandContext> {
  if (!isRoot) return { userId: MALLORY };
  chownSync(path, MALLORY, MALLORY);
  return {};
}

describe('a file that others can change is refused', () => {
  test.each<readonly [string, (folder: string) => Partial<CommandContext>, RegExp]>([
    [
      'its group',
      (folder) => (chmodSync(join(folder, 'playbill.json'), 0o664), me),
      /playbill\.json can be written by its group \(mode 664\)/,
    ],
    [
      'everybody',
      (folder) => (chmodSync(join(folder, 'playbill.json'), 0o646), me),
      /playbill\.json can be written by everybody \(mode 646\)/,
    ],
    ['its owner', (folder) => giveAway(join(folder, 'playbill.json')), /playbill\.json.* belongs to user \d+/],
    ['the group of its folder', (folder) => (chmodSync(folder, 0o770), me), /can be written by its group \(mode 770\)/],
    [
      'everybody, by its folder',
      (folder) => (chmodSync(folder, 0o707), me),
      /can be written by everybody \(mode 707\)/,
    ],
    ['the owner of its folder', (folder) => giveAway(folder), /belongs to user \d+/],
    [
      'the group of the folder above',
      (folder) => {
        chmodSync(join(folder, '..'), 0o775);
        return me;
      },
      /\/above can be written by its group \(mode 775\)/,
    ],
  ])('%s', async (_, spoil, found) => {
    const folder = settingsFolder({ horizon: '1h' }, join(temporaryFolder(), 'above', 'folder'));
    chmodSync(join(folder, '..'), 0o755);
    expect(await inFolder(folder, ['config'])).toMatchObject({ code: 0 });
    const changes = spoil(folder);
    for (const words of [['config'], ['config', '--config', join(folder, 'playbill.json')], ['status'], ['build']]) {
      const { code, logged } = await inFolder(folder, words, changes);
      expect([code, logged]).toEqual([2, expect.stringMatching(/^error settings-unsafe: /)]);
      expect(logged).toMatch(found);
      expect(logged).toMatch(/hint: if you trust what is in it: (chown root|chmod go-w) \//);
    }
  });

  test('what the hint says to type mends it', async () => {
    const folder = settingsFolder({ horizon: '1h' });
    chmodSync(join(folder, 'playbill.json'), 0o666);
    chmodSync(folder, 0o777);
    for (const _ of ['the folder', 'the file']) {
      const { logged } = await inFolder(folder, ['config']);
      const [, command = ''] = /in it: (chmod [^;]*);/.exec(logged) ?? [];
      expect(spawnSync('sh', ['-c', command]).status).toBe(0);
    }
    expect((await inFolder(folder, ['config'])).code).toBe(0);
  });
});

describe('links', () => {
  test('one of the user, or of root, is followed, also to a folder', async () => {
    const folder = settingsFolder({ horizon: '1h' });
    const other = temporaryFolder();
    symlinkSync('..data/playbill.json', join(other, 'playbill.json'));
    symlinkSync(folder, join(other, '..data'));
    const { code, printed } = await inFolder(other, ['config']);
    expect([code, printed]).toEqual([0, expect.stringMatching(/^horizon +1h /m)]);
  });

  test('what they lead to counts', async () => {
    const folder = settingsFolder({ horizon: '1h' });
    const other = temporaryFolder();
    symlinkSync(join(folder, 'playbill.json'), join(other, 'playbill.json'));
    chmodSync(folder, 0o777);
    expect((await inFolder(other, ['config'])).logged).toMatch(/settings-unsafe: .* can be written by everybody/);
  });

  test('one in a loop, and one that leads nowhere, are no reason to look further', async () => {
    const folder = temporaryFolder();
    symlinkSync('playbill.json', join(folder, 'playbill.json'));
    const system = settingsFolder({ horizon: '1h' });
    const settingsFolders = [folder, system].map((one) => ({ folder: one, mayRunCommands: true }));
    expect((await outputOf(['config'], { settingsFolders })).logged).toMatch(/^error settings-unreadable: /);
    renameSync(join(folder, 'playbill.json'), join(folder, 'other.json'));
    symlinkSync('nowhere.json', join(folder, 'playbill.json'));
    expect((await outputOf(['config'], { settingsFolders })).logged).toMatch(
      /^error settings-unreadable: .* found none/,
    );
  });

  test('those of somebody else are refused, whatever they lead to', () => {
    // A link has no mode: only its owner could be somebody else.
    const folder = settingsFolder({ horizon: '1h' });
    const trap = temporaryFolder();
    symlinkSync(join(folder, 'playbill.json'), join(trap, 'playbill.json'));
    if (isRoot) spawnSync('chown', ['-h', String(MALLORY), join(trap, 'playbill.json')]);
    const { unsafe } = followPath(join(trap, 'playbill.json'), isRoot ? 0 : MALLORY);
    expect(unsafe?.found).toMatch(/^belongs to user \d+$/);
    if (isRoot) expect(unsafe?.path).toBe(join(trap, 'playbill.json'));
  });
});

test('in a folder that is open to all and sticky, as /tmp is, only the owner of the file counts', async () => {
  const open = temporaryFolder();
  chmodSync(open, 0o1777);
  const folder = settingsFolder({ horizon: '1h' }, open);
  expect((await inFolder(folder, ['config'])).code).toBe(0);
  const changes = giveAway(join(folder, 'playbill.json'));
  expect((await inFolder(folder, ['config'], changes)).logged).toMatch(/settings-unsafe: .*belongs to user/);
});

test('a pipe is not waited for', async () => {
  const folder = temporaryFolder();
  spawnSync('mkfifo', ['-m', '600', join(folder, 'playbill.json')]);
  expect((await inFolder(folder, ['config'])).logged).toMatch(
    /^error settings-unreadable: .* something that is not a file/,
  );
});

test('what a read-only mount shows cannot be changed, whatever its mode, as that of a ConfigMap', () => {
  const folder = settingsFolder({ horizon: '1h' });
  chmodSync(folder, 0o777);
  const mounted = temporaryFolder();
  const mount = spawnSync('mount', ['--bind', '-o', 'ro', folder, mounted]);
  // Only root may mount.
  if (mount.status !== 0) return expect(isRoot).toBe(false);
  onTestFinished(() => void spawnSync('umount', [mounted]));
  expect(followPath(join(mounted, 'playbill.json'), 0).unsafe).toBeNull();
  expect(followPath(join(folder, 'playbill.json'), 0).unsafe).toMatchObject({ path: folder });
});

describe('commands', () => {
  const root = temporaryFolderOfFile();
  const database = join(root, 'c.sqlite');
  const out = join(root, 'out');
  beforeAll(() => {
    const small = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' };
    catalogueAt(database, smallCatalogue(small));
  });

  test('in a file that was merely found are refused, and nothing is written', async () => {
    const folder = settingsFolder({ db: database, out, onPublish: `touch ${root}/taken` });
    const file = join(folder, 'playbill.json');
    const { code, logged } = await inFolder(folder, ['build', '--now', NOW]);
    expect(code).toBe(2);
    expect(logged).toBe(
      `error settings-unsafe: ${file}:4: onPublish: expected a URL, because nobody has named this file, found a command\n` +
        `  hint: if it is yours, name it: --config ${file}, or PLAYBILL_CONFIG; or install it as /etc/playbill/playbill.json`,
    );
    expect([...filesOf(root).keys()]).toEqual(['c.sqlite']);
    // What runs no hook may go on; so may a build whose hook was typed.
    expect((await inFolder(folder, ['check-db'])).code).toBe(0);
    expect((await inFolder(folder, ['build', '--now', NOW, '--on-publish', 'true'])).code).toBe(0);
  });

  test.each(['named', 'in the variable', 'of the system'])(
    'in a file that is %s run, in the folder of the file',
    async (how) => {
      const folder = settingsFolder({ db: database, out: join(temporaryFolder(), 'out'), onPublish: 'pwd > ran' });
      const file = join(folder, 'playbill.json');
      const changes = {
        named: {},
        'in the variable': { environment: (name: string) => (name === 'PLAYBILL_CONFIG' ? file : undefined) },
        'of the system': { settingsFolders: [{ folder, mayRunCommands: true }] },
      }[how];
      const words = ['build', '--now', NOW, ...(how === 'named' ? ['--config', file] : [])];
      expect(await outputOf(words, changes)).toMatchObject({ code: 0, logged: '' });
      expect(filesOf(folder).get('ran')).toBe(`${folder}\n`);
    },
  );

  test('keys run none of them either', async () => {
    const folder = settingsFolder({ db: database, out, onChange: `touch ${root}/taken` });
    const { code, logged } = await inFolder(folder, ['keys', 'revoke', 'alpha-site']);
    expect([code, logged]).toEqual([2, expect.stringContaining('settings-unsafe')]);
    expect((await inFolder(folder, ['keys', 'list'])).printed).toMatch(/alpha-site .* valid /);
  });
});

describe('--db and --out belong together', () => {
  const folder = join(temporaryFolderOfFile(), 'both');
  const settings = { db: 'live.sqlite', out: 'live' };
  const environmentOf = (values: Readonly<Record<string, string>>) => ({
    environment: (name: string): string | undefined => values[name],
  });
  const PAIRS: readonly (readonly [string, readonly string[]])[] = [
    ['build', []],
    ['keys revoke', ['alpha-site']],
    ['keys issue', ['--front', 'alpha', '--to', '/nowhere/key']],
    ['preview', []],
  ];

  test.each(PAIRS)('%s takes the other of what was given from the file: refused', async (command, words) => {
    settingsFolder(settings, folder);
    const [db, out] = [join(folder, 'live.sqlite'), join(folder, 'live')];
    const run = (more: readonly string[], changes = {}) =>
      inFolder(folder, [...command.split(' '), ...words, ...more], changes);
    for (const [more, changes, message, hint] of [
      [['--db', 'trial.sqlite'], {}, 'expected --out with --db, found it in', `--out ${out}`],
      [['--out', 'trial'], {}, 'expected --db with --out, found it in', `--db ${db}`],
      [
        [],
        environmentOf({ PLAYBILL_DB: 'trial.sqlite' }),
        'expected --out with PLAYBILL_DB, found it in',
        `--out ${out}`,
      ],
      [[], environmentOf({ PLAYBILL_OUT: 'trial' }), 'expected --db with PLAYBILL_OUT, found it in', `--db ${db}`],
    ] as const) {
      const { code, logged } = await run(more, changes);
      expect([code, logged]).toEqual([
        2,
        expect.stringContaining(`error settings-mixed: ${message} ${folder}/playbill.json:`),
      ]);
      expect(logged).toContain(`hint: type it as well; that of the file is ${hint}`);
    }
    expect([...filesOf(folder).keys()]).toEqual(['playbill.json']);
  });

  test('both given, one in each way, or both from the file: right', async () => {
    settingsFolder(settings, folder);
    const given = ['--db', 'trial.sqlite', '--out', 'trial'];
    expect((await inFolder(folder, ['build', ...given])).logged).toContain('database-missing');
    const mixed = await inFolder(folder, ['build', ...given.slice(2)], environmentOf({ PLAYBILL_DB: 'trial.sqlite' }));
    expect(mixed.logged).toContain('database-missing');
    expect((await inFolder(folder, ['build'])).logged).toContain(`live.sqlite is db in `);
    // What the file says may be typed.
    for (const typed of [
      ['--db', join(folder, 'live.sqlite')],
      ['--out', join(folder, '../both/live')],
    ])
      expect((await inFolder(folder, ['build', ...typed])).logged).toContain('database-missing');
  });

  test('a command that uses one of them takes it alone', async () => {
    settingsFolder(settings, folder);
    for (const words of [['status'], ['status', '--out', 'trial'], ['check-db', '--db', 'trial.sqlite']])
      expect((await inFolder(folder, words)).logged).toMatch(/^error (tree|database)-missing/);
  });
});

test('a file that is a hard link of somebody else’s is theirs', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'theirs'), '{}');
  mkdirSync(join(folder, 'mine'));
  linkSync(join(folder, 'theirs'), join(folder, 'mine/playbill.json'));
  const changes = giveAway(join(folder, 'theirs'));
  expect((await inFolder(join(folder, 'mine'), ['config'], changes)).logged).toMatch(
    /settings-unsafe: .*belongs to user/,
  );
});

describe('a folder that this user may not enter', () => {
  /** Runs as a user who may do nothing in the folders of this one; root alone can. */
  const asNobody = async <T>(run: () => Promise<T>): Promise<T> => {
    if (isRoot) process.seteuid?.(65_534);
    try {
      return await run();
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  };

  test('as the current one has no file: it is the home of whoever typed sudo -u', async () => {
    const folder = settingsFolder({ horizon: '1h' });
    chmodSync(folder, 0o000);
    const { code, printed } = await asNobody(() => inFolder(folder, ['config']));
    expect([code, printed]).toEqual([0, expect.stringMatching(/^horizon +6h +default$/m)]);
  });

  test('as that of the system is an error', async () => {
    const folder = settingsFolder({ horizon: '1h' });
    chmodSync(folder, 0o000);
    const settingsFolders = [{ folder, mayRunCommands: true }];
    const { code, logged } = await asNobody(() => outputOf(['config'], { settingsFolders }));
    expect([code, logged]).toEqual([2, expect.stringMatching(/^error settings-unreadable: .* permission denied/)]);
  });
});
