// What --help, --version, --quiet and the environment do, alike for all commands.

import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { GROUPS } from '../../src/cli/help-groups.ts';
import { programOf } from '../../src/cli/program.ts';
import type { CommandContext } from '../../src/cli/context.ts';
import { commandsOf } from '../../scripts/commands.ts';
import { testContext } from '../support/cli/parser.ts';
import { outputOf } from '../support/cli/run.ts';
import { playbillProcess } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const database = join(root, 'small.sqlite');
const tree = join(root, 'tree');

beforeAll(async () => {
  const size = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1 };
  catalogueAt(database, smallCatalogue({ ...size, edition: 'one' }));
  await buildTree(database, tree, instant(NOW));
});

/** The help of a command, with what is added below the options. */
function helpOf(argv: readonly string[], context: CommandContext = testContext()): string {
  let text = '';
  const program = programOf(context);
  const { command = program } = commandsOf(context).find(({ words }) => words.join() === argv.join()) ?? {};
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

describe('help', () => {
  const commands = [[], ...commandsOf(testContext()).map(({ words }) => [...words])];

  test.each(commands.map((words) => [words.join(' '), words] as const))(
    'of playbill %s fits 80 columns, and wraps once',
    (_, words) => {
      const lines = helpOf(words).trimEnd().split('\n');
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
      // An example that was wrapped could not be pasted.
      const [, examples = ''] = /^Examples?:\n([^]*?)(?:^$|\n*$(?![^]))/m.exec(lines.join('\n')) ?? [];
      for (const line of examples.trimEnd().split('\n')) expect(line).toMatch(/^( {2}|$)/);
      // A line of prose that ends early, though the next word would have had room, was wrapped
      // twice.
      for (const [i, line] of lines.entries()) {
        const next = lines[i + 1] ?? '';
        if (!/^\S/.test(line) || !/^\S/.test(next) || /^[A-Z][a-z ]*:$/.test(line)) continue;
        expect(line.length + 1 + (next.split(' ')[0] ?? '').length, line).toBeGreaterThan(80);
      }
    },
  );

  test('groups the commands, every one of them', () => {
    const text = helpOf([]);
    const headings = [...text.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Options', 'Build', 'Look', 'Go back', 'Catalogue', 'Keys and edge']);
    for (const { name } of programOf(testContext()).commands.map((one) => ({ name: one.name() })))
      expect(text).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  test('groups the options of a command that has many', () => {
    const headings = (words: readonly string[]): string[] =>
      [...helpOf(words).matchAll(/^([A-Z][a-z ]+:)\n {2}-/gm)].map(([, heading = '']) => heading);
    expect(headings(['build'])).toEqual(['Source:', 'Tree:', 'Guards:', 'History:', 'Hooks:', 'Output:']);
    expect(headings(['prune'])).toEqual(['Options:']);
    const options = commandsOf(testContext()).flatMap(({ command }) => command.options.map(({ long }) => long));
    for (const name of Object.values(GROUPS).flat()) expect(options).toContain(`--${name}`);
  });
});

test.each([['help'], ['help', '--help'], ['help', '-h'], ['help', 'help'], ['help', 'help', '--help']])(
  '%s %s prints the help, with exit 0',
  async (...words) => {
    const { printed } = await outputOf(['--help']);
    expect(await outputOf(words)).toEqual({ code: 0, printed, logged: '' });
  },
);

test.each(['--version', '-V', '-v'])('%s prints the version', async (flag) => {
  const { status, stdout } = await playbillProcess([flag]);
  expect([status, stdout]).toEqual([0, '0.1.0\n']);
});

describe('--quiet', () => {
  test('is an option of every command', () => {
    for (const { words, command } of commandsOf(testContext()))
      expect(
        command.options.map(({ long }) => long),
        words.join(' '),
      ).toContain('--quiet');
  });

  test('leaves out notes; what is printed stays', async () => {
    const exporting = ['export', '--db', database];
    const loud = await outputOf(exporting);
    expect(loud.logged).toMatch(/^Exported /);
    expect(await outputOf([...exporting, '--quiet'])).toEqual({ ...loud, logged: '' });
  });

  test('leaves out progress', async () => {
    const labels: string[] = [];
    const context = testContext();
    const progress = (label: string): ReturnType<CommandContext['terminal']['progress']> => {
      labels.push(label);
      return context.terminal.progress(label);
    };
    const terminal = { ...context.terminal, progress };
    const build = ['build', '--dry-run', '--db', database, '--out', tree, '--now', NOW];
    await outputOf(build, { terminal });
    expect(labels).toHaveLength(2);
    await outputOf([...build, '--quiet'], { terminal });
    expect(labels).toHaveLength(2);
  });

  test('shows errors and warnings still', async () => {
    const { code, logged } = await outputOf([
      'show',
      '--front',
      'paris',
      '--endpoint',
      'products',
      '--quiet',
      '--out',
      tree,
    ]);
    expect(code).toBe(2);
    expect(logged).toMatch(/^error nothing-published: .*\n {2}hint: /);
    const failing = ['build', '--db', database, '--out', join(root, 'new'), '--now', NOW, '--on-publish', 'exit 3'];
    expect((await outputOf([...failing, '--quiet'])).logged).toMatch(/^warning on-publish-failed: /);
  });
});

describe('the environment', () => {
  const environment = (name: string): string | undefined => ({ PLAYBILL_DB: database, PLAYBILL_OUT: tree })[name];

  test('names database and tree', async () => {
    const { printed } = await outputOf(['status', '--json'], { environment });
    expect(JSON.parse(printed)).toMatchObject({ fronts: [{ front: 'alpha' }] });
    expect((await outputOf(['keys', 'list'], { environment })).printed).toContain('alpha-site');
  });

  test('gives way to flags', async () => {
    const missing = join(root, 'missing');
    expect((await outputOf(['status', '--out', missing], { environment })).logged).toContain(`a tree at ${missing}`);
    expect((await outputOf(['keys', 'list', '--db', missing], { environment })).logged).toContain(`at ${missing}`);
  });

  test('is named by --help, and does not change it', () => {
    const text = helpOf(['build']);
    const packed = text.replaceAll(/\s+/g, ' ');
    expect(packed).toContain('PLAYBILL_DB names another (default: "data/catalogue.sqlite")');
    expect(packed).toContain('PLAYBILL_OUT names another (default: "out")');
    expect(helpOf(['build'], { ...testContext(), environment })).toBe(text);
  });

  test.each([
    ['postgres://u:secret@h/d', 'postgres://u@h/d'],
    ['postgres://u@h/d?pass%77ord=secret', 'postgres://u@h/d'],
    ['postgres://u@h/d?options=-capp%2Etoken%3Dsecret', 'postgres://u@h/d'],
    ['postgresql+psycopg2://u:secret@h/d', 'postgresql+psycopg2://…'],
  ])('is shown by config without what is secret: %s', async (address, shown) => {
    const names = { PLAYBILL_DB: address, PLAYBILL_OUT: 's3://u:secret@bucket/tree' };
    const { printed } = await outputOf(['config'], { environment: (name) => names[name as keyof typeof names] });
    const lines = printed.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines).toContainEqual(['db', shown, 'PLAYBILL_DB']);
    expect(lines).toContainEqual(['out', 's3://…@bucket/tree', 'PLAYBILL_OUT']);
    expect(printed).not.toContain('secret');
  });

  test('counts as unset where it is empty', async () => {
    const { logged } = await outputOf(['keys', 'list', '--db', ''], { environment: () => '' });
    expect(logged).not.toContain('data/catalogue.sqlite');
    expect((await outputOf(['config'], { environment: () => '' })).printed).toMatch(/^out +out +default$/m);
  });
});
