// A change of keys while a build writes the tree: it waits for nothing, and a build that has read
// the catalogue before it does not undo it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyRingSchema } from '../../src/contract/key-ring.ts';
import { catalogueAt, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { buildHere, changeDatabase, wordsOf } from '../support/fault/build-with.ts';
import { Command, summaryOf, type Running } from '../support/fault/command.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree } from '../support/fault/tree-copy.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
/** Not yet, so that the key is in the ring whenever the test is run. */
const REVOKED = '2999-01-01T00:00:00Z';
const SIZE = { fronts: ['alpha', 'bravo'], productsPerFront: 2, sessionsPerProduct: 1 };

let base = '';
/** What a build over the base does to the tree, call by call. */
let steps: readonly string[] = [];

beforeAll(async () => {
  base = join(folder, 'base');
  const old = catalogueAt(join(folder, 'old.sqlite'), smallCatalogue({ ...SIZE, edition: 'old' }));
  await buildHere(old, base);
  const trace = join(folder, 'trace');
  writeFileSync(trace, '');
  const tree = copyTree(base, join(folder, 'traced'));
  expect(await command.run(wordsOf(catalogueOf(folder), tree), { steps: { tree, trace } })).toMatchObject({ code: 0 });
  steps = readFileSync(trace, 'utf8').trimEnd().split('\n');
});

/** A catalogue with other content, and other keys, than the base is built from. */
function catalogueOf(place: string): string {
  return catalogueAt(join(place, 'new.sqlite'), smallCatalogue({ ...SIZE, edition: 'young' }));
}

/** A build over the tree that has stopped before the first such call. */
async function startAndStop(database: string, tree: string, call: RegExp): Promise<Running> {
  const at = steps.findIndex((step) => call.test(step)) + 1;
  expect(at, `a step that matches ${String(call)} in ${steps.join(', ')}`).toBeGreaterThan(0);
  const running = command.start(wordsOf(database, tree), { steps: { tree, signal: `SIGSTOP ${at}` } });
  const isStopped = (): boolean => /\) T /.test(readFileSync(`/proc/${running.child.pid}/stat`, 'utf8'));
  while (!isStopped()) await sleep(5);
  return running;
}

function revokedAt(tree: string, keyid: string): string | null | undefined {
  const text = readFileSync(join(tree, 'edge/keyring.json'), 'utf8');
  return keyRingSchema.parse(JSON.parse(text)).keys[keyid]?.revokedAt;
}

describe.each([
  ['has read the catalogue, and not written the key ring', /^open \.lock-keyring$/],
  ['is writing editions', /^open public\//],
  ['is swapping pointers', /^rename public\/fronts\/alpha\/\.pointer/],
])('a build that %s', (_, call) => {
  test('keeps no revocation waiting, and does not undo it', async () => {
    const place = temporaryFolder();
    const database = catalogueOf(place);
    const tree = copyTree(base, join(place, 'out'));
    const build = await startAndStop(database, tree, call);
    const words = ['keys', 'revoke', 'alpha-site', '--at', REVOKED, '--db', database, '--out', tree];
    const revoked = await command.run(words);
    expect(revoked, revoked.stderr).toMatchObject({ code: 0 });
    expect(revokedAt(tree, 'alpha-site')).toBe(REVOKED);
    build.child.kill('SIGCONT');
    const built = await build.ended;
    expect(built, built.stderr).toMatchObject({ code: 0 });
    expect(revokedAt(tree, 'alpha-site')).toBe(REVOKED);
    expect(revokedAt(tree, 'bravo-site')).toBeNull();
    expect(await command.run(['verify', '--out', tree])).toMatchObject({ code: 0 });
  });
});

test('a revocation of a key that the catalogue lacks is not undone by a build that keeps such keys', async () => {
  const place = temporaryFolder();
  const database = catalogueOf(place);
  changeDatabase(database, 'DELETE FROM front_keys');
  const tree = copyTree(base, join(place, 'out'));
  const build = await startAndStop(database, tree, /^open \.lock-keyring$/);
  const revoked = await command.run(['keys', 'revoke', 'alpha-site', '--db', database, '--out', tree]);
  expect(revoked, revoked.stderr).toMatchObject({ code: 4 });
  const [, from] = /^Revoked alpha-site, effective (\S+),/.exec(revoked.stdout) ?? [];
  build.child.kill('SIGCONT');
  const built = await build.ended;
  expect(built, built.stderr).toMatchObject({ code: 4 });
  expect(summaryOf(built).guards).toMatchObject([{ code: 'keys-vanished', isOverridden: false }]);
  expect([revokedAt(tree, 'alpha-site'), revokedAt(tree, 'bravo-site')]).toEqual([from, null]);
});

test('two changes of keys at once are both in the key ring', async () => {
  const place = temporaryFolder();
  const database = catalogueOf(place);
  const tree = copyTree(base, join(place, 'out'));
  const revoke = (keyid: string): Promise<unknown> =>
    command.run(['keys', 'revoke', keyid, '--at', REVOKED, '--db', database, '--out', tree]);
  const runs = await Promise.all([revoke('alpha-site'), revoke('bravo-site')]);
  expect(runs).toMatchObject([{ code: 0 }, { code: 0 }]);
  expect([revokedAt(tree, 'alpha-site'), revokedAt(tree, 'bravo-site')]).toEqual([REVOKED, REVOKED]);
});
