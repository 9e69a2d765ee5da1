// What a build, a run of shards or a change of keys makes of the key ring where the catalogue's
// keys are gone, wrong or at odds with it: keys do not vanish by mistake, and none that was revoked
// comes back. And what `status` and `verify` say of a tree without keys.

import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyRingSchema } from '../../src/contract/key-ring.ts';
import { publishNoticeSchema } from '../../src/contract/publish-notice.ts';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import { findingsResultSchema } from '../../src/contract/results/check.ts';
import { shardSummarySchema } from '../../src/contract/run.ts';
import { statusResultSchema } from '../../src/contract/results/status.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { outputOf } from '../support/cli/run.ts';
import { samplesOf } from '../support/textfile.ts';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const LATER = '2026-05-01T10:00:00Z';
const folder = temporaryFolderOfFile();
const TWENTY = Array.from({ length: 20 }, (_, i) => `front-${i + 1}`);

beforeAll(async () => {
  for (const fronts of [['alpha', 'bravo', 'charlie'], TWENTY]) {
    const size = { fronts, productsPerFront: 1, sessionsPerProduct: 1, edition: 'e' };
    const database = catalogueAt(join(folder, `${fronts.length}.sqlite`), smallCatalogue(size));
    await buildTree(database, join(folder, `${fronts.length}`), instant(NOW));
  }
});

/** A copy of the published tree, and of its catalogue with a change. */
class Place {
  readonly out: string;
  readonly database: string;

  constructor(sql = '', fronts = 3) {
    const root = temporaryFolder();
    this.out = join(root, 'out');
    this.database = join(root, 'catalogue.sqlite');
    cpSync(join(folder, `${fronts}`), this.out, { recursive: true });
    copyFileSync(join(folder, `${fronts}.sqlite`), this.database);
    this.change(sql);
  }

  change(sql: string): void {
    changeDatabase(this.database, sql);
  }

  run(words: readonly string[], now = LATER) {
    const db = ['status', 'verify', 'finish', 'rollback'].includes(words[0] ?? '') ? [] : ['--db', this.database];
    return outputOf([...words, ...db, '--out', this.out], { now: () => instant(now) });
  }

  async build(flags: readonly string[] = [], now = LATER) {
    const { code, printed } = await this.run(['build', '--now', now, '--json', ...flags], now);
    return { code, ...buildResultSchema.parse(JSON.parse(printed)) };
  }

  get ringText(): string {
    return readFileSync(join(this.out, 'edge/keyring.json'), 'utf8');
  }

  get ring() {
    return keyRingSchema.parse(JSON.parse(this.ringText)).keys;
  }

  get keyids(): readonly string[] {
    return Object.keys(this.ring);
  }

  async status(now = LATER) {
    const { code, printed } = await this.run(['status', '--json'], now);
    return { code, ...statusResultSchema.parse(JSON.parse(printed)) };
  }

  async verify(now = LATER) {
    const { code, printed } = await this.run(['verify', '--json'], now);
    return { code, ...findingsResultSchema.parse(JSON.parse(printed)) };
  }
}

const KEY_COLUMNS = 'keyid front_id alg public_key secret_ref not_before not_after revoked_at'.split(' ');
const ALL = ['alpha-site', 'bravo-site', 'charlie-site'];
const guarded = (keyids: readonly string[], isOverridden = false) => [{ code: 'keys-vanished', isOverridden, keyids }];

describe('keys that vanish', () => {
  test.each([
    ['no row in fronts', 'DELETE FROM fronts', ALL],
    ['no row in front_keys', 'DELETE FROM front_keys', ALL],
    ['a view of fronts that shows nothing', viewOf('fronts', 'false'), ALL],
    ['a view of front_keys that shows nothing', viewOf('front_keys', 'false'), ALL],
    ['a view of front_keys that shows a third', viewOf('front_keys', 'front_id = 1'), ALL.slice(1)],
  ])('%s: they stay, exit 4', async (_, sql, keyids) => {
    const place = new Place(sql);
    const before = place.ringText;
    expect(await place.build()).toMatchObject({ code: 4, guards: guarded(keyids) });
    expect(place.ringText).toBe(before);
    expect(await place.status()).toMatchObject({ code: 0, findings: [] });
    expect((await place.verify()).code).toBe(0);
    expect(await place.build(['--dry-run'])).toMatchObject({ code: 4, guards: guarded(keyids) });
  });

  test('the summary names them and what lets them go', async () => {
    const { code, printed } = await new Place('DELETE FROM front_keys').run(['build', '--now', LATER]);
    expect(code).toBe(4);
    expect(printed).toContain(
      'keys: held back by keys-vanished: 3 of 3 published fronts with a valid key would have none: ' +
        'the catalogue no longer has alpha-site, bravo-site, charlie-site; they stay in the key ring (--allow keys-vanished lets them go)',
    );
  });

  test.each(['--allow keys-vanished', '--force'])('%s lets them go', async (flags) => {
    const place = new Place('DELETE FROM front_keys');
    expect(await place.build(flags.split(' '))).toMatchObject({ code: 0, guards: guarded(ALL, true) });
    expect(place.keyids).toEqual([]);
  });

  test('with --front, those of these fronts alone', async () => {
    const place = new Place('DELETE FROM front_keys');
    const built = await place.build(['--allow', 'keys-vanished', '--front', 'bravo']);
    const kept = ['alpha-site', 'charlie-site'];
    expect(built).toMatchObject({ code: 4, guards: [...guarded(kept), ...guarded(['bravo-site'], true)] });
    expect(place.keyids).toEqual(kept);
  });

  test('of one front of twenty: they go', async () => {
    const place = new Place('DELETE FROM front_keys WHERE front_id = 7', 20);
    expect(await place.build()).toMatchObject({ code: 0, guards: [] });
    expect(place.keyids).toHaveLength(19);
    const status = await place.status();
    expect(status.findings).toMatchObject([
      { severity: 'warning', code: 'no-valid-key', place: 'public/fronts/front-7/pointer.json' },
    ]);
    expect([status.code, status.validKeys['front-7'], status.validKeys['front-8']]).toEqual([0, 0, 1]);
  });

  test('of more fronts than --max-shrink says: they stay', async () => {
    const place = new Place('DELETE FROM front_keys WHERE front_id < 4', 20);
    expect(await place.build(['--max-shrink', '10%'])).toMatchObject({ code: 4 });
    expect(place.keyids).toHaveLength(20);
    expect(await place.build(['--max-shrink', '15%'])).toMatchObject({ code: 0 });
    expect(place.keyids).toHaveLength(17);
  });

  test('a key that another replaces goes', async () => {
    const place = new Place(`UPDATE front_keys SET keyid = replace(keyid, 'site', 'next')`);
    expect(await place.build()).toMatchObject({ code: 0, guards: [] });
    expect(place.keyids).toEqual(['alpha-next', 'bravo-next', 'charlie-next']);
  });

  test('keys of fronts that the operator disables go', async () => {
    const place = new Place(`UPDATE fronts SET status = 'disabled'; DELETE FROM front_keys`);
    expect(await place.build()).toMatchObject({ code: 0, guards: [] });
  });

  test('under a rollback’s hold the same holds: keys stay, and revocations act', async () => {
    const place = new Place('UPDATE products SET age_rating = 16');
    await place.build();
    expect((await place.run(['rollback', 'current~1'])).code).toBe(0);
    place.change(
      `UPDATE front_keys SET revoked_at = '${LATER}' WHERE front_id = 1; DELETE FROM front_keys WHERE front_id > 1`,
    );
    expect(await place.build()).toMatchObject({ code: 4, guards: guarded(ALL.slice(1)) });
    expect(Object.values(place.ring).map(({ revokedAt }) => revokedAt)).toEqual([LATER, null, null]);
  });

  test('keys issue keeps them as well, and never gives a key the name of one; exit 4', async () => {
    const place = new Place('DELETE FROM front_keys');
    const issue = ['keys', 'issue', '--front', 'alpha', '--alg', 'hmac-sha256', '--secret-ref', 'NEXT', '--json'];
    expect(await place.run([...issue, '--keyid', 'alpha-site'])).toMatchObject({
      code: 2,
      logged: expect.stringContaining('error key-exists: expected a new keyid, found "alpha-site" in the key ring'),
    });
    const issued = await place.run([...issue, '--keyid', 'alpha-next']);
    expect(issued).toMatchObject({ code: 4, logged: expect.stringContaining('held back by keys-vanished: 2 of 3 ') });
    expect(place.keyids).toEqual(['alpha-next', ...ALL]);
    expect((await place.run([...issue, '--keyid', 'alpha-last', '--allow', 'keys-vanished'])).code).toBe(0);
    expect(place.keyids).toEqual(['alpha-last', 'alpha-next']);
  });

  test('keys revoke acts on a key that the ring alone has, and keeps the others', async () => {
    const place = new Place('DELETE FROM front_keys');
    const { code, printed } = await place.run(['keys', 'revoke', 'bravo-site', '--json']);
    expect([code, JSON.parse(printed)]).toEqual([
      4,
      {
        keyid: 'bravo-site',
        revokedAt: LATER,
        guards: [expect.objectContaining(guarded(['alpha-site', 'charlie-site'])[0])],
      },
    ]);
    expect(Object.values(place.ring).map(({ revokedAt }) => revokedAt)).toEqual([null, LATER, null]);
    const heard = join(place.out, 'heard.json');
    const words = ['keys', 'revoke', 'bravo-site', '--at', NOW, '--on-change', `cat > ${heard}`];
    const { logged } = await place.run([...words, '--allow', 'keys-vanished']);
    expect(logged).toContain('warning keys: overridden keys-vanished: ');
    const { allowed } = publishNoticeSchema.parse(JSON.parse(readFileSync(heard, 'utf8')));
    expect(allowed).toEqual([{ code: 'keys-vanished', fronts: null }]);
    expect((await place.run(['keys', 'revoke', 'nobody'])).logged).toContain('error key-unknown: ');
  });
});

describe('keys that end', () => {
  test.each([
    ['NULL again', 'UPDATE front_keys SET revoked_at = NULL'],
    ['later', `UPDATE front_keys SET revoked_at = '2027-01-01T00:00:00Z'`],
  ])('revoked, and %s in the catalogue afterwards: it stays revoked, and that is said', async (_, sql) => {
    const place = new Place(`UPDATE front_keys SET revoked_at = '${LATER}' WHERE front_id = 2`);
    await place.build();
    place.change(`${sql} WHERE front_id = 2`);
    for (const now of ['2026-05-01T11:00:00Z', '2026-06-02T11:00:00Z', '2026-08-01T11:00:00Z']) {
      const { findings } = await place.build([], now);
      expect(findings).toContainEqual(
        expect.objectContaining({ code: 'keys-revived', place: 'front_keys bravo-site' }),
      );
      expect(place.ring['bravo-site']?.revokedAt).toBe(LATER);
    }
  });

  test.each([
    ['with its row', ''],
    ['without one', 'DELETE FROM front_keys WHERE front_id = 2'],
  ])('revoked, %s: it stays in the ring for thirty days', async (_, sql) => {
    const place = new Place(`UPDATE front_keys SET revoked_at = '${LATER}' WHERE front_id = 2`);
    await place.build();
    place.change(sql);
    expect(
      (await place.build([], '2026-05-31T09:59:59Z')).findings.filter(({ severity }) => severity === 'error'),
    ).toEqual([]);
    expect(place.ring['bravo-site']?.revokedAt).toBe(LATER);
    for (const now of ['2026-05-31T10:00:00Z', '2026-06-01T00:00:00Z']) {
      await place.build([], now);
      expect(place.keyids).toEqual(['alpha-site', 'charlie-site']);
    }
  });

  test.each([`'yesterday'`, `''`, `0`, `-1.5`, `x'ff'`, `'2026-05-01'`, `CAST(x'e9' AS TEXT)`])(
    'revoked_at %s revokes the key from the first build on, and holds nothing back',
    async (value) => {
      const place = new Place(viewOf('front_keys', 'true', `CASE front_id WHEN 2 THEN ${value} END AS revoked_at`));
      for (const now of [LATER, '2026-05-02T00:00:00Z']) {
        const { code, findings, fronts } = await place.build([], now);
        expect([code, fronts.map(({ held }) => held)]).toEqual([0, [null, null, null]]);
        expect(findings).toMatchObject([
          { code: 'value-invalid', column: 'revoked_at', place: 'front_keys bravo-site' },
        ]);
        expect(Object.values(place.ring).map(({ revokedAt }) => revokedAt)).toEqual([null, LATER, null]);
      }
    },
  );

  test.each([
    ['without its material', 'secret_ref = NULL'],
    ['with two materials', `public_key = '{}'`],
    ['of an algorithm that nobody knows', `alg = 'rot13'`],
    ['whose not_after cannot be read', `not_after = 'soon'`],
    ['of a front that is not there', 'front_id = 77'],
  ])('a row %s: the key stays as it is, the front is published', async (_, assignment) => {
    const place = new Place(`UPDATE front_keys SET ${assignment} WHERE front_id = 2`);
    const before = place.ringText;
    const { code, guards, findings, fronts } = await place.build();
    expect([code, guards, fronts.map(({ held }) => held)]).toEqual([0, [], [null, null, null]]);
    expect(findings).toMatchObject([{ severity: 'error', place: 'front_keys bravo-site' }]);
    expect(place.ringText).toBe(before);
  });

  test('a bad row that ends its key ends it', async () => {
    const place = new Place(`UPDATE front_keys SET secret_ref = NULL, not_after = '${LATER}' WHERE front_id = 2`);
    await place.build();
    expect(place.ring['bravo-site']).toMatchObject({ notAfter: LATER, secretRef: 'SECRET_bravo_e' });
    place.change(`UPDATE front_keys SET not_after = NULL, revoked_at = '${NOW}' WHERE front_id = 2`);
    await place.build([], '2026-05-01T11:00:00Z');
    expect(place.ring['bravo-site']).toMatchObject({ notAfter: LATER, revokedAt: NOW });
  });

  test('two rows of one keyid: it ends when the first of them says', async () => {
    const place = new Place(`CREATE TABLE theirs AS SELECT * FROM front_keys; DROP TABLE front_keys;
      INSERT INTO theirs SELECT keyid, front_id, alg, public_key, secret_ref, NULL, NULL, '${LATER}' FROM theirs WHERE front_id = 2;
      ALTER TABLE theirs RENAME TO front_keys`);
    await place.build();
    expect(Object.values(place.ring).map(({ revokedAt }) => revokedAt)).toEqual([null, LATER, null]);
  });

  test('expired keys are no loss, with or without rows, and leave the ring after thirty days', async () => {
    const place = new Place(`UPDATE front_keys SET not_after = '${LATER}' WHERE front_id < 3`);
    await place.build();
    place.change('DELETE FROM front_keys WHERE front_id = 2');
    expect((await place.build([], '2026-05-31T09:59:59Z')).guards).toEqual([]);
    expect(place.keyids).toEqual(ALL);
    expect((await place.build([], '2026-05-31T10:00:00Z')).guards).toEqual([]);
    expect(place.keyids).toEqual(['charlie-site']);
    // A row that says otherwise brings an expired key back; none brings back a revoked one.
    place.change('UPDATE front_keys SET not_after = NULL');
    await place.build([], '2026-06-01T00:00:00Z');
    expect(place.keyids).toEqual(['alpha-site', 'charlie-site']);
  });

  test('the last keys of a ring stay, to show that it had some', async () => {
    const place = new Place(`UPDATE front_keys SET revoked_at = '${LATER}'`);
    for (const now of [LATER, '2026-06-02T00:00:00Z', '2026-06-03T00:00:00Z']) await place.build([], now);
    expect(place.keyids).toEqual(ALL);
  });
});

describe('shards', () => {
  const shard = async (place: Place, index: number, flags: readonly string[] = []) => {
    const words = ['build', '--shard', `${index}/2`, '--run', 'r', '--now', LATER, '--json', ...flags];
    const { code, printed } = await place.run(words);
    return { code, ...shardSummarySchema.parse(JSON.parse(printed)) };
  };
  const finish = async (place: Place, flags: readonly string[] = []) => {
    const { code, printed } = await place.run(['finish', '--run', 'r', '--shards', '2', '--json', ...flags]);
    return { code, ...buildResultSchema.parse(JSON.parse(printed)) };
  };

  test('keys that vanish stay: finish says so, exit 4, and can be told to let them go', async () => {
    const place = new Place('DELETE FROM front_keys');
    for (const index of [0, 1]) expect(await shard(place, index)).toMatchObject({ guards: guarded(ALL) });
    expect(place.keyids).toEqual(ALL);
    expect(await finish(place)).toMatchObject({ code: 4, guards: guarded(ALL) });
    expect(place.keyids).toEqual(ALL);
    const allowed = [{ code: 'keys-vanished', fronts: null }];
    const finished = await finish(place, ['--allow', 'keys-vanished']);
    expect(finished).toMatchObject({ code: 0, guards: guarded(ALL, true), allowed });
    expect(place.keyids).toEqual([]);
  });

  test('the first shard that is told to lets them go', async () => {
    const place = new Place('DELETE FROM front_keys');
    for (const index of [0, 1]) await shard(place, index, ['--allow', 'keys-vanished']);
    expect(place.keyids).toEqual([]);
    expect(await finish(place)).toMatchObject({ code: 0, guards: guarded(ALL, true) });
  });

  test('a revocation does not wait for finish, whatever its form', async () => {
    const place = new Place(`UPDATE front_keys SET revoked_at = 'now' WHERE front_id = 2`);
    for (const index of [0, 1]) await shard(place, index);
    expect(place.ring['bravo-site']?.revokedAt).toBe(LATER);
    expect((await finish(place)).code).toBe(0);
  });
});

describe('what is said of a tree without keys', () => {
  test('none of its keys is valid: an error of status and verify, a metric', async () => {
    const place = new Place(`UPDATE front_keys SET not_after = '${LATER}'`);
    await place.build();
    const finding = { severity: 'error', code: 'no-valid-key', place: 'edge/keyring.json' };
    expect(await place.status()).toMatchObject({ code: 1, isStale: false, findings: [finding] });
    expect(await place.verify()).toMatchObject({ code: 1, errors: 1, findings: [finding] });
    const { printed } = await place.run(['status']);
    expect(printed).toContain(`3 fronts as of ${LATER}: all fresh, but no front has a usable key`);
    const textfile = join(place.out, '../tree.prom');
    await place.run(['status', '--prometheus', textfile]);
    const samples = samplesOf(readFileSync(textfile, 'utf8'));
    expect(samples.get('playbill_keys_lost')).toBe(1);
    expect(samples.get('playbill_front_valid_keys{front="alpha"}')).toBe(0);
    // A second before it was none.
    expect(await place.status('2026-05-01T09:59:59Z')).toMatchObject({ code: 0, findings: [] });
  });

  test('a ring that has none at all may be meant so: a warning for each front', async () => {
    const place = new Place('DELETE FROM front_keys');
    await place.build(['--allow', 'keys-vanished']);
    const { code, findings } = await place.status();
    expect([code, findings.map(({ severity, place: path }) => `${severity} ${path}`)]).toEqual([
      0,
      ['alpha', 'bravo', 'charlie'].map((front) => `warning public/fronts/${front}/pointer.json`),
    ]);
    expect(await place.verify()).toMatchObject({ code: 0, errors: 0, warnings: 3 });
  });

  test('a ring that cannot be read is an error of status as well', async () => {
    const place = new Place();
    writeFileSync(join(place.out, 'edge/keyring.json'), '{');
    expect(await place.status()).toMatchObject({
      code: 1,
      findings: [{ code: 'key-ring-invalid', severity: 'error' }],
    });
  });
});

/**
 * SQL that puts a view over a table: it shows the rows that meet a condition, perhaps with one
 * column computed otherwise.
 */
function viewOf(table: string, condition: string, column = ''): string {
  const [, name = ''] = / AS (\w+)$/.exec(column) ?? [];
  const columns = table === 'fronts' ? '*' : KEY_COLUMNS.map((one) => (one === name ? column : one)).join(', ');
  return `ALTER TABLE ${table} RENAME TO their_${table}; CREATE VIEW ${table} AS SELECT ${columns} FROM their_${table} WHERE ${condition}`;
}
