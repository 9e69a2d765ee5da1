// `build --on-publish` and `keys --on-change`: real commands and a real server are notified of what
// was published, and fail in every way.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishNoticeSchema } from '../../src/contract/publish-notice.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { Command, summaryOf, type Run } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { currentName, idIn, manifestOf } from '../support/manifests.ts';
import { catalogueAt, filesOf, temporaryFolderOfFile } from '../support/trees.ts';

const LATER = '2026-05-01T09:05:00Z';
const root = temporaryFolderOfFile();
const command = new Command();
const one = join(root, 'one.sqlite');
/** Another season of fewer fronts; and one of the same fronts, with other keys. */
const other = join(root, 'other.sqlite');
const rekeyed = join(root, 'rekeyed.sqlite');

beforeAll(() => {
  const small = { productsPerFront: 1, sessionsPerProduct: 2 };
  catalogueAt(one, smallCatalogue({ ...small, fronts: ['alpha', 'bravo', 'gone'], edition: 'one' }));
  catalogueAt(rekeyed, smallCatalogue({ ...small, fronts: ['alpha', 'bravo', 'gone'], edition: 'rekeyed' }));
  catalogueAt(other, smallCatalogue({ ...small, fronts: ['alpha', 'bravo'], edition: 'other' }));
});

let serial = 0;
const fresh = (): string => join(root, `tree-${++serial}`);

const argvOf = (out: string, onPublish: string, ...argv: string[]): string[] => [
  'build',
  `--db=${one}`,
  `--out=${out}`,
  `--now=${NOW}`,
  '--json',
  `--on-publish=${onPublish}`,
  ...argv,
];

const noticeIn = (path: string) => publishNoticeSchema.parse(JSON.parse(readFileSync(path, 'utf8')));

/**
 * The publish was done, its exit code says so, and the operator sees in both ways what went wrong
 * afterwards.
 */
function expectWarning(run: Run, out: string, message: RegExp): void {
  expect(run.code, run.stderr).toBe(0);
  const { warnings, release, notice } = summaryOf(run);
  expect(notice?.release).toBe(release);
  expect(warnings).toEqual([{ code: 'on-publish-failed', message: expect.stringMatching(message) as string }]);
  expect(run.stderr).toContain(
    `warning on-publish-failed: ${warnings[0]?.message}; the release is published all the same\n`,
  );
  expect(idIn(currentName(out))).toBe(release);
}

describe('the notice', () => {
  test('has all of a first release, then exactly what a second one changed, when it is durable and the lock is free', async () => {
    const out = fresh();
    const heard = join(root, 'heard.json');
    const first = await command.run(argvOf(out, `cat > ${heard}`));
    expect(first, first.stderr).toMatchObject({ code: 0, stderr: '' });
    expect(summaryOf(first).warnings).toEqual([]);
    const before = filesOf(out);
    expect(noticeIn(heard)).toEqual({
      schema: 1,
      release: summaryOf(first).release,
      now: NOW,
      fronts: ['alpha', 'bravo', 'gone'],
      changed: ['alpha', 'bravo', 'gone'].map((front) => `/fronts/${front}/pointer.json`),
      removed: [],
      added: publicPaths(before).filter((path) => !path.endsWith('/pointer.json')),
      isKeyRingChanged: true,
      allowed: [],
    });

    const seen = join(root, 'seen');
    // The shell's output goes to stderr, and stdout stays the summary.
    const listener = `cat > ${heard}; cat ${out}/releases/current > ${seen}; sqlite3 ${out}/.lock 'begin exclusive; select 71;'`;
    const argv = ['build', '--db', other, '--out', out, '--now', '2026-05-01T09:05:00Z', '--json'];
    const second = await command.run([...argv, '--on-publish', listener]);
    expect(second.stderr).toBe('71\n');
    const { release } = summaryOf(second);
    expect(idIn(readFileSync(seen, 'utf8').trim())).toBe(release);
    const after = filesOf(out);
    const notice = noticeIn(heard);
    const changed = publicPaths(after).filter(
      (path) => before.has(`public${path}`) && after.get(`public${path}`) !== before.get(`public${path}`),
    );
    expect(notice).toMatchObject({ release, fronts: ['alpha', 'bravo', 'gone'], changed });
    expect(changed).toEqual(['/fronts/alpha/pointer.json', '/fronts/bravo/pointer.json']);
    expect(notice.removed).toEqual(['/fronts/gone/pointer.json']);
    expect(notice.added).toEqual(publicPaths(after).filter((path) => !before.has(`public${path}`)));
    expect(notice.added.length).toBeGreaterThan(3);
  });

  test('is not sent where nothing changed: the same again, a dry run, an error, a guard; but it is for a new key', async () => {
    const out = fresh();
    const heard = join(root, 'quiet.json');
    const listener = `cat > ${heard}`;
    await command.run(argvOf(out, listener, '--dry-run'));
    expect(existsSync(heard)).toBe(false);
    await command.run(argvOf(out, 'true'));
    for (const argv of [[], ['--db', join(root, 'none.sqlite')], ['--now', '2026-05-01T08:00:00Z']]) {
      await command.run(argvOf(out, listener, ...argv));
      expect(existsSync(heard), argv.join(' ')).toBe(false);
    }
    const held = await command.run(argvOf(out, listener, '--db', rekeyed, '--now', '2026-05-01T08:00:00Z'));
    expect(held.code).toBe(4);
    expect(noticeIn(heard)).toMatchObject({ fronts: [], changed: [], removed: [], added: [], isKeyRingChanged: true });
  });

  test('of a build of some fronts names only those', async () => {
    const out = fresh();
    const heard = join(root, 'some.json');
    await command.run(argvOf(out, 'true'));
    await command.run(argvOf(out, `cat > ${heard}`, '--db', other, '--now', LATER, '--front', 'alpha'));
    expect(noticeIn(heard)).toMatchObject({ fronts: ['alpha'], changed: ['/fronts/alpha/pointer.json'], removed: [] });
  });

  test('names only the fronts that changed, and is not sent where none did, although there is a new release', async () => {
    const out = fresh();
    const heard = join(root, 'changed-alone.json');
    const repriced = join(root, 'repriced.sqlite');
    copyFileSync(one, repriced);
    const handle = new Database(repriced);
    handle.exec('UPDATE price_tiers SET amount_minor = 100 WHERE product_id = 2001');
    handle.close();
    const first = summaryOf(await command.run(argvOf(out, 'true'))).release;
    const second = await command.run(argvOf(out, `cat > ${heard}`, '--now', LATER));
    expect(summaryOf(second)).toMatchObject({ now: LATER, warnings: [], put: { files: 2 } });
    expect(summaryOf(second).release).not.toBe(first);
    expect(existsSync(heard)).toBe(false);
    await command.run(argvOf(out, `cat > ${heard}`, '--db', repriced, '--now', '2026-05-01T09:10:00Z'));
    expect(noticeIn(heard)).toMatchObject({ fronts: ['bravo'], changed: ['/fronts/bravo/pointer.json'], removed: [] });
  });

  test('has a damaged edition that --force rewrites as a change', async () => {
    const out = fresh();
    const heard = join(root, 'repaired.json');
    await command.run(argvOf(out, 'true'));
    const path = publicPaths(filesOf(out)).find((one) => one.includes('/alpha/products.')) ?? '';
    writeFileSync(join(out, 'public', path), 'torn');
    await command.run(argvOf(out, `cat > ${heard}`, '--force'));
    expect(noticeIn(heard)).toMatchObject({ fronts: ['alpha'], changed: [path], added: [] });
  });
});

function publicPaths(files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()].filter((path) => path.startsWith('public/')).map((path) => path.slice('public'.length));
}

describe('what an earlier run left untold is told by the next one', () => {
  const pointer = (front: string): string => `/fronts/${front}/pointer.json`;
  const ALL = ['alpha', 'bravo', 'gone'].map(pointer);
  const told = (out: string): string => readFileSync(join(out, 'releases/notified'), 'utf8').split('\n')[0] ?? '';
  const heard = join(root, 'untold.json');
  const listen = `cat > ${heard}`;
  const repriced = join(root, 'untold.sqlite');

  /** A tree whose hook has been told of its first release. */
  async function toldTree(): Promise<string> {
    const out = fresh();
    rmSync(heard, { force: true });
    const first = await command.run(argvOf(out, 'true'));
    expect(idIn(told(out))).toBe(summaryOf(first).release);
    return out;
  }

  const changed = ['--db', rekeyed, '--now', LATER];

  beforeAll(() => {
    copyFileSync(one, repriced);
    const handle = new Database(repriced);
    handle.exec('UPDATE price_tiers SET amount_minor = 100 WHERE product_id = 2001');
    handle.close();
  });

  test('a release that was interrupted after its pointers had moved', async () => {
    const out = await toldTree();
    const before = filesOf(out);
    const current = join(out, 'releases/current');
    renameSync(current, `${out}-kept`);
    mkdirSync(current);
    expect((await command.run(argvOf(out, listen, ...changed))).code).toBe(6);
    expect(existsSync(heard)).toBe(false);
    rmdirSync(current);
    renameSync(`${out}-kept`, current);
    const run = await command.run(argvOf(out, listen, ...changed));
    expect(run.code).toBe(0);
    expect(noticeIn(heard)).toMatchObject({ fronts: ['alpha', 'bravo', 'gone'], changed: ALL, removed: [] });
    expect(noticeIn(heard).added).toEqual(publicPaths(filesOf(out)).filter((path) => !before.has(`public${path}`)));
    expect(summaryOf(run).notice).toEqual(noticeIn(heard));
    expect(idIn(told(out))).toBe(summaryOf(run).release);
  });

  test('a hook that fails, in a tree of which it knows, and in a new one', async () => {
    for (const out of [await toldTree(), fresh()]) {
      rmSync(heard, { force: true });
      const failing = await command.run(argvOf(out, 'exit 1', ...changed));
      expect(failing.stderr).toContain('hint: the next run with --on-publish notifies of the same again\n');
      const again = await command.run(argvOf(out, listen, ...changed));
      expect(summaryOf(again)).toMatchObject({ warnings: [], put: { files: 0 } });
      expect(summaryOf(failing).notice?.isKeyRingChanged).toBe(true);
      expect(noticeIn(heard)).toEqual(summaryOf(failing).notice);
      expect(noticeIn(heard).changed).toEqual(ALL);
      rmSync(heard);
      expect(summaryOf(await command.run(argvOf(out, listen, ...changed))).notice).toBeNull();
      expect(existsSync(heard)).toBe(false);
    }
  });

  test('several releases in a row, with a front that is gone, and only what is different in the end', async () => {
    const out = await toldTree();
    await command.run(argvOf(out, 'exit 1', '--db', repriced, '--now', LATER));
    await command.run(argvOf(out, 'exit 1', '--db', other, '--now', '2026-05-01T09:10:00Z'));
    // Without a hook nothing is told, and nothing counts as told.
    await command.run(['build', '--db', other, '--out', out, '--now', '2026-05-01T09:15:00Z']);
    const run = await command.run(argvOf(out, listen, '--db', other, '--now', '2026-05-01T09:20:00Z'));
    const changedAtLast = ['alpha', 'bravo'].map(pointer);
    expect(noticeIn(heard)).toMatchObject({ changed: changedAtLast, removed: [pointer('gone')] });
    const listed = manifestOf(filesOf(out), summaryOf(run).release ?? '').files.map(({ path }) => path);
    for (const path of noticeIn(heard).added) expect(listed).toContain(`public${path}`);
  });

  test('a run that is killed while the hook works', async () => {
    for (const out of [await toldTree(), fresh()]) {
      const begun = `${out}-begun`;
      const hook = `cat > /dev/null; echo $$ > ${begun}; exec sleep 600`;
      const { child, ended } = command.start(argvOf(out, hook, ...changed));
      await expect.poll(() => existsSync(begun) && readFileSync(begun, 'utf8') !== '').toBe(true);
      child.kill('SIGKILL');
      process.kill(Number(readFileSync(begun, 'utf8')), 'SIGKILL');
      await ended;
      const run = await command.run(argvOf(out, listen, ...changed));
      expect(summaryOf(run).put.files).toBe(0);
      expect(noticeIn(heard)).toMatchObject({ changed: ALL, isKeyRingChanged: true });
    }
  });

  test('a change of keys alone', async () => {
    const out = await toldTree();
    const early = ['--db', rekeyed, '--now', '2026-05-01T08:00:00Z'];
    const failing = await command.run(argvOf(out, 'exit 1', ...early));
    expect(summaryOf(failing).notice).toMatchObject({ fronts: [], isKeyRingChanged: true });
    await command.run(argvOf(out, listen, ...early));
    expect(noticeIn(heard)).toMatchObject({ isKeyRingChanged: true });
  });

  test('a rollback whose hook fails, by the build that it holds', async () => {
    const out = await toldTree();
    const first = told(out);
    await command.run(argvOf(out, 'true', ...changed));
    await command.run(['rollback', first, '--out', out, '--json', '--on-publish', 'exit 1']);
    const held = await command.run(argvOf(out, listen, ...changed));
    expect(held.code).toBe(4);
    expect(noticeIn(heard)).toMatchObject({ release: idIn(first), changed: ALL });
    expect(told(out)).toBe(first);
  });

  test('shards whose finish was told in vain', async () => {
    const out = await toldTree();
    const shard = ['--out', out, '--run', 'one'];
    await command.run(['build', ...changed, ...shard, '--shard', '0/1']);
    const finished = await command.run(['finish', ...shard, '--shards', '1', '--json', '--on-publish', 'exit 1']);
    expect(summaryOf(finished).warnings).toHaveLength(1);
    await command.run(argvOf(out, listen, ...changed));
    expect(noticeIn(heard)).toMatchObject({ changed: ALL });
  });

  test('a damaged file, or a release that is there no more, counts as nothing told', async () => {
    for (const text of ['\n', '0123456789abcdef\n', '20260501T090000Z-0123456789abcdef\n']) {
      const out = await toldTree();
      writeFileSync(join(out, 'releases/notified'), text);
      const run = await command.run(argvOf(out, listen));
      expect(noticeIn(heard)).toMatchObject({ changed: ALL, isKeyRingChanged: true });
      expect(idIn(told(out))).toBe(summaryOf(run).release);
      expect(await command.run(['verify', '--out', out])).toMatchObject({ code: 0 });
    }
  });

  test('a build that meanwhile has told of more is not forgotten', async () => {
    const out = await toldTree();
    const inner = `playbill build --db ${other} --out ${out} --now 2026-05-01T09:10:00Z --on-publish 'cat > /dev/null'`;
    const environment = { PATH: `${command.folderForPath}:${process.env['PATH']}` };
    await command.run(argvOf(out, inner, ...changed), { environment });
    expect(told(out)).toBe(currentName(out));
  });
});

describe('a command', () => {
  test.each([
    ['ends with an exit code, having read nothing', 'exit 3', /^the command ended with exit code 3$/],
    ['is ended by a signal', 'kill -9 $$', /^the command was ended by SIGKILL$/],
    ['does not exist', 'no-such-purge-7f3a', /^the command ended with exit code 127$/],
  ])('that %s is a warning', async (_, listener, message) => {
    const out = fresh();
    expectWarning(await command.run(argvOf(out, listener)), out, message);
  });

  test('that hangs is ended with all that it started, even what ignores SIGTERM', async () => {
    const pids = join(root, 'hanging');
    // Ten minutes: were it waited for, the test would run out of time.
    const listener = `trap '' TERM; sleep 600 & echo $$ $! > ${pids}; wait; wait; sleep 600`;
    // On a busy machine a second may not be enough for the command to begin.
    for (const seconds of [1, 4, 16]) {
      const out = fresh();
      const run = await command.run(argvOf(out, listener, '--on-publish-timeout', `${seconds}s`));
      expectWarning(run, out, new RegExp(`^the command had not ended after ${seconds} s$`));
      if (existsSync(pids) && readFileSync(pids, 'utf8') !== '') break;
    }
    await expectEnded(pids);
  });
});

/** None of the processes whose ids stand in a file runs any more. */
async function expectEnded(path: string): Promise<void> {
  const pids = readFileSync(path, 'utf8').trim().split(/\s+/).map(Number);
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) await expect.poll(() => isRunning(pid)).toBe(false);
}

function isRunning(pid: number): boolean {
  try {
    // A zombie waits for a parent that is gone with the test: it runs no more.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly body: string;
}

describe('a URL', () => {
  const requests: Request[] = [];
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/ok': (response) => void response.writeHead(204).end(),
    '/slow-body': (response) => void response.writeHead(200).write('…'),
    '/broken': (response) => void response.writeHead(500).end('oh'),
    '/moved': (response) => void response.writeHead(307, { location: `${place()}/ok` }).end(),
    '/hang': () => undefined,
    '/cut': (response) => response.destroy(),
  };
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, type: headers['content-type'] ?? '', body });
      answers[url.replace(/\?.*/, '')]?.(response);
    });
  });
  const place = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('gets one POST of the JSON', async () => {
    const out = fresh();
    requests.length = 0;
    const run = await command.run(argvOf(out, `${place()}/ok?token=s3cret`));
    expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
    expect(requests).toMatchObject([{ method: 'POST', url: '/ok?token=s3cret', type: 'application/json' }]);
    const notice = publishNoticeSchema.parse(JSON.parse(requests[0]?.body ?? ''));
    expect(notice.release).toBe(summaryOf(run).release);
  });

  test('that has responded is not waited for', async () => {
    const out = fresh();
    const run = await command.run(argvOf(out, `${place()}/slow-body`));
    expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['that refuses', '/broken', /^the call of http:\/\/127\.0\.0\.1:\d+ was answered 500$/],
    ['that sends us elsewhere, where nobody named', '/moved', /was answered 307$/],
    ['that hangs up', '/cut', /^the call of http:\/\/127\.0\.0\.1:\d+ failed: ./],
  ])('%s is a warning without the token', async (_, path, message) => {
    const out = fresh();
    requests.length = 0;
    const run = await command.run(argvOf(out, `${place()}${path}?token=s3cret`));
    expectWarning(run, out, message);
    expect(run.stdout + run.stderr).not.toContain('s3cret');
    expect(requests.map(({ url }) => url)).toEqual([`${path}?token=s3cret`]);
  });

  test('that hangs is a warning without the token', async () => {
    requests.length = 0;
    // On a busy machine three seconds may not be enough for the call to arrive.
    for (const seconds of [3, 12, 48]) {
      const out = fresh();
      const run = await command.run(argvOf(out, `${place()}/hang?token=s3cret`, '--on-publish-timeout', `${seconds}s`));
      expectWarning(run, out, new RegExp(`^the call of http://127\\.0\\.0\\.1:\\d+ had not ended after ${seconds} s$`));
      expect(run.stdout + run.stderr).not.toContain('s3cret');
      if (requests.length > 0) break;
    }
    expect(requests.map(({ url }) => url)).toEqual(['/hang?token=s3cret']);
  });

  test('where nothing listens is a warning', async () => {
    const out = fresh();
    const run = await command.run(argvOf(out, 'http://127.0.0.1:9/s3cret'));
    expectWarning(run, out, /^the call of http:\/\/127\.0\.0\.1:9 failed: ./);
    expect(run.stdout + run.stderr).not.toContain('s3cret');
  });

  test('is interrupted by SIGTERM, while the summary of the build is still printed', async () => {
    const out = fresh();
    requests.length = 0;
    const { child, ended } = command.start(argvOf(out, `${place()}/hang`));
    await expect.poll(() => requests.length).toBe(1);
    child.kill('SIGTERM');
    expectWarning(await ended, out, /^the call of http:\/\/127\.0\.0\.1:\d+ was interrupted$/);
  });
});

test('SIGTERM ends the command, and all that it started', async () => {
  const out = fresh();
  const pids = join(root, 'interrupted');
  const { child, ended } = command.start(argvOf(out, `sleep 600 & echo $$ $! > ${pids}; wait`));
  await expect.poll(() => existsSync(pids) && readFileSync(pids, 'utf8') !== '').toBe(true);
  await sleep(50);
  child.kill('SIGTERM');
  expectWarning(await ended, out, /^the command was interrupted$/);
  await expectEnded(pids);
});

describe('keys --on-change', () => {
  const heard = join(root, 'keys.json');
  const listener = `cat > ${heard}`;

  /** A tree, and the words that name it with a catalogue of its own. */
  async function treeOfKeys() {
    const out = fresh();
    const database = `${out}.sqlite`;
    copyFileSync(one, database);
    rmSync(heard, { force: true });
    const built = await command.run(argvOf(out, 'true', '--db', database));
    return { release: summaryOf(built).release, out, places: ['--db', database, '--out', out] };
  }

  test('has the notice of a publish, once the tree has the key ring, and only where that changed', async () => {
    const { release, out, places } = await treeOfKeys();
    const seen = join(root, 'ring-seen.json');
    const hook = ['--on-change', `cat > ${heard}; cp ${out}/edge/keyring.json ${seen}`];
    const revoke = ['keys', 'revoke', 'alpha-site', ...places, ...hook, '--json', '--quiet'];
    const run = await command.run(revoke);
    expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
    const nothing = { fronts: [], changed: [], removed: [], added: [] };
    expect(noticeIn(heard)).toEqual({ schema: 1, release, now: NOW, ...nothing, isKeyRingChanged: true, allowed: [] });
    expect(readFileSync(seen, 'utf8')).toContain(`"revokedAt":"${new Date().getUTCFullYear()}`);
    rmSync(heard);
    expect(await command.run(revoke)).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(heard)).toBe(false);
    const again = await command.run(revoke.slice(0, -2));
    expect(again.stderr).toContain('--on-change is not run: the key ring was already up to date\n');
    const to = join(root, 'issued.json');
    expect((await command.run(['keys', 'issue', '--front', 'alpha', '--to', to, ...places, ...hook])).code).toBe(0);
    expect(noticeIn(heard)).toMatchObject({ release, isKeyRingChanged: true });
  });

  test('is not run where there is no tree to have changed', async () => {
    const { places } = await treeOfKeys();
    const nowhere = ['keys', 'revoke', 'alpha-site', ...places.slice(0, 2), '--out', fresh(), '--on-change', listener];
    expect((await command.run(nowhere)).code).toBe(0);
    expect(existsSync(heard)).toBe(false);
  });

  test.each([
    [
      'exit 3',
      /^warning on-change-failed: the command ended with exit code 3; the new key ring of the tree is published/m,
    ],
    ['http://127.0.0.1:9/s3cret', /^warning on-change-failed: the call of http:\/\/127\.0\.0\.1:9 failed: /m],
  ])('that fails is a warning, and the key is revoked: %s', async (hook, message) => {
    const { out, places } = await treeOfKeys();
    const run = await command.run(['keys', 'revoke', 'alpha-site', ...places, '--on-change', hook, '--quiet']);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).toMatch(/\n {2}hint: /);
    expect(run.stderr).not.toContain('s3cret');
    expect(readFileSync(join(out, 'edge/keyring.json'), 'utf8')).toMatch(/"revokedAt":"\d/);
  });

  test('that hangs is ended', async () => {
    const { places } = await treeOfKeys();
    const hook = ['--on-change', 'sleep 600', '--on-change-timeout', '1s'];
    const run = await command.run(['keys', 'revoke', 'alpha-site', ...places, ...hook]);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('warning on-change-failed: the command had not ended after 1 s; ');
  });

  test('that cannot be called is refused before anything is revoked', async () => {
    const { places } = await treeOfKeys();
    const hook = ['--on-change', 'https://me:s3cret@cdn.example/'];
    const run = await command.run(['keys', 'revoke', 'alpha-site', ...places, ...hook]);
    expect(run.stderr).toMatch(
      /^error on-change-invalid: --on-change: expected .*\n {2}hint: for example --on-change /,
    );
    expect([run.code, run.stderr.includes('s3cret')]).toEqual([2, false]);
    expect((await command.run(['keys', 'list', ...places.slice(0, 2)])).stdout).not.toContain('revoked');
  });
});

test.each([
  ['no command at all', ' '],
  ['no URL', 'https://'],
  ['a URL with a password', 'https://me:s3cret@cdn.example/purge'],
])('%s is refused before anything is built', async (_, text) => {
  const out = fresh();
  const run = await command.run(argvOf(out, text));
  expect([run.code, errorResultSchema.parse(JSON.parse(run.stdout)).error.code]).toEqual([2, 'on-publish-invalid']);
  expect(run.stdout + run.stderr).not.toContain('s3cret');
  expect(existsSync(out)).toBe(false);
});
