// The locks of trees and of imports: who can take one, what else may be at its path, and what is
// said of it.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canLockBeside, lockFile, whyBusy, type FileLock } from '../../src/file-lock.ts';
import { lockKeyRing, lockTree } from '../../src/storage/folder/lock.ts';
import { temporaryFolder } from '../support/trees.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Takes a lock until the test ends. */
function taken(path: string): FileLock {
  const lock = lockFile(path);
  if (lock.kind === 'taken') onTestFinished(() => lock.release());
  return lock;
}

/**
 * Another process with a lock on a file: for reading, as anyone can put on a file that he can open,
 * or for writing.
 */
async function lockedByAnother(path: string, kind: 'read' | 'write'): Promise<ChildProcess> {
  const script = `
    import Database from '${import.meta.resolve('better-sqlite3')}';
    const handle = new Database(process.argv[1], { readonly: ${kind === 'read'} });
    handle.exec('${kind === 'read' ? 'begin; select count(*) from sqlite_schema' : 'pragma journal_mode = memory; begin exclusive'}');
    console.log('locked');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

describe('only its owner may read a lock file', () => {
  test.each([0o000, 0o022, 0o077])('when it is made, under umask %o', (umask) => {
    const before = process.umask(umask);
    onTestFinished(() => void process.umask(before));
    const path = join(temporaryFolder(), '.lock');
    expect(taken(path).kind).toBe('taken');
    expect(modeOf(path)).toBe(0o600);
  });

  test.each([0o644, 0o666, 0o640])('when an existing one of mode %o is taken', (mode) => {
    const path = join(temporaryFolder(), '.lock');
    writeFileSync(path, '');
    chmodSync(path, mode);
    expect(taken(path).kind).toBe('taken');
    expect(modeOf(path)).toBe(0o600);
  });

  test('also those of a tree', () => {
    const out = join(temporaryFolder(), 'out');
    lockTree(out).release();
    expect(readdirSync(out).map((name) => [name, modeOf(join(out, name))])).toEqual([['.lock', 0o600]]);
  });
});

describe('a lock that another process has', () => {
  test.each(['read', 'write'] as const)('to %s is busy, and the process is named', async (kind) => {
    const folder = temporaryFolder();
    const path = join(folder, '.lock');
    writeFileSync(path, '');
    const holder = await lockedByAnother(path, kind);
    expect(lockFile(path)).toEqual({ kind: 'busy' });
    expect(whyBusy(path)).toEqual({ kind: 'held', pid: String(holder.pid) });
    expect(() => lockTree(folder)).toThrow(`another run is writing ${folder}: process ${holder.pid}`);
    expect(readdirSync(folder)).toEqual(['.lock']);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(taken(path).kind).toBe('taken');
  });

  test('is told from a file system without locks by a file that is gone afterwards', () => {
    const folder = temporaryFolder();
    expect(canLockBeside(join(folder, '.lock'))).toBe(true);
    expect(canLockBeside(join(folder, 'missing', '.lock'))).toBe(null);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('at the path of a lock', () => {
  test.each<[what: string, put: (path: string) => void, found: string, command: string]>([
    ['a few bytes', (path) => writeFileSync(path, 'not empty'), 'a file with something else in it', 'rm'],
    ['pages of bytes', (path) => writeFileSync(path, 'x'.repeat(9000)), 'a file with something else in it', 'rm'],
    ['a folder', (path) => mkdirSync(path), 'a folder', 'rm -r'],
    ['a link to a file', (path) => symlinkSync(import.meta.filename, path), 'a symbolic link', 'rm'],
    ['a link to nothing', (path) => symlinkSync('missing', path), 'a symbolic link', 'rm'],
    ['a pipe', (path) => execFileSync('mkfifo', [path]), 'something that is not a file', 'rm'],
  ])('%s is refused, by an error that says how to remove it', async (_, put, found, command) => {
    const out = temporaryFolder();
    const keyRingPath = join(out, '.lock-keyring');
    put(keyRingPath);
    await expect(lockKeyRing(out)).rejects.toMatchObject({
      code: 'tree-not-writable',
      message: `expected a lock file at ${keyRingPath}, found ${found}`,
    });
    const path = join(out, '.lock');
    put(path);
    const hint = `remove it while no command is writing: ${command} ${path}`;
    expect(lockFile(path)).toEqual({ kind: 'obstructed', found, hint });
    const error = { code: 'tree-not-writable', message: `expected a lock file at ${path}, found ${found}`, hint };
    expect(() => lockTree(out)).toThrow(expect.objectContaining(error));
    expect(existsSync(join(out, 'missing'))).toBe(false);
  });
});
