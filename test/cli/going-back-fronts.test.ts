// Going back front by front: the fronts put back are held and keep what they were; builds publish
// the others.

import Database from 'better-sqlite3';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';
import { Command } from '../support/fault/command.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { manifestIn } from '../support/manifests.ts';

const command = new Command();
const FRONTS = ['alpha', 'bravo', 'charlie'];

/** A tree of three fronts, built every five minutes from 09:00 on. */
class Site {
  readonly out = join(temporaryFolder(), 'out');
  readonly database = catalogueAt(
    join(temporaryFolder(), 'catalogue.sqlite'),
    smallCatalogue({ fronts: FRONTS, productsPerFront: 4, sessionsPerProduct: 3, edition: 'good' }),
  );
  #minute = 0;

  change(sql: string): void {
    const database = new Database(this.database);
    database.exec(sql);
    database.close();
  }

  async build(options: Parameters<typeof buildTree>[3] = {}) {
    this.#minute += 5;
    const now = instant(`2026-05-01T09:${String(this.#minute).padStart(2, '0')}:00Z`);
    return await buildTree(this.database, this.out, now, options);
  }

  /** Runs a command on the tree; `--now` of a rollback is a minute after the last build. */
  run(...words: string[]) {
    const now = `2026-05-01T09:${String(this.#minute + 1).padStart(2, '0')}:00Z`;
    const isRollback = words[0] === 'rollback' && words.includes('--front') && !words.includes('--resume');
    return command.run([...words, '--out', this.out, ...(isRollback ? ['--now', now] : [])]);
  }

  pointer(front: string): string | undefined {
    return filesOf(this.out).get(`public/fronts/${front}/pointer.json`);
  }

  async expectWhole(): Promise<void> {
    const { code, stdout } = await this.run('verify');
    expect(code, stdout).toBe(0);
    expect(stdout).toContain(' 0 errors, 0 warnings');
  }
}

const HALF = 'UPDATE price_tiers SET amount_minor = amount_minor / 2';

async function mistaken() {
  const site = new Site();
  const good = await site.build();
  const before = new Map(FRONTS.map((front) => [front, site.pointer(front)]));
  site.change(HALF);
  const bad = await site.build();
  expect(bad.releaseId).not.toBe(good.releaseId);
  return { site, good: good.releaseId ?? '', bad: bad.releaseId ?? '', before };
}

describe('one front goes back', () => {
  test('and is held there, while builds publish the others, until it is resumed', async () => {
    const { site, good, before } = await mistaken();
    const others = new Map(['alpha', 'charlie'].map((front) => [front, site.pointer(front)]));
    const { code, stdout } = await site.run('rollback', good, '--front', 'bravo');
    expect(code).toBe(0);
    expect(stdout).toContain(`Rolled back to release ${good}: 1 front; pointers: 1 put, 0 kept, 0 removed\n`);
    expect(stdout).toContain(
      `bravo: held at release ${good}: builds do not publish it until: playbill rollback --resume --front bravo`,
    );
    expect(site.pointer('bravo')).toBe(before.get('bravo'));
    for (const [front, text] of others) expect(site.pointer(front)).toBe(text);
    await site.expectWhole();

    site.change("UPDATE price_tiers SET amount_minor = amount_minor * 2; UPDATE products SET name = name || ' again'");
    const { outcomes } = await site.build();
    expect(outcomes.map(({ code: front, held }) => [front, held])).toEqual([
      ['alpha', null],
      ['bravo', 'rolled-back'],
      ['charlie', null],
    ]);
    expect(site.pointer('bravo')).toBe(before.get('bravo'));
    for (const [front, text] of others) expect(site.pointer(front)).not.toBe(text);
    const status = await site.run('status', '--at', '2026-05-01T09:15:30Z');
    expect(status.stdout).toContain(`bravo: held at release ${good}`);
    expect(status.code).toBe(0);
    await site.expectWhole();

    expect(await site.run('rollback', '--resume', '--front', 'bravo')).toMatchObject({ code: 0 });
    const resumed = await site.build();
    expect(resumed.outcomes.map(({ held }) => held)).toEqual([null, null, null]);
    expect(site.pointer('bravo')).not.toBe(before.get('bravo'));
    await site.expectWhole();
  });

  test('a build in shell words exits 0 and says so', async () => {
    const { site, good } = await mistaken();
    await site.run('rollback', good, '--front', 'bravo');
    const built = await command.run([
      'build',
      '--db',
      site.database,
      '--out',
      site.out,
      '--now',
      '2026-05-01T09:20:00Z',
    ]);
    expect(built).toMatchObject({ code: 0 });
    expect(built.stdout).toContain('bravo: held back: a rollback holds it');
  });

  test('two holds are kept apart, and resumed one by one or together', async () => {
    const { site, good, bad, before } = await mistaken();
    expect(await site.run('rollback', good, '--front', 'alpha')).toMatchObject({ code: 0 });
    expect(await site.run('rollback', bad, '--front', 'charlie', '--sizes')).toMatchObject({ code: 0 });
    const listed = JSON.parse((await site.run('releases', '--json')).stdout) as { heldFronts: unknown; hold: unknown };
    expect(listed).toMatchObject({ hold: null, heldFronts: { alpha: good, charlie: bad } });
    const { outcomes } = await site.build();
    expect(outcomes.map(({ held }) => held)).toEqual(['rolled-back', null, 'rolled-back']);
    expect(await site.run('rollback', '--resume', '--front', 'alpha')).toMatchObject({ code: 0 });
    expect((await site.build()).outcomes.map(({ held }) => held)).toEqual([null, null, 'rolled-back']);
    expect(site.pointer('alpha')).not.toBe(before.get('alpha'));
    expect(await site.run('rollback', '--resume')).toMatchObject({ code: 0 });
    expect((await site.build()).outcomes.map(({ held }) => held)).toEqual([null, null, null]);
    await site.expectWhole();
  });

  test('going back with the whole tree ends what held single fronts', async () => {
    const { site, good, before } = await mistaken();
    await site.run('rollback', good, '--front', 'alpha');
    expect(await site.run('rollback', good)).toMatchObject({ code: 0 });
    const listed = JSON.parse((await site.run('releases', '--json')).stdout) as unknown;
    expect(listed).toMatchObject({ hold: { release: good }, heldFronts: {} });
    for (const front of FRONTS) expect(site.pointer(front)).toBe(before.get(front));
    expect(await site.run('rollback', '--resume', '--front', 'alpha')).toMatchObject({ code: 2 });
    expect(await site.run('rollback', '--resume')).toMatchObject({ code: 0 });
    expect((await site.build()).outcomes.map(({ held }) => held)).toEqual([null, null, null]);
    await site.expectWhole();
  });

  test('a front that comes back while it is held is shown as the rollback left it, until it is resumed', async () => {
    const { site, good, before } = await mistaken();
    await site.run('rollback', good, '--front', 'bravo', 'charlie');
    site.change(
      "UPDATE fronts SET code = 'renamed' WHERE code = 'charlie'; UPDATE fronts SET status = 'disabled' WHERE code = 'bravo'",
    );
    await site.build();
    site.change(
      "UPDATE fronts SET code = 'charlie' WHERE code = 'renamed'; UPDATE fronts SET status = 'active' WHERE code = 'bravo'",
    );
    const { outcomes } = await site.build();
    expect(outcomes.map(({ code, held }) => [code, held])).toEqual([
      ['alpha', null],
      ['bravo', 'rolled-back'],
      ['charlie', 'rolled-back'],
    ]);
    // The one that was disabled has nothing to show before builds publish it again.
    expect([site.pointer('bravo'), site.pointer('charlie')]).toEqual([undefined, before.get('charlie')]);
    await site.run('rollback', '--resume');
    expect((await site.build()).outcomes.map(({ held }) => held)).toEqual([null, null, null]);
    expect(site.pointer('bravo')).toBeDefined();
    await site.expectWhole();
  });

  test('a front that the operator disables goes, held or not; one that the catalogue has lost stays', async () => {
    const { site, good, before } = await mistaken();
    await site.run('rollback', good, '--front', 'bravo', 'charlie');
    site.change(
      "UPDATE fronts SET status = 'disabled' WHERE code = 'bravo'; PRAGMA foreign_keys = ON; DELETE FROM fronts WHERE code = 'charlie'",
    );
    const { outcomes } = await site.build();
    expect(outcomes.map(({ code, held }) => [code, held])).toEqual([
      ['alpha', null],
      ['charlie', 'rolled-back'],
    ]);
    expect(site.pointer('bravo')).toBeUndefined();
    expect(site.pointer('charlie')).toBe(before.get('charlie'));
  });

  test.each([
    ['a front that the release does not have', ['rollback', 'ID', '--front', 'delta'], 'front-unknown'],
    ['resuming a front that is not held', ['rollback', '--resume', '--front', 'alpha'], 'front-not-held'],
  ])('%s is refused', async (_, words, error) => {
    const { site, good } = await mistaken();
    const before = filesOf(site.out);
    const refused = await site.run(...words.map((word) => (word === 'ID' ? good : word)));
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(`error ${error}: `);
    expect(filesOf(site.out)).toEqual(before);
  });

  test('the new release has what is served where a build, and a rollback, stopped before their last write', async () => {
    const { site, good } = await mistaken();
    const current = join(site.out, 'releases/current');
    const stopped = async (run: () => Promise<unknown>): Promise<void> => {
      const before = readFileSync(current);
      await run();
      writeFileSync(current, before);
    };
    site.change("UPDATE products SET name = name || ' again'");
    await stopped(() => site.build());
    const charlie = site.pointer('charlie');
    await stopped(() => site.run('rollback', good, '--front', 'bravo'));
    expect(await site.run('rollback', good, '--front', 'alpha')).toMatchObject({ code: 0 });
    const { code, stdout } = await site.run('verify');
    expect([code, stdout.includes('pointer-not-current')], stdout).toEqual([0, false]);
    expect(site.pointer('charlie')).toBe(charlie);
    expect(manifestIn(site.out).fronts.map(({ held }) => held)).toEqual(['rolled-back', 'rolled-back', null]);
  });

  test('while the whole tree is held, no single front goes back', async () => {
    const { site, good } = await mistaken();
    await site.run('rollback', good);
    const refused = await site.run('rollback', good, '--front', 'bravo');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('error tree-held: ');
    expect(await site.run('rollback', '--resume')).toMatchObject({ code: 0 });
    await site.expectWhole();
  });

  test('a file that is missing or cut off refuses it, read or not', async () => {
    const { site, good } = await mistaken();
    const { rmSync } = await import('node:fs');
    const entry = /"products":\["\S+ ([0-9a-f]{16})"/.exec(site.pointer('bravo') ?? '')?.[1];
    expect(entry).toBeDefined();
    const manifest = await site.run(
      'show',
      '--front',
      'bravo',
      '--endpoint',
      'products',
      '--at',
      '2026-05-01T09:05:00Z',
    );
    expect(manifest.code).toBe(0);
    const before = filesOf(site.out);
    const names = [...before.keys()].filter((path) => path.startsWith('public/fronts/bravo/products.'));
    for (const path of names) rmSync(join(site.out, path));
    for (const more of [[], ['--sizes']]) {
      const refused = await site.run('rollback', good, '--front', 'bravo', ...more);
      expect(refused.stderr).toContain('error release-damaged: ');
    }
    expect(filesOf(site.out).has('releases/hold')).toBe(false);
    // Another front is whole.
    expect(await site.run('rollback', good, '--front', 'alpha')).toMatchObject({ code: 0 });
  });
});

test('releases say by their prices which one has the mistake', async () => {
  const { site } = await mistaken();
  const { stdout } = await site.run('releases', '--json');
  const { releases } = JSON.parse(stdout) as {
    releases: { prices: { currency: string; median: number; fronts: number }[] }[];
  };
  const medians = releases.map(({ prices }) => prices.map(({ median, fronts }) => [median, fronts]));
  expect(medians[0]).toEqual(medians[1]?.map(([median, fronts]) => [(median ?? 0) / 2, fronts]));
  expect((await site.run('releases')).stdout).toMatch(/^ {2}right until \S+; median price /m);
});
