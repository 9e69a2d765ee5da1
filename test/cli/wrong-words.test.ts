// What is typed wrongly, and what the command says to it: what was expected and found, and what to
// type.

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { compiledCommand } from '../support/compiled.ts';
import { outputOf } from '../support/cli/run.ts';
import { AS_ANYONE, Command } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const command = new Command();
const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' });
const database = join(root, 'small.sqlite');
const tree = join(root, 'tree');

beforeAll(async () => {
  catalogueAt(database, rows);
  await buildTree(database, tree, instant(NOW));
});

describe('an operand that a command does not take', () => {
  test.each([
    [['verify', 'the tree'], "type --out 'the tree'; see playbill verify --help"],
    [['build', 'out'], 'type --db out or --out out; see playbill build --help'],
    [['keys', 'list', 'out'], 'type --db out; see playbill keys list --help'],
    [['openapi', 'x'], 'see playbill openapi --help'],
  ])('%j', async (argv, hint) => {
    const { code, logged } = await outputOf(argv);
    expect(code).toBe(2);
    expect(logged).toMatch(/^error usage: too many arguments/);
    expect(logged).toContain(`\n  hint: ${hint}`);
  });
});

test('an error of the system is shown in words, without its code', async () => {
  const missing = join(root, 'missing');
  const { logged } = await outputOf(['import', missing, '--db', join(root, 'new.sqlite')]);
  expect(logged).toMatch(/^error import-file-unreadable: .* found: no such file or directory '.*missing'\n/);
  const folder = await outputOf(['openapi', '--schemas', database]);
  expect(folder.logged).toContain(`expected a folder at ${database}, found: file already exists '${database}'`);
  const key = await outputOf(['sign', 'https://x.example/', '--key', root]);
  expect(key.logged).toContain(`expected a key as JSON in ${root}, found: illegal operation on a directory\n`);
});

test.each([
  [['demo', '--to', database], '--to'],
  [['edge', 'build', '--target', 'worker', '--out', tree, '--to', database], '--to'],
  [['openapi', '--schemas', database], '--schemas'],
  [['build', '--db', database, '--out', database], '--out'],
])('%j: the hint names the flag that was given', async (argv, flag) => {
  const { code, logged } = await outputOf(argv);
  expect(code).toBe(6);
  expect(logged).toContain(`expected a folder at ${database}, found`);
  expect(logged).toMatch(new RegExp(`\n  hint: .*with ${flag}$`));
});

test('a folder that may not be written is named by the flag of demo, not by those of what it runs', async () => {
  const folder = join(root, 'read-only');
  mkdirSync(folder, { mode: 0o555 });
  const { code, stderr } = await command.run(['demo', '--to', folder, '--port', '0'], { through: AS_ANYONE });
  expect(code).toBe(6);
  expect(stderr).toMatch(/^error tree-not-writable: .*: permission denied .*\n {2}hint: .* with --to\n$/);
});

test('a WAL database in a folder that may not be written: the hint is not that of a damaged file', async () => {
  const folder = join(root, 'not-mine');
  mkdirSync(folder);
  const path = catalogueAt(join(folder, 'wal.sqlite'), rows);
  chmodSync(folder, 0o555);
  const { code, stderr } = await command.run(['build', '--db', path, '--out', join(root, 'w')], { through: AS_ANYONE });
  chmodSync(folder, 0o755);
  expect(code).toBe(2);
  expect(stderr).toContain(`error database-unreadable: ${path} cannot be opened: `);
  expect(stderr).toContain('beside a database in WAL mode SQLite writes a -shm file');
  expect(stderr).not.toContain('integrity_check');
});

test('a catalogue that this account may not read: whose it is', async () => {
  const path = catalogueAt(join(root, 'of-root.sqlite'), rows);
  chmodSync(path, 0);
  const { code, stderr } = await command.run(['check-db', '--db', path], { through: AS_ANYONE });
  expect(code).toBe(2);
  expect(stderr).toBe(
    `error database-unreadable: ${path} cannot be opened: permission denied\n  hint: run as an account that may read it: the file is of user ${process.getuid?.()}, with mode 0\n`,
  );
});

test('a database given to import is named as one, with how to export it', async () => {
  const to = join(root, 'new.sqlite');
  const { code, logged } = await outputOf(['import', database, '--db', to]);
  expect(code).toBe(2);
  expect(logged).toBe(
    `error import-file-unreadable: expected rows as text in ${database}, found an SQLite database\n` +
      `  hint: export its rows: playbill export --db FILE | playbill import - --db ${to}`,
  );
});

test.each(['ftp://cdn.example/secret', 'FILE:///etc/secret', 'git+ssh://x/secret'])(
  '--on-publish %s is a URL that cannot be called, not a command; it is not printed',
  async (url) => {
    const { code, logged } = await outputOf(['build', '--db', database, '--out', tree, '--on-publish', url]);
    expect(code).toBe(2);
    expect(logged).toContain('error on-publish-invalid: --on-publish: expected a command or a URL, found a URL');
    expect(logged).not.toContain('secret');
  },
);

describe('keys', () => {
  test('a read-only database is refused as what cannot be changed, and no key file stays', async () => {
    const path = catalogueAt(join(root, 'read-only.sqlite'), rows);
    chmodSync(path, 0o444);
    const to = join(root, 'key.json');
    const argv = ['keys', 'issue', '--front', 'alpha', '--db', path, '--to', to];
    const { code, stderr } = await command.run(argv, { through: AS_ANYONE });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error database-not-writable: .*; nothing is changed$/m);
    expect(existsSync(to)).toBe(false);
  });

  test('list says since when, or from when, a key is revoked', async () => {
    const path = catalogueAt(join(root, 'keys.sqlite'), rows);
    const keys = (...argv: readonly string[]) => outputOf(['keys', ...argv, '--db', path]);
    const out = ['--out', join(root, 'no-tree')];
    const dates = ['--not-before', NOW, '--not-after', '2027-05-01T09:00:00Z'];
    await keys('issue', '--front', 'alpha', '--keyid', 'later', ...dates, ...out);
    await keys('revoke', 'alpha-site', '--at', '2026-05-01T08:00:00Z', ...out);
    await keys('revoke', 'later', '--at', '2026-06-01T08:00:00Z', ...out);
    const { printed } = await keys('list');
    expect(printed.replaceAll(/\n +/g, ' ').split('\n')).toEqual([
      'alpha-site front alpha, alg hmac-sha256, state revoked, dates revoked from 2026-05-01 08:00Z',
      'later front alpha, alg ecdsa-p256-sha256, state valid, ' +
        'dates from 2026-05-01 09:00Z, revoked from 2026-06-01 08:00Z',
    ]);
    for (const line of printed.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('issue of an hmac key says where its secret may come from', async () => {
    const path = catalogueAt(join(root, 'hmac.sqlite'), rows);
    const hmac = ['--alg', 'hmac-sha256', '--secret-ref', 'PLAYBILL_ALPHA', '--out', join(root, 'no-tree')];
    const { code, logged } = await outputOf(['keys', 'issue', '--front', 'alpha', ...hmac, '--db', path]);
    expect(code).toBe(0);
    expect(logged).toContain(
      'set it at the edge under the name PLAYBILL_ALPHA:\n  openssl rand -base64 32\nEach edge needs the secret',
    );
    // It has no private half: the secret is the client's and the edge's.
    expect(logged).not.toContain('only copy');
  });
});

describe('help', () => {
  test('of a command that does not exist is refused with what is near', async () => {
    const { code, logged } = await outputOf(['help', 'biuld']);
    expect(code).toBe(2);
    expect(logged).toBe("error usage: unknown command 'biuld' (Did you mean build?)\n  hint: see playbill --help");
  });

  test('of a word that a command does not have is refused, too', async () => {
    const { code, logged } = await outputOf(['help', 'keys', 'isue', '--json']);
    expect(code).toBe(2);
    expect(logged).toBe("error usage: unknown command 'isue' (Did you mean issue?)\n  hint: see playbill keys --help");
  });

  test('of two words that name a command is its own', async () => {
    const { status, stdout } = await runDeafOnStderr(['help', 'keys', 'issue']);
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: playbill keys issue');
  });

  test('of help is that of the program', async () => {
    const { status, stdout } = await runDeafOnStderr(['help', 'help']);
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: playbill [options] [command]');
  });

  test('runs nothing, whatever stands behind it', async () => {
    const { status, stdout } = await runDeafOnStderr(['help', '--', 'verify', '--out', tree]);
    expect([status, stdout]).toEqual([2, '']);
  });

  test('of one that exists is printed', async () => {
    const { status, stdout } = await runDeafOnStderr(['help', 'verify']);
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: playbill verify');
  });
});

test('a reader of stderr that goes away is no failure', async () => {
  const argv = ['show', '--front', 'alpha', '--endpoint', 'products', '--out', tree];
  // Before its snapshot: that is a note on stderr.
  const { status, stdout } = await runDeafOnStderr([...argv, '--at', '2020-01-01T00:00:00Z']);
  expect(stdout).toContain('productCards');
  expect(status).toBe(0);
});

/** The command as installed, its stderr closed by the reader. */
async function runDeafOnStderr(argv: readonly string[]): Promise<{ status: number | null; stdout: string }> {
  const child = spawn(process.execPath, [compiledCommand(), ...argv]);
  child.stderr.destroy();
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, stdout };
}
