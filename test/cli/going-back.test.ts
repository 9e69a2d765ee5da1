// `playbill releases`, `rollback` and `prune` as a person runs them, and what a build does in
// between.

import Database from 'better-sqlite3';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { pruneResultSchema, releasesResultSchema, rollbackResultSchema } from '../../src/contract/results/history.ts';
import { publishNoticeSchema } from '../../src/contract/publish-notice.ts';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { AppError } from '../../src/errors.ts';
import type { BuildResult } from '../../src/operations/publish-release.ts';
import { releasesOfTree, resumeTree, rollBackTree } from '../../src/operations/history.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { currentName, idIn, manifestOf, manifestPathOf } from '../support/manifests.ts';
import { buildTree, filesOf, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { findingsOf, lineOf } from '../support/verify-tree.ts';
import { playbill, type Run } from '../support/cli/run.ts';
import { DEFAULT_KEEP } from '../../src/release/history/retention.ts';

const EARLY = '2026-05-01T09:00:00Z';
const LATE = '2026-05-01T10:00:00Z';
const NEXT = '2026-05-01T10:05:00Z';
const root = temporaryFolderOfFile();
const database = join(root, 'demo.sqlite');
/** Two releases: at EARLY two fronts, at LATE one of them with other prices, and another. */
const sound = join(root, 'sound');
let early = '';
let late = '';

beforeAll(async () => {
  demoCatalogueAt(database, EARLY);
  const options = {
    guards: { maxShrink: 0.5, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false },
  };
  setActive(['kuwait', 'fonar']);
  early = (await buildTree(database, sound, instant(EARLY), options)).releaseId ?? '';
  setActive(['kuwait', 'berlin']);
  raisePrices();
  late = (await buildTree(database, sound, instant(LATE), options)).releaseId ?? '';
});

function raisePrices(): void {
  const handle = new Database(database);
  handle.exec('UPDATE price_tiers SET amount_minor = amount_minor + 100');
  handle.close();
}

function setActive(codes: readonly string[]): void {
  const handle = new Database(database);
  const list = codes.map((code) => `'${code}'`).join();
  handle.exec(`UPDATE fronts SET status = iif(code IN (${list}), 'active', 'disabled')`);
  handle.close();
}

/** The cards of a release's fronts at its own instant. */
function cardsOf(files: ReadonlyMap<string, string>, id: string): Record<string, number> {
  return Object.fromEntries(manifestOf(files, id).fronts.map(({ front, cards }) => [front, cards]));
}

function copyOfTree(name: string): string {
  const out = join(root, name);
  cpSync(sound, out, { recursive: true });
  return out;
}

const build = (out: string, ...words: readonly string[]): Promise<Run> =>
  playbill(['build', '--db', database, '--out', out, '--now', NEXT, ...words]);

function errorOf(run: Run): { code: string; message: string; hint: string } {
  const { code, message, hint } = errorResultSchema.parse(JSON.parse(run.stdout)).error;
  return { code, message, hint };
}

/** All files but the key ring, which builds go on putting into force. */
function releaseFilesOf(out: string): Map<string, string> {
  const files = filesOf(out);
  files.delete('edge/keyring.json');
  return files;
}

describe('playbill releases', () => {
  test('newest first, the current one is marked; the sums are those of the files', async () => {
    const { status, stdout, stderr } = await playbill(['releases', '--out', sound]);
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^release +as of +fronts +cards +size +state$/),
      expect.stringMatching(new RegExp(`^${late}  ${LATE} +2 +\\d+  [\\d.]+ kB +current$`)),
      expect.stringMatching(/^ {2}right until 2026-05-01T\S+Z; median price .*$/),
      expect.stringMatching(new RegExp(`^${early}  ${EARLY} +2 +\\d+  [\\d.]+ kB$`)),
      expect.stringMatching(/^ {2}right until 2026-05-01T\S+Z; median price .*$/),
      expect.stringMatching(/^History: [\d.]+ kB in 1 release$/),
      '',
    ]);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(status).toBe(0);

    const json = await playbill(['releases', '--out', sound, '--json']);
    const { releases, ...rest } = releasesResultSchema.parse(JSON.parse(json.stdout));
    expect(rest).toMatchObject({ total: 2, history: { releases: 1 }, hold: null, heldFronts: {}, findings: [] });
    const files = filesOf(sound);
    for (const { id, bytes, cards } of releases) {
      const manifest = manifestOf(files, id);
      const sizes = manifest.files.map(({ path }) => Buffer.byteLength(files.get(path) ?? ''));
      expect(bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
      expect(cards).toBe(manifest.fronts.reduce((sum, front) => sum + front.cards, 0));
    }
    expect(releases.map(({ id, now, isCurrent }) => [id, now, isCurrent])).toEqual([
      [late, LATE, true],
      [early, EARLY, false],
    ]);
  });

  test('a damaged manifest: the others are listed, it is a finding, exit 1', async () => {
    const out = copyOfTree('releases-damaged');
    truncateSync(manifestPathOf(out, early), 100);
    const { status, stdout, stderr } = await playbill(['releases', '--out', out]);
    expect(stdout).toContain(late);
    expect(stdout).not.toContain(early);
    expect(stderr).toMatch(new RegExp(`^error manifest-invalid releases/20260501T090000Z-${early}.json: `));
    expect(status).toBe(1);
  });

  test('a tree of which nothing is kept; no tree', async () => {
    const out = copyOfTree('releases-none');
    for (const id of [early, late]) rmSync(manifestPathOf(out, id));
    expect(await playbill(['releases', '--out', out])).toMatchObject({ status: 0, stdout: 'No release is kept.\n' });
    const nowhere = join(root, 'nowhere');
    const missing = await playbill(['releases', '--out', nowhere, '--json']);
    expect(errorOf(missing).code).toBe('tree-missing');
    expect(missing.status).toBe(2);
  });
});

describe('playbill rollback', () => {
  test('puts the old pointers back, holds the tree; builds plan and exit 4, until it is resumed', async () => {
    const out = copyOfTree('rolled-back');
    const before = filesOf(out);
    const heard = join(root, 'heard.json');
    const back = await playbill(['rollback', early, '--out', out, '--on-publish', `cat > ${heard}; exit 3`]);
    expect(back.stdout).toBe(
      `Rolled back to release ${early} as of ${EARLY}: 2 fronts; pointers: 2 put, 0 kept, 1 removed\n` +
        `  berlin: cards ${cardsOf(before, late)['berlin']} → none\n` +
        `  fonar: cards none → ${cardsOf(before, early)['fonar']}\n` +
        `  kuwait: ${cardsOf(before, early)['kuwait']} cards as before, with other content\n` +
        `Held at release ${early}: builds publish nothing until: playbill rollback --resume\n`,
    );
    expect(back.stderr).toMatch(
      /^(note: a front of release \w+ (was|is) right .+: .*edges serve its last edition.+\n( +.+\n)+)?warning on-publish-failed: the command ended with exit code 3; the release is published all the same\n {2}hint: the next run with --on-publish notifies of the same again\n$/,
    );
    expect(publishNoticeSchema.parse(JSON.parse(readFileSync(heard, 'utf8')))).toEqual({
      schema: 1,
      release: early,
      now: EARLY,
      fronts: ['berlin', 'fonar', 'kuwait'],
      changed: ['/fronts/fonar/pointer.json', '/fronts/kuwait/pointer.json'],
      removed: ['/fronts/berlin/pointer.json'],
      added: [],
      isKeyRingChanged: false,
      allowed: [],
    });
    expect(back.status).toBe(0);
    const held = filesOf(out);
    expect(held.get('releases/current')).toBe(`20260501T090000Z-${early}\n`);
    expect(held.get('releases/hold')).toBe(`{"all":"20260501T090000Z-${early}"}\n`);
    const { fronts } = manifestOf(held, early);
    expect(fronts.map(({ front }) => front)).toEqual(['fonar', 'kuwait']);
    for (const { front, pointer } of fronts) {
      expect(held.get(`public/fronts/${front}/pointer.json`)).toBe(`${JSON.stringify(pointer)}\n`);
    }
    expect(held.has('public/fronts/berlin/pointer.json')).toBe(false);
    // Nothing but pointers, current and the hold is another than before.
    const untouched = [...before].filter(([path]) => !/pointer\.json$|current$/.test(path));
    expect([...held].filter(([path]) => !/pointer\.json$|current$|hold$|notified$/.test(path))).toEqual(untouched);
    // The hook has failed: it knows what was published before.
    expect(held.get('releases/notified')).toMatch(new RegExp(`^20260501T100000Z-${late}\n[0-9a-f]{16}\n$`));
    expect(await findingsOf(out)).toEqual([]);
    expect((await playbill(['releases', '--out', out])).stdout).toMatch(
      new RegExp(`${early} .* current\n.*\nHistory: [\\d.]+ kB in 1 release\n\nHeld at release ${early}: `),
    );

    // The key ring is swapped all the same; --force does not override.
    const handle = new Database(database);
    handle.exec(`UPDATE front_keys SET revoked_at = '2026-05-01T00:00:00Z' WHERE keyid = 'berlin-web'`);
    handle.close();
    const refused = await build(out, '--force', '--json');
    expect(refused.status).toBe(4);
    const result = buildResultSchema.parse(JSON.parse(refused.stdout));
    expect(result).toMatchObject({ hold: { release: early }, release: early, isDryRun: false });
    expect(result.put.files).toBeGreaterThan(0);
    expect(releaseFilesOf(out)).toEqual(new Map([...held].filter(([path]) => path !== 'edge/keyring.json')));
    expect(held.get('edge/keyring.json')).not.toContain('2026-05-01T00:00:00Z');
    expect(filesOf(out).get('edge/keyring.json')).toContain('2026-05-01T00:00:00Z');

    const dry = await build(out, '--dry-run');
    expect(dry.stdout).toContain(
      `Held at release ${early}: builds publish nothing until: playbill rollback --resume\n`,
    );
    expect(dry.stdout).toMatch(/^kuwait .* planned$/m);
    expect(dry.status).toBe(4);

    rmSync(heard);
    const resumed = await playbill(['rollback', '--resume', '--out', out, '--on-publish', `cat > ${heard}`]);
    // Readers see no difference.
    expect(existsSync(heard)).toBe(false);
    expect(resumed).toMatchObject({
      status: 0,
      stdout: `Resumed: the next build publishes again; release ${early} is current\n`,
      stderr: '',
    });
    expect(existsSync(join(out, 'releases/hold'))).toBe(false);
    const published = await build(out, '--json', '--allow', 'max-shrink', 'min-cards');
    expect(published.status).toBe(0);
    const last = buildResultSchema.parse(JSON.parse(published.stdout));
    expect(last.hold).toBeNull();
    expect(idIn(currentName(out))).toBe(last.release);
    expect(filesOf(out).has('public/fronts/fonar/pointer.json')).toBe(false);
  });

  test('to a release that shows the same: a warning, and how to find the last good one', async () => {
    const out = copyOfTree('just-as-bad');
    // The catalogue is as it was: the build of a minute later shows the same.
    const again = await playbill(['build', '--db', database, '--out', out, '--now', '2026-05-01T10:01:00Z', '--json']);
    const { release } = buildResultSchema.parse(JSON.parse(again.stdout));
    const back = await playbill(['rollback', late, '--out', out, '--quiet']);
    expect(back.stdout).toContain('\n  2 fronts shown as before\n');
    expect(back.stderr).toBe(
      `warning: nothing changes for visitors: release ${late} shows the same documents as ${release}
  hint: find the last good one by its cards, look at it, then go back to it:
    playbill releases --out ${out}
    playbill diff ID current --out ${out}
    playbill rollback ID --out ${out}\n`,
    );
    // To hold the tree at what it shows is no mistake.
    expect((await playbill(['rollback', 'current', '--out', out, '--quiet'])).stderr).toBe('');
  });

  test('a run that finishes an interrupted one notifies of what that one moved', async () => {
    const out = copyOfTree('interrupted');
    const heard = join(root, 'heard-later.json');
    await playbill(['rollback', early, '--out', out]);
    // As if it had been stopped before its last write.
    writeFileSync(join(out, 'releases/current'), `20260501T100000Z-${late}\n`);
    const again = await playbill(['rollback', early, '--out', out, '--on-publish', `cat > ${heard}`]);
    expect(again.status).toBe(0);
    expect(again.stdout).toContain('pointers: 0 put, 2 kept, 0 removed\n');
    expect(again.stderr).not.toContain('nothing changes for visitors');
    const { fronts, changed, removed } = publishNoticeSchema.parse(JSON.parse(readFileSync(heard, 'utf8')));
    expect({ fronts, changed, removed }).toEqual({
      fronts: ['berlin', 'fonar', 'kuwait'],
      changed: ['/fronts/fonar/pointer.json', '/fronts/kuwait/pointer.json'],
      removed: ['/fronts/berlin/pointer.json'],
    });
  });

  test('as JSON; a second time there is nothing to do; forward again', async () => {
    const out = copyOfTree('there-and-back');
    const run = async (word: string) => {
      const { status, stdout } = await playbill(['rollback', '--out', out, '--json', word]);
      expect(status).toBe(0);
      return rollbackResultSchema.parse(JSON.parse(stdout));
    };
    const first = await run(early);
    const hold = { release: early };
    expect(first).toMatchObject({ release: early, hold, pointers: { put: 2, kept: 0, removed: 1 } });
    expect(first.validUntil).toMatch(/^2026-05-01T\d\d:/);
    const { plan } = await rollBackTree(out, early);
    expect(new Set(plan.map(({ action }) => action))).toEqual(new Set(['keep']));
    await rollBackTree(out, late);
    expect(filesOf(out).get('releases/hold')).toBe(`{"all":"20260501T100000Z-${late}"}\n`);
    const nothing = { put: 0, kept: 0, removed: 0 };
    expect(await run('--resume')).toEqual({
      release: late,
      hold: null,
      pointers: nothing,
      fronts: [],
      validUntil: null,
      warnings: [],
    });
    expect(filesOf(out)).toEqual(new Map([...filesOf(sound), ['releases/grace', `${late}\n`]]));
    expect((await playbill(['rollback', '--out', out, '--resume'])).stdout).toContain('The tree was not held');
  });

  test('held at the current release: a build that had nothing to do exits 4 all the same', async () => {
    const out = copyOfTree('frozen');
    const words = ['--allow', 'max-shrink', 'min-cards'];
    expect((await build(out, ...words)).status).toBe(0);
    expect((await build(out, ...words)).status).toBe(0);
    const current = idIn(currentName(out));
    await rollBackTree(out, current);
    const held = await build(out, ...words);
    expect(held.stdout).toContain(`Held at release ${current}: `);
    expect(held.status).toBe(4);
    expect((await build(out, ...words)).status).toBe(4);
    await resumeTree(out);
    expect((await build(out, ...words)).status).toBe(0);
  });

  test('what cannot be put back: one coded line, a hint, exit 2, nothing changed', async () => {
    const out = copyOfTree('refused');
    const [path = ''] = manifestOf(filesOf(out), early).files.map((file) => file.path);
    const text = readFileSync(join(out, path), 'utf8');
    const refused = async (id: string): Promise<{ code: string; message: string; hint: string }> => {
      const before = filesOf(out);
      const thrown = await rollBackTree(out, id).catch((error: unknown) => error);
      expect(filesOf(out)).toEqual(before);
      if (!(thrown instanceof AppError)) throw new Error('it was not refused');
      return { code: thrown.code, message: thrown.message, hint: thrown.hint };
    };
    const run = await playbill(['rollback', '0123456789abcdef', '--out', out, '--json']);
    expect(run.status).toBe(2);
    expect(errorOf(run)).toEqual(await refused('0123456789abcdef'));
    expect(errorOf(run)).toEqual({
      code: 'release-unknown',
      message: expect.stringMatching(/^expected a release that .* keeps, found "0123456789abcdef"$/) as string,
      hint: `kept releases: ${late} (${LATE}), ${early} (${EARLY})`,
    });
    expect((await refused('../../etc/passwd')).code).toBe('release-unknown');
    writeFileSync(
      join(out, path),
      text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    );
    expect(await refused(early)).toEqual({
      code: 'release-damaged',
      message: `release ${early} cannot be restored: ${path}: content does not match the digest in the manifest`,
      hint: 'nothing was changed; choose another release from: playbill releases',
    });
    truncateSync(join(out, path), 10);
    expect((await refused(early)).message).toContain(`${path}: expected ${Buffer.byteLength(text)} bytes, found 10`);
    rmSync(join(out, path));
    expect((await refused(early)).message).toContain(`${path}: expected the file, found none`);
    truncateSync(manifestPathOf(out, early), 100);
    expect(await refused(early)).toMatchObject({ code: 'release-damaged' });
  });

  test('neither an id nor --resume, or both; no tree, and none is made', async () => {
    for (const words of [[], [early, '--resume']]) {
      const run = await playbill(['rollback', ...words, '--out', sound, '--json']);
      expect(errorOf(run).code).toBe('usage');
      expect(run.status).toBe(2);
    }
    const nowhere = join(root, 'nowhere');
    expect(await playbill(['rollback', early, '--out', nowhere])).toMatchObject({ status: 2 });
    expect(existsSync(nowhere)).toBe(false);
    const strange = join(root, 'strange');
    mkdirSync(strange);
    expect(await playbill(['prune', '--out', strange])).toMatchObject({ status: 2 });
    expect(filesOf(strange).size).toBe(0);
    expect(existsSync(join(strange, '.lock'))).toBe(false);
  });

  test('a hold that cannot be read holds all the same, and verify says so', async () => {
    const out = copyOfTree('torn-hold');
    writeFileSync(join(out, 'releases/hold'), early.slice(0, 5));
    const before = releaseFilesOf(out);
    const refused = await build(out);
    expect(refused.stdout).toContain('releases/hold is damaged, which holds the tree: builds publish nothing until: ');
    expect(refused.status).toBe(4);
    expect(releaseFilesOf(out)).toEqual(before);
    expect((await findingsOf(out)).map(lineOf)).toEqual(['error hold-invalid releases/hold']);
    expect(await resumeTree(out)).toMatchObject({ lifted: { release: null }, current: { id: late } });
    expect((await buildTree(database, out, instant(NEXT))).hold).toBeNull();
  });
});

describe('playbill prune', () => {
  /**
   * Twelve more releases in a quarter of an hour, a day and more later, by builds that prune
   * nothing.
   */
  async function crowded(name: string): Promise<string> {
    const out = copyOfTree(name);
    for (let i = 0; i < 12; i += 1) {
      raisePrices();
      const now = `2026-05-03T10:${10 + i}:00Z`;
      await buildTree(database, out, instant(now), { keep: null, horizonSeconds: 0 });
    }
    return out;
  }

  test('a dry run says what would go and why, and what stays and why; then it goes; and a third time there is nothing', async () => {
    const out = await crowded('crowded');
    const before = filesOf(out);
    const dry = await playbill(['prune', '--out', out, '--grace', '0', '--dry-run']);
    expect(dry.stdout).toMatch(/^release +as of +why kept\n[0-9a-f]{16}  2026-05-03T10:21:00Z  current\n/);
    expect(dry.stdout).toMatch(new RegExp(`^${late}  ${LATE}  daily$`, 'm'));
    expect(dry.stdout).toMatch(new RegExp(`^${early}  ${EARLY}  goes$`, 'm'));
    expect(dry.stdout).toMatch(
      new RegExp(`^remove releases/20260501T090000Z-${early}.json \\(\\d+ B\\): not-kept$`, 'm'),
    );
    expect(dry.stdout).toMatch(/^remove public\/fronts\/fonar\/.*: not-named$/m);
    expect(dry.status).toBe(0);
    for (const line of dry.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(filesOf(out)).toEqual(before);

    const { stdout, status } = await playbill(['prune', '--out', out, '--grace', '0', '--json']);
    const result = pruneResultSchema.parse(JSON.parse(stdout));
    expect(status).toBe(0);
    expect(result.releases.filter(({ kept }) => kept === null).map(({ now }) => now)).toEqual([
      '2026-05-03T10:11:00Z',
      '2026-05-03T10:10:00Z',
      EARLY,
    ]);
    expect(result.pruned).toMatchObject({ releases: 3, files: result.plan.length });
    expect(dry.stdout).toContain(`Would prune: 3 releases, ${result.plan.length} files (`);
    const gone = new Set(result.plan.map(({ path }) => path));
    expect(filesOf(out)).toEqual(new Map([...before].filter(([path]) => !gone.has(path))));
    // The folder of a front that no release has any more is gone too.
    expect(existsSync(join(out, 'public/fronts/fonar'))).toBe(false);
    expect(await findingsOf(out)).toEqual([]);

    const again = await playbill(['prune', '--out', out, '--grace', '0']);
    expect(again.stdout).toBe('Pruned: 0 releases, 0 files (0 B); 11 releases kept, with a grace of 0\n');
  });

  test('a build prunes last and says so; --no-prune leaves it; a failure is a warning', async () => {
    const out = await crowded('by-build');
    const wordsAt = (time: string): string[] => {
      return [
        'build',
        '--db',
        database,
        '--out',
        out,
        '--allow',
        'max-shrink',
        'min-cards',
        '--now',
        `2026-05-03T${time}:00Z`,
      ];
    };
    const left = await playbill([...wordsAt('12:00'), '--no-prune']);
    expect(left.stdout).toMatch(/, 0 removed\n$/);
    const run = await playbill(wordsAt('12:05'));
    expect(run.stdout).toMatch(
      /, (\d+) removed\nPruned: 5 releases, \1 files \([\d.]+ [kM]?B\)\nHistory: [\d.]+ [kM]?B in 10 releases\n$/,
    );
    expect(run.status).toBe(0);
    expect(await findingsOf(out)).toEqual([]);

    const older = `releases/20260501T100000Z-${late}.json`;
    truncateSync(join(out, older), 100);
    const warned = await playbill([...wordsAt('12:10'), '--json']);
    const { findings, hold } = buildResultSchema.parse(JSON.parse(warned.stdout));
    expect([warned.status, hold]).toEqual([0, null]);
    expect(findings.filter(({ code }) => code === 'not-pruned')).toEqual([
      { severity: 'warning', code: 'not-pruned', place: 'releases', message: expect.stringContaining(older) },
    ]);
    const before = filesOf(out);
    const refused = await playbill(['prune', '--out', out, '--json']);
    expect(errorOf(refused).code).toBe('release-damaged');
    expect(refused.status).toBe(2);
    expect(filesOf(out)).toEqual(before);
  });

  describe('the grace of what was in force after going back', () => {
    const day = (time: string): string => `2026-05-03T${time}:00Z`;
    const at = (out: string, time: string, options: Parameters<typeof buildTree>[3] = {}): Promise<BuildResult> => {
      raisePrices();
      return buildTree(database, out, instant(day(time)), { horizonSeconds: 0, ...options });
    };
    const releaseIds = async (out: string): Promise<Map<string, string>> => {
      const { releases } = await releasesOfTree(out);
      return new Map(releases.map(({ id, now }) => [now, id]));
    };
    /**
     * A build each quarter of an hour: of 10:30 nothing but being among the last ten keeps the
     * release.
     */
    async function quarterHours(name: string): Promise<string> {
      const out = copyOfTree(name);
      for (const hour of ['10', '11', '12']) {
        for (const minute of ['00', '15', '30', '45']) {
          await at(out, `${hour}:${minute}`, {
            guards: { maxShrink: 0.5, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false },
          });
        }
      }
      return out;
    }
    const isWhole = async (out: string, id: string): Promise<boolean> => {
      const files = filesOf(out);
      if (![...files.keys()].some((path) => path.endsWith(`${id}.json`))) return false;
      return manifestOf(files, id).files.every(({ path }) => files.has(path));
    };

    test.each([
      ['each build prunes', async () => undefined, { keep: DEFAULT_KEEP }],
      ['the first build after it does not get to pruning', async () => undefined, { keep: null }],
      [
        'another rollback comes first',
        async (out: string) => void (await rollBackTree(out, (await releaseIds(out)).get(day('12:45')) ?? '')),
        { keep: DEFAULT_KEEP },
      ],
    ])('counts from the first build after it: %s', async (name, before, first) => {
      const out = await quarterHours(`grace ${name}`);
      const target = (await releaseIds(out)).get(day('10:30')) ?? '';
      await rollBackTree(out, target);
      await before(out);
      await resumeTree(out);
      await at(out, '13:00', first);
      for (const time of ['13:10', '13:25', '13:59']) {
        await at(out, time);
        expect(await isWhole(out, target), time).toBe(true);
      }
      expect(await findingsOf(out)).toEqual([]);
      const dry = await playbill(['prune', '--out', out, '--dry-run']);
      expect(dry.stdout).toContain(`${target}  ${day('10:30')}  grace\n`);
      await at(out, first.keep === null ? '14:10' : '14:00');
      expect((await releaseIds(out)).has(day('10:30'))).toBe(false);
      // Nothing is left of it all.
      expect([...filesOf(out).keys()].filter((path) => /^releases\/[a-z]+$/.test(path))).toEqual(['releases/current']);
      expect(await findingsOf(out)).toEqual([]);
    });

    test('a build for an earlier time, under --force, is superseded by the next one too', async () => {
      const out = await quarterHours('grace force');
      const guards = { maxShrink: 0.5, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: true };
      const { releaseId } = await at(out, '10:25', { guards });
      await at(out, '13:00', { guards });
      await at(out, '13:10');
      expect(await isWhole(out, releaseId ?? '')).toBe(true);
      await at(out, '14:00');
      expect(await isWhole(out, releaseId ?? '')).toBe(false);
    });

    test('a first build years ahead, by a wrong clock, does not make it last for years; --grace 0 ends it', async () => {
      const out = await quarterHours('grace clock');
      const target = (await releaseIds(out)).get(day('10:30')) ?? '';
      await rollBackTree(out, target);
      await resumeTree(out);
      await buildTree(database, out, instant('2062-05-03T13:00:00Z'), { horizonSeconds: 0 });
      const guards = { maxShrink: 0.5, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: true };
      await at(out, '13:00', { guards });
      await at(out, '13:10');
      expect(await isWhole(out, target)).toBe(true);
      await playbill(['prune', '--out', out, '--grace', '0']);
      expect(await isWhole(out, target)).toBe(false);
      expect(existsSync(join(out, 'releases/grace'))).toBe(false);
    });
  });

  test('a held tree loses no release, but what nobody names', async () => {
    const out = await crowded('held');
    await rollBackTree(out, early);
    const orphan = join(out, 'public/fronts/kuwait/products.0123456789abcdef.json');
    for (const suffix of ['', '.gz', '.br']) writeFileSync(orphan + suffix, '{}\n');
    const { stdout } = await playbill(['prune', '--out', out, '--grace', '0', '--json']);
    const result = pruneResultSchema.parse(JSON.parse(stdout));
    expect(result.hold).toEqual({ release: early });
    expect(new Set(result.releases.map(({ kept }) => kept))).toEqual(new Set(['held']));
    expect(result.plan.map(({ path }) => join(out, path))).toEqual(['', '.br', '.gz'].map((suffix) => orphan + suffix));
  });
});
