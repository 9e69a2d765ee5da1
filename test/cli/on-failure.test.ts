// `--on-failure`: who is notified of which end of a build, with what; and what the textfile says of
// its phases.

import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { failureNoticeSchema } from '../../src/contract/failure-notice.ts';
import { inFolder, settingsFolder } from '../support/cli/settings.ts';
import { outputOf } from '../support/cli/run.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { samplesOf } from '../support/textfile.ts';
import { catalogueAt, temporaryFolder } from '../support/trees.ts';

let root = '';
let db = '';
let out = '';
let sent = '';

beforeEach(() => {
  root = temporaryFolder();
  [db, out, sent] = ['c.sqlite', 'out', 'sent'].map((name) => join(root, name)) as [string, string, string];
  const small = { fronts: ['alpha', 'bravo'], productsPerFront: 2, sessionsPerProduct: 1, edition: 'one' };
  catalogueAt(db, smallCatalogue(small));
});

const hook = (): string[] => ['--on-failure', `cat > ${sent}`];
const build = (...words: readonly string[]) =>
  outputOf(['build', '--db', db, '--out', out, '--now', NOW, ...hook(), ...words]);
const notice = () => failureNoticeSchema.parse(JSON.parse(readFileSync(sent, 'utf8')));

describe('a build that', () => {
  test('cannot read its catalogue notifies of the error', async () => {
    const { code, logged } = await build('--db', join(root, 'none.sqlite'));
    expect(code).toBe(2);
    expect(logged).toMatch(/^error database-missing: /);
    expect(notice()).toMatchObject({
      command: 'build',
      at: '2026-05-01T09:00:00Z',
      exitCode: 2,
      error: { code: 'database-missing', hint: expect.any(String) as string },
      held: [],
    });
  });

  test('is held back by a guard notifies of the fronts', async () => {
    changeDatabase(db, 'UPDATE fronts SET min_cards = 50 WHERE id = 2');
    expect((await build()).code).toBe(4);
    expect(notice()).toMatchObject({ exitCode: 4, error: null, held: [{ front: 'bravo', reason: 'min-cards' }] });
  });

  test('would publish less than the current release notifies of that', async () => {
    expect((await build('--horizon', '24h')).code).toBe(0);
    expect(existsSync(sent)).toBe(false);
    expect((await build()).code).toBe(2);
    expect(notice()).toMatchObject({ exitCode: 2, error: { code: 'settings-weaker' } });
  });

  test('cannot write its textfile notifies of that', async () => {
    expect((await build('--prometheus', join(root, 'no/playbill.prom'))).code).toBe(2);
    expect(notice()).toMatchObject({ error: { code: 'metrics-not-writable' } });
  });

  test('comes to its end, only plans, or finds another at work notifies nobody', async () => {
    expect((await build()).code).toBe(0);
    expect((await build('--dry-run', '--db', join(root, 'none.sqlite'))).code).toBe(2);
    const lock = new Database(join(out, '.lock'), { timeout: 0 });
    lock.exec('begin exclusive');
    onTestFinished(() => void lock.close());
    expect((await build()).code).toBe(5);
    expect(existsSync(sent)).toBe(false);
  });
});

test('finish notifies, too', async () => {
  const words = ['finish', '--run', 'may', '--shards', '2', '--out', out, ...hook()];
  expect((await outputOf(words)).code).toBe(2);
  expect(notice()).toMatchObject({ command: 'finish', exitCode: 2, error: { code: 'run-missing' } });
});

test('a hook that fails is a warning; the exit code is that of the build', async () => {
  const { code, logged } = await outputOf(['build', '--db', 'none.sqlite', '--out', out, '--on-failure', 'exit 3']);
  expect(code).toBe(2);
  expect(logged).toMatch(/^warning on-failure-failed: the command ended with exit code 3\nerror database-missing: /);
});

test('a URL of the file gets it, with its own token', async () => {
  const received: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push(request.headers.authorization, body);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const onFailure = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const settings = { db: 'none.sqlite', out: 'out', onPublishTokenEnv: 'OTHER', onFailure, onFailureTokenEnv: 'HOOK' };
  const environment = (name: string): string | undefined => ({ HOOK: 's3cret', OTHER: 'other' })[name];
  expect((await inFolder(settingsFolder(settings), ['build'], { environment })).code).toBe(2);
  expect(received[0]).toBe('Bearer s3cret');
  expect(failureNoticeSchema.parse(JSON.parse(received[1] ?? ''))).toMatchObject({ exitCode: 2 });
});

test.each(['ftp://x', 'https://u:p@x/', ' '])('what cannot be called is refused: %j', async (value) => {
  const { code, logged } = await outputOf(['build', '--on-failure', value]);
  expect([code, logged]).toEqual([2, expect.stringMatching(/^error on-failure-invalid: --on-failure: expected /)]);
});

describe('the textfile', () => {
  const file = (): string => join(root, 'playbill.prom');
  const samples = () => samplesOf(readFileSync(file(), 'utf8'));
  const phases = (): string[] =>
    [...samples().keys()].flatMap((key) => /^playbill_build_duration_seconds\{phase="(\w+)"\}$/.exec(key)?.[1] ?? []);
  const editions = (): (number | undefined)[] =>
    ['rendered', 'kept', 'written'].map((action) => samples().get(`playbill_build_editions{action="${action}"}`));

  test('says how long each phase took, and what became of the editions', async () => {
    expect((await build('--prometheus', file())).code).toBe(0);
    expect(phases()).toEqual(['open', 'read', 'render', 'publish', 'prune', 'notify']);
    for (const [key, value] of samples()) if (key.includes('duration')) expect(value).toBeGreaterThanOrEqual(0);
    const [rendered = 0, kept, written] = editions();
    expect(rendered).toBeGreaterThan(3);
    expect([kept, written]).toEqual([0, rendered]);
    // Nothing has changed: what is known by its recipe is not rendered again.
    expect((await build('--prometheus', file())).code).toBe(0);
    expect(editions().slice(1)).toEqual([rendered, 0]);
    expect(editions()[0]).toBeLessThan(rendered);
  });

  test('of a build that fails says how far it came', async () => {
    mkdirSync(out);
    writeFileSync(join(root, 'empty.sqlite'), '');
    expect((await build('--db', join(root, 'empty.sqlite'), '--prometheus', file())).code).toBe(2);
    expect(phases()).toEqual(['open']);
    expect(editions()).toEqual([undefined, undefined, undefined]);
  });
});
