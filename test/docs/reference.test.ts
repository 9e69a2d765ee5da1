// The reference of the command line: generated from the code, and complete.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { generatedFiles } from '../../scripts/generated.ts';
import { ALL_SETTINGS } from '../../src/cli/settings/settings.ts';
import { ERRORS } from '../../src/errors.ts';
import { FINDINGS } from '../../src/findings.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { statusResultSchema } from '../../src/contract/results/status.ts';
import { commandsOf } from '../../scripts/commands.ts';
import { testContext } from '../support/cli/parser.ts';
import { playbillProcess } from '../support/cli/run.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');
const reference = read('src/cli/README.md');

/** The part of a document below a heading of the second level. */
function section(document: string, heading: string): string {
  return new RegExp(`^## ${heading}\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(document)?.[1] ?? '';
}

/** What `playbill --help` lists. */
async function commandNames(): Promise<string[]> {
  const { stdout } = await playbillProcess(['--help']);
  return [...stdout.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

describe('the reference', () => {
  test('is generated from the code (npm run docs rewrites it)', async () => {
    expect((await generatedFiles()).get('src/cli/README.md')).toBe(reference);
  });

  test('lists every command, and no other', async () => {
    const commands = await commandNames();
    const listed = [...section(reference, 'Commands').matchAll(/^### `([a-z-]+)/gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(3);
    expect([...new Set(listed)].toSorted()).toEqual(commands.toSorted());
  });

  test('has every option that a command takes', () => {
    const commands = commandsOf(testContext());
    const sections = section(reference, 'Commands').split(/^### /m);
    const textOf = (words: string): string => sections.find((text) => text.startsWith(`\`${words}\`\n`)) ?? '';
    const shared = sections.find((text) => text.startsWith('Options of many commands\n')) ?? '';
    let options = 0;
    const settings = section(reference, 'Settings');
    for (const { words, command } of commands)
      for (const { flags } of command.options.filter(({ hidden }) => !hidden)) {
        const written = `\`${flags.replaceAll('|', String.raw`\|`)}\``;
        const all = textOf(words.join(' '));
        const text = all.includes('all [settings](#settings)') && settings.includes(written) ? settings : all;
        expect(text, `${words.join(' ')} ${flags}`).toContain(written);
        if (!text.includes(`| ${written} |`)) expect(shared).toContain(`| ${written} |`);
        options += 1;
      }
    expect(options).toBeGreaterThan(100);
  });

  test('explains every setting, and no other', () => {
    const listed = [...section(reference, 'Settings').matchAll(/^\| `([a-zA-Z0-9.]+)` \| `--/gm)].map(([, key]) => key);
    expect(listed).toEqual(ALL_SETTINGS.map(({ key }) => key));
  });

  test('explains every exit code, and no other', () => {
    const listed = [...section(reference, 'Exit codes').matchAll(/^\| \*\*(\d+)\*\* \| \S/gm)].map(([, code]) =>
      Number(code),
    );
    expect(listed).toEqual(Object.values(EXIT));
  });

  const codes = (heading: string): string[] =>
    [...section(reference, heading).matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, code = '']) => code);

  test('explains every error code with its exit code, and no other', () => {
    const rows = [...section(reference, 'Error codes').matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)];
    expect(Object.fromEntries(rows.map(([, code = '', exit]) => [code, Number(exit)]))).toEqual(
      Object.fromEntries(Object.entries(ERRORS).map(([code, { exit }]) => [code, exit])),
    );
    expect(codes('Error codes')).toHaveLength(Object.keys(ERRORS).length);
  });

  test('explains every finding code, and no other', () => {
    expect(codes('Finding codes')).toEqual(Object.keys(FINDINGS));
  });

  test('every metric is explained, and no other', () => {
    const listed = [...section(reference, 'Metrics').matchAll(/^\| `(playbill_[a-z_]+)`/gm)].map(
      ([, name = '']) => name,
    );
    const source = read('src/cli/output/prometheus.ts');
    const written = [...source.matchAll(/\b(playbill_[a-z_]*[a-z])\b/g)].map(([, name = '']) => name);
    expect(written.length).toBeGreaterThan(15);
    expect(listed.toSorted()).toEqual([...new Set(written)].toSorted());
  });
});

test('the guide to monitoring explains every state of a stale front, and no other', () => {
  const [table = ''] = /^\| state [^]*?\n\n/m.exec(read('data/monitoring.md')) ?? [];
  const listed = [...table.matchAll(/`([a-z-]+)`(?=.* \|)/g)].map(([, state = '']) => state);
  const { stale } = statusResultSchema.shape.fronts.element.shape;
  expect(listed.filter((state) => !state.startsWith('-')).toSorted()).toEqual(stale.unwrap().options.toSorted());
});

test('every command teaches: a description, an example and its exit codes', async () => {
  for (const command of await commandNames()) {
    const help = await playbillProcess([command, '--help']);
    expect(help.status, command).toBe(0);
    expect(help.stdout, command).toMatch(/Examples?:/);
    expect(help.stdout, command).toMatch(/Exit codes?:/);
    for (const line of help.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  }
});
