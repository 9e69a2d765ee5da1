// Documents that cannot drift: their sessions are run, and what they list is what there is.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { playbill } from '../support/cli/run.ts';
import { withRealOutput } from '../support/docs/console-blocks.ts';
import { ERROR_EXIT_CODES } from '../../src/errors.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');
const readme = read('README.md');

/** Members of a closed union of string literals, from its source. */
function membersOf(path: string, union: string): string[] {
  const source = new RegExp(`export type ${union} =([^;]*);`).exec(read(path))?.[1] ?? '';
  return [...source.matchAll(/'([a-z0-9-]+)'/g)].map(([, member = '']) => member);
}

describe('README', () => {
  test('every session prints what it says (npm run docs writes it anew)', () => {
    const real = withRealOutput(readme);
    expect(real.match(/^\$ playbill/gm)?.length).toBeGreaterThan(4);
    expect(readme).toBe(real);
    // Some twenty processes, one after the other.
  }, 300_000);

  test('a wrong output would be seen', () => {
    const wrong = '```console\n$ playbill --version\n9.9.9\n```\n';
    expect(withRealOutput(wrong)).not.toBe(wrong);
  });

  test('it lists every command, and no other', async () => {
    const { stdout } = await playbill(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) /gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    const table = /## Commands([^]*?)\n## /.exec(readme)?.[1] ?? '';
    const rows = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z-]+)/g)].map(([, name = '']) => name),
    );
    expect(commands.length).toBeGreaterThan(3);
    expect(rows.toSorted()).toEqual(commands.toSorted());
  });

  test('its scripts exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...readme.matchAll(/npm (?:run (?:-s )?)?([a-z]+)\b/g)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'install');
    expect(named).toContain('start');
    for (const name of named) expect(Object.keys(scripts)).toContain(name);
  });
});

describe('codes', () => {
  const document = read('src/cli/README.md');
  const listed = (heading: string): string[] => {
    const table = new RegExp(`## ${heading}([^]*?)(?:\n## |$)`).exec(document)?.[1] ?? '';
    return [...table.matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, code = '']) => code);
  };

  test('error codes are all explained with their exit codes, and no other', () => {
    const rows = [...document.matchAll(/^\| `([a-z-]+)` \| (\d) \|/gm)].map(([, code = '', exit]) => [
      code,
      Number(exit),
    ]);
    expect(Object.fromEntries(rows)).toEqual(ERROR_EXIT_CODES);
    expect(listed('Error codes')).toHaveLength(Object.keys(ERROR_EXIT_CODES).length);
  });

  test('finding codes are all explained, and no other', () => {
    const members = membersOf('src/findings.ts', 'FindingCode');
    expect(members.length).toBeGreaterThan(15);
    expect(listed('Finding codes').toSorted()).toEqual(members.toSorted());
  });
});

test('every metric is explained, and no other', () => {
  const table = /## Metrics([^]*?)(?:\n## |$)/.exec(read('src/cli/README.md'))?.[1] ?? '';
  const listed = [...table.matchAll(/^\| `(playbill_[a-z_]+)`/gm)].map(([, name = '']) => name);
  const source = read('src/cli/output/prometheus.ts');
  const written = [...source.matchAll(/'(playbill_[a-z_]*[a-z])'/g)].map(([, name = '']) => name);
  expect(written.length).toBeGreaterThan(15);
  expect(listed.toSorted()).toEqual([...new Set(written)].toSorted());
});

test('every command teaches: a description, an example and its exit codes', async () => {
  const { stdout } = await playbill(['--help']);
  const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) /gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');
  for (const command of commands) {
    const help = await playbill([command, '--help']);
    expect(help.status, command).toBe(0);
    expect(help.stdout, command).toMatch(/Examples?:/);
    expect(help.stdout, command).toMatch(/Exit codes?:/);
    for (const line of help.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(120);
  }
});
