// A run with a hook that is stopped anywhere, and a hook that ends in every wrong way: what readers
// can see changed since the last notice that arrived is named by the next one, and by none after.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { publishNoticeSchema, type PublishNotice } from '../../src/contract/publish-notice.ts';
import { Command } from '../support/fault/command.ts';
import { Killer } from '../support/fault/killer.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree } from '../support/fault/tree-copy.ts';
import { currentName } from '../support/manifests.ts';
import { catalogueAt, temporaryFolderOfFile } from '../support/trees.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const killer = new Killer(command, folder);
const tellFault = matrixOf(import.meta.url);
/** A tree whose hook knows its first release; and that with another, whose key ring is another, too. */
const one = join(folder, 'one');
const both = join(folder, 'both');
const other = join(folder, 'other.sqlite');
/** A hook that writes what it gets beside the tree. */
const LISTEN = 'cat >> "$HEARD"';
const BUILD = ['build', '--db', other, '--now', '2026-05-01T09:05:00Z'];
/** Takes one front back to the first release. */
const rollback = (): string[] => ['rollback', currentName(one), '--front', 'alpha', '--now', '2026-05-01T09:06:00Z'];

beforeAll(async () => {
  const size = { productsPerFront: 1, sessionsPerProduct: 1 };
  const first = catalogueAt(
    join(folder, 'first.sqlite'),
    smallCatalogue({ ...size, fronts: ['alpha', 'bravo', 'gone'], edition: 'one' }),
  );
  catalogueAt(other, smallCatalogue({ ...size, fronts: ['alpha', 'bravo'], edition: 'other' }));
  await runWell(['build', '--db', first, '--now', NOW, '--on-publish', 'cat > /dev/null', '--out', one]);
  copyTree(one, both);
  await runWell([...BUILD, '--on-publish', 'cat > /dev/null', '--out', both]);
});

async function runWell(words: readonly string[], environment: Record<string, string> = {}): Promise<void> {
  const run = await command.run(words, { environment });
  expect(run, run.stderr).toMatchObject({ code: 0 });
}

/** Runs with a hook that listens. Gives back what arrived. */
async function heardOf(words: readonly string[], tree: string): Promise<PublishNotice[]> {
  const heard = `${tree}-heard`;
  rmSync(heard, { force: true });
  await runWell([...words, '--out', tree, '--on-publish', LISTEN], { HEARD: heard });
  const lines = existsSync(heard) ? readFileSync(heard, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => publishNoticeSchema.parse(JSON.parse(line)));
}

/** The release of which a tree says that its hook was notified. */
function notifiedIn(tree: string): string | undefined {
  return readFileSync(join(tree, 'releases/notified'), 'utf8').split('\n')[0];
}

const namedIn = ({ changed, removed, isKeyRingChanged }: PublishNotice) => ({ changed, removed, isKeyRingChanged });

test.each([
  ['a build', () => BUILD, one],
  ['a rollback of fronts', rollback, both],
])('%s with a hook is killed before each call that changes a file', async (what, wordsOf, from) => {
  const words = wordsOf();
  const [expected] = await heardOf(words, copyTree(from, join(folder, 'undisturbed')));
  rmSync(join(folder, 'undisturbed'), { recursive: true });
  expect(expected?.changed.length).toBeGreaterThan(0);
  let kills = 0;
  let silent = 0;
  const hooked = [...words, '--on-publish', 'cat > /dev/null'];
  const judge = async (tree: string, step: string): Promise<void> => {
    kills += 1;
    const notified = notifiedIn(tree);
    const [notice] = await heardOf(words, tree);
    // Where the hook has had its notice, and that was noted, there is nothing left to say.
    if (notice === undefined) {
      silent += 1;
      expect(notified, step).toBe(currentName(tree));
    } else expect(namedIn(notice), step).toEqual(expected && namedIn(expected));
    expect(notifiedIn(tree), step).toBe(currentName(tree));
  };
  // The last calls are those before the hook runs, and those that note that it has.
  await killer.everywhere(hooked, from, (i, total) => i % 8 === 0 || i >= total - 8, judge);
  expect(kills).toBeGreaterThan(9);
  expect(silent).toBeLessThan(kills / 2);
  const situation = `${what} with a hook is killed before calls that change a file`;
  tellFault(
    { situation, sees: 'each front old or new, whole', heals: 'the same run; its notice names all' },
    'SIGKILL',
    kills,
  );
});

test.each([
  ['fails', 'exit 1'],
  ['is killed', 'kill -9 $$'],
  ['has read half of the notice and fails', 'head -c 20 > /dev/null; exit 3'],
  ['takes too long', 'exec sleep 600'],
])('a hook that %s', async (how, hook) => {
  const tree = copyTree(one, join(folder, 'wrong-hook'));
  const [expected] = await heardOf(BUILD, copyTree(one, join(folder, 'right-hook')));
  const timeout = hook.includes('sleep') ? ['--on-publish-timeout', '1s'] : [];
  const failed = await command.run([...BUILD, '--out', tree, '--on-publish', hook, ...timeout]);
  expect(failed).toMatchObject({ code: 0, stderr: expect.stringContaining('warning on-publish-failed: ') });
  // A rollback of a front comes between: what was missed before is named with it.
  await runWell([...rollback(), '--out', tree]);
  const [notice] = await heardOf(['notify'], tree);
  expect(notice).toMatchObject({
    changed: ['/fronts/bravo/pointer.json'],
    removed: expected?.removed,
    isKeyRingChanged: true,
  });
  expect(await heardOf(['notify'], tree)).toEqual([]);
  for (const name of ['wrong-hook', 'right-hook']) rmSync(join(folder, name), { recursive: true });
  const heals = 'the next run with a hook, or `playbill notify`; its notice names all';
  tellFault({ situation: `a hook ${how}`, sees: 'the new release', heals }, 0);
});
