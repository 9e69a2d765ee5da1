// `--log-format json`: every message of a command as one object a line, whatever it is about.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { logMessageSchema, type LogMessage } from '../../src/contract/log-message.ts';
import { outputOf } from '../support/cli/run.ts';
import { inFolder, settingsFolder } from '../support/cli/settings.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt, instant, temporaryFolder } from '../support/trees.ts';

let root = '';
let db = '';
let out = '';

beforeEach(() => {
  root = temporaryFolder();
  [db, out] = ['c.sqlite', 'out'].map((name) => join(root, name)) as [string, string];
  catalogueAt(db, smallCatalogue({ fronts: ['alpha'], productsPerFront: 2, sessionsPerProduct: 1, edition: 'one' }));
});

const linesOf = (logged: string): LogMessage[] =>
  logged === '' ? [] : logged.split('\n').map((line) => logMessageSchema.parse(JSON.parse(line)));

async function run(...words: readonly string[]) {
  const { code, printed, logged } = await outputOf([...words, '--log-format', 'json']);
  return { code, printed, messages: linesOf(logged) };
}

const build = (...words: readonly string[]) => run('build', '--db', db, '--out', out, '--now', NOW, ...words);

describe('a message', () => {
  test('of an error has its code and its hint', async () => {
    const { code, messages } = await build('--db', join(root, 'none.sqlite'));
    expect(code).toBe(2);
    expect(messages).toEqual([
      {
        at: '2026-05-01T09:00:00.000Z',
        level: 'error',
        code: 'database-missing',
        message: expect.any(String) as string,
        hint: expect.any(String) as string,
      },
    ]);
  });

  test.each([[['biuld']], [['build', '--horizon', 'x']], [['build', '--nope']], [['build', '--config', 'none.json']]])(
    'about wrong words is one, too: %j',
    async (words) => {
      const { code, messages } = await run(...words);
      expect(code).toBe(2);
      expect(messages).toEqual([expect.objectContaining({ level: 'error', hint: expect.any(String) as string })]);
    },
  );

  test('of a warning, a note and what was done', async () => {
    expect((await build()).messages).toEqual([]);
    expect((await build('--on-publish', 'exit 3')).messages).toEqual([]);
    changeDatabase(db, "UPDATE products SET name = 'New'");
    const [warning] = (await build('--on-publish', 'exit 3')).messages;
    expect(warning).toMatchObject({ level: 'warning', code: 'on-publish-failed' });
    const exported = await run('export', '--db', db);
    expect(exported.messages).toEqual([
      { at: expect.any(String) as string, level: 'info', message: expect.any(String) as string },
    ]);
    const shown = await run('show', '--front', 'alpha', '--out', out, '--at', '+1h');
    expect(shown.messages).toMatchObject([{ level: 'note', message: '--at +1h is 2026-05-01T10:00:00Z' }]);
    const later = await run('show', '--front', 'alpha', '--out', out, '--at', '2026-05-09T10:00:00Z');
    expect(later.messages.map(({ level }) => level)).toEqual(['warning']);
  });

  test('with several commands to type has a line for each in its hint', async () => {
    await build();
    for (const front of [[], ['--front', 'alpha']]) {
      const words = ['rollback', 'current', '--out', out, '--log-format', 'json', ...front];
      const { logged } = await outputOf(words, { now: () => instant('2026-05-03T09:00:00Z') });
      const { level, hint = '' } = linesOf(logged)[0] ?? { level: null };
      const [, ...commands] = hint.split('\n');
      expect([level, commands.length]).toEqual(['note', 3]);
      // What went back for one front alone is to be held for it alone.
      for (const command of commands) expect(command).toMatch(new RegExp(` --out ${[out, ...front].join(' ')}$`));
    }
  });

  test('that could forge a line, or hide text, stays one line and what it was', async () => {
    const nasty = join(root, 'a\u0085\u202e\n{"level":"info","message":"forged"}\u001b[31m.sqlite');
    const { messages } = await build('--db', nasty);
    expect(messages).toHaveLength(1);
    expect(messages[0]?.message).toContain('{"level":"info","message":"forged"}');
  });
});

test('--quiet leaves errors and warnings', async () => {
  expect((await run('export', '--db', db, '--quiet')).messages).toEqual([]);
  expect((await run('export', '--db', 'none.sqlite', '--quiet')).messages).toHaveLength(1);
});

test('the file of settings may ask for it, and a flag may take it back', async () => {
  const folder = settingsFolder({ db: 'none.sqlite', out: 'out', logFormat: 'json' });
  expect(linesOf((await inFolder(folder, ['build'])).logged)).toMatchObject([{ code: 'database-missing' }]);
  expect(linesOf((await inFolder(folder, ['build', '--horizn', '1h'])).logged)).toMatchObject([{ code: 'usage' }]);
  expect(linesOf((await inFolder(folder, ['build', '--quiet'])).logged)).toMatchObject([{ code: 'database-missing' }]);
  const typed = ['--log-format', 'json', '--log-format=text', '--nope'];
  expect((await inFolder(folder, ['build', ...typed])).logged).toMatch(/^error usage: /);
  const other = ['build', `--config=${join(folder, 'playbill.json')}`, '--nope'];
  expect(linesOf((await outputOf(other)).logged)).toMatchObject([{ code: 'usage' }]);
  expect((await inFolder(folder, ['build', '--log-format', 'text'])).logged).toMatch(/^error database-missing: /);
  writeFileSync(join(folder, 'playbill.json'), '{ "logFormat": "xml" }');
  expect((await inFolder(folder, ['build'])).logged).toMatch(/^error settings-invalid: .*logFormat/);
});
