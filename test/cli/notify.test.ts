// `playbill notify`: tells by hand what a failed, missing or killed notification did not.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { notifyResultSchema } from '../../src/contract/results/history.ts';
import { publishNoticeSchema } from '../../src/contract/publish-notice.ts';
import { Command, summaryOf } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const command = new Command();

function databaseOf(edition: string): string {
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 2, edition };
  return catalogueAt(join(root, `${edition}.sqlite`), smallCatalogue(size));
}

test('all that readers can see changed since the last success is named once, whatever came between', async () => {
  const out = join(root, 'out');
  const heard = join(root, 'heard.json');
  const hook = ['--on-publish', `cat > ${heard}`];
  const build = (database: string, now: string, ...more: string[]) =>
    command.run(['build', '--db', database, '--out', out, '--now', now, '--json', ...more]);
  const notify = async (...more: string[]) => {
    const { code, stdout } = await command.run(['notify', '--out', out, '--json', ...more]);
    return { code, ...notifyResultSchema.parse(JSON.parse(stdout)) };
  };
  const [one, other] = [databaseOf('one'), databaseOf('other')];

  const first = summaryOf(await build(one, NOW));
  const all = await notify(...hook);
  expect(all).toMatchObject({ code: 0, release: first.release, warnings: [] });
  expect(publishNoticeSchema.parse(JSON.parse(readFileSync(heard, 'utf8')))).toEqual(all.notice);
  expect(all.notice?.fronts).toEqual(['alpha', 'bravo']);
  expect(await notify(...hook)).toMatchObject({ code: 0, notice: null });

  // A build without the flag, and one whose hook fails.
  const second = summaryOf(await build(other, '2026-05-01T09:05:00Z'));
  const third = summaryOf(await build(one, '2026-05-01T09:10:00Z', '--on-publish', 'exit 1'));
  expect(second.release).not.toBe(third.release);
  const failed = await notify('--on-publish', 'exit 1');
  expect(failed).toMatchObject({ code: 1, warnings: [{ code: 'on-publish-failed' }] });
  const missed = await notify(...hook);
  expect(missed.code).toBe(0);
  expect(missed.notice?.changed).toEqual(['/fronts/alpha/pointer.json', '/fronts/bravo/pointer.json']);
  expect(missed.notice?.allowed).toEqual([]);
  expect(await notify(...hook)).toMatchObject({ code: 0, notice: null });

  // Guards that were let pass by a build without the flag, and by the one whose hook is notified.
  const cards = (code: string, total: number): void => {
    const handle = new Database(one);
    handle.prepare('UPDATE fronts SET min_cards = ? WHERE code = ?').run(total, code);
    handle.close();
  };
  cards('alpha', 9);
  await build(one, '2026-05-01T11:00:00Z', '--allow', 'min-cards');
  cards('alpha', 0);
  cards('bravo', 9);
  const last = summaryOf(await build(one, '2026-05-01T13:00:00Z', '--allow', 'min-cards', ...hook));
  expect(last.allowed).toEqual([{ code: 'min-cards', fronts: ['bravo'] }]);
  expect(last.notice?.allowed).toEqual([{ code: 'min-cards', fronts: ['alpha', 'bravo'] }]);
  const next = summaryOf(await build(other, '2026-05-01T13:05:00Z', '--allow', 'min-cards', ...hook));
  expect(next.notice?.allowed).toEqual([]);
});

test.each([
  ['without a hook', ['--out', 'nowhere'], 'error usage: expected --on-publish'],
  ['without a tree', ['--out', 'nowhere', '--on-publish', 'true'], 'error tree-missing: '],
])('%s it is wrong usage', async (_, words, message) => {
  const { code, stderr } = await command.run(['notify', ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
