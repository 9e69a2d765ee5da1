// Whatever umask a run has, a web server of another user can read the tree, and nobody else can
// write it; what is private stays so.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compiledCommand } from '../support/compiled.ts';
import { richCatalogue } from '../support/fault/rich-catalogue.ts';
import { catalogueAt, temporaryFolder } from '../support/trees.ts';

/** Locks are for the account that writes the tree alone. */
const isLock = (path: string): boolean => /(^|\/)\.lock/.test(path);

/** What is in a folder, and the folder itself: each kind with its mode. */
function modesIn(folder: string): string[] {
  const modes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    if (isLock(path)) return [];
    const stats = statSync(join(folder, path));
    return [`${stats.isDirectory() ? 'folder' : 'file'} ${(stats.mode & 0o7777).toString(8)}`];
  });
  return [...new Set([...modes, `root ${(statSync(folder).mode & 0o7777).toString(8)}`])].sort();
}

const PUBLIC = ['file 644', 'folder 755', 'root 755'];

describe.each(['000', '022', '077'])('umask %s', (umask) => {
  const playbill = (...words: string[]): void => {
    const through = ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, compiledCommand()];
    const { status, stderr } = spawnSync('sh', [...through, ...words], { encoding: 'utf8' });
    expect({ status, stderr: status === 0 ? '' : stderr }, words.join(' ')).toEqual({ status: 0, stderr: '' });
  };

  test('a tree, and the folders above it that were made for it', () => {
    const here = temporaryFolder();
    const database = catalogueAt(join(here, 'x.sqlite'), richCatalogue(['alpha', 'bravo']));
    const out = join(here, 'new/www/out');
    const at = (time: string): string[] => ['--db', database, '--out', out, '--now', `2026-05-01T${time}Z`];
    const metrics = join(here, 'playbill.prom');
    playbill('build', ...at('09:00:00'), '--precompress', 'gzip', '--prometheus', metrics);
    expect(modesIn(out)).toEqual(PUBLIC);
    expect(modesIn(join(here, 'new'))).toEqual(PUBLIC);
    expect(statSync(metrics).mode & 0o777).toBe(0o644);

    const key = join(here, 'alpha.key.json');
    playbill('keys', 'issue', '--front', 'alpha', '--to', key, '--db', database, '--out', out);
    expect(statSync(key).mode & 0o077).toBe(0);
    playbill('build', ...at('12:00:00'), '--precompress', 'gzip');
    playbill('build', ...at('12:10:00'), '--precompress', 'gzip', '--shard', '0/1', '--run', 'one');
    playbill('finish', '--run', 'one', '--shards', '1', '--out', out);
    const [first = ''] = readdirSync(join(out, 'releases')).filter((name) => name.endsWith('.json'));
    playbill('rollback', first.replace('.json', ''), '--out', out);
    expect(existsSync(join(out, 'releases/hold'))).toBe(true);
    expect(modesIn(out)).toEqual(PUBLIC);
    playbill('status', '--out', out, '--at', '2026-05-01T12:10:00Z', '--prometheus', metrics);
    expect(statSync(metrics).mode & 0o777).toBe(0o644);
  });

  test('a folder that was there keeps its mode, and passes its group on', () => {
    const here = temporaryFolder();
    const database = catalogueAt(join(here, 'x.sqlite'), richCatalogue(['alpha']));
    const out = join(here, 'out');
    mkdirSync(out);
    chmodSync(out, 0o2750);
    playbill('build', '--db', database, '--out', out, '--now', '2026-05-01T09:00:00Z');
    expect(modesIn(out)).toEqual(['file 644', 'folder 2755', 'root 2750']);
  });
});
