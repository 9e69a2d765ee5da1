// Documents that cannot drift: their sessions are run, and the scripts that they name exist.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { withRealOutput } from '../support/docs/console-blocks.ts';
import { documentPaths, documentsWithSessions } from '../support/docs/documents.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');

describe('sessions', () => {
  test.each(documentsWithSessions())(
    'every session of %s prints what it says (npm run docs rewrites it)',
    (path) => {
      const real = withRealOutput(read(path));
      expect(real.match(/^\$ .*\bplaybill /gm)?.length).toBeGreaterThan(4);
      expect(read(path)).toBe(real);
      // Up to twenty processes, one after the other.
    },
    300_000,
  );

  test('they are in the README and in the guides for operators', () => {
    const expected = ['README.md', 'data/monitoring.md', 'data/troubleshooting.md'];
    expect(documentsWithSessions()).toEqual(expect.arrayContaining(expected));
  });

  test('a wrong output would be seen', () => {
    const wrong = '```console\n$ playbill --version\n9.9.9\n```\n';
    expect(withRealOutput(wrong)).not.toBe(wrong);
  });

  test('they begin in a folder that has no catalogue', () => {
    expect(withRealOutput('```console\n$ ls\n```\n')).toBe('```console\n$ ls\npackage.json\nscripts\n```\n');
  });
});

describe('README', () => {
  test('its scripts exist, and so do those of the guides', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const scriptsIn = (path: string): string[] =>
      [...read(path).matchAll(/(?:`|^\$ |^)npm (?:run (?:-s )?)?([a-z:]+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => !['init', 'install', 'ci', 'pack', 'pkg'].includes(name));
    expect(scriptsIn('README.md')).toEqual(expect.arrayContaining(['start', 'test', 'tsx', 'playbill', 'build']));
    for (const path of documentPaths())
      for (const name of scriptsIn(path)) expect(Object.keys(scripts), `${path}: npm run ${name}`).toContain(name);
  });
});
