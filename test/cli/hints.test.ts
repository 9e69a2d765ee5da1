// Every command line that the program asks a person to type, taken from the texts in its sources
// and documents, is one that its own argument parser takes: options exist, values are of their
// kind, nothing is missing. Placeholders in capitals stand for themselves.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { commandsOf } from '../../scripts/commands.ts';
import { refusalOf, testContext } from '../support/cli/parser.ts';
import { playbillProcess } from '../support/cli/run.ts';
import { settingsFolder } from '../support/cli/settings.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { temporaryFolder } from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Code without comments: they may speak of commands in part. */
function codeOf(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}

/** String and template literals, their insertions replaced by a word. */
function literalsOf(code: string): string[] {
  // Where an option takes a number, by one.
  const numbered = code.replaceAll(/(--shards? (?:\d\/)?)\$\{[^{}]*\}/g, '$13');
  const plain = numbered.replaceAll(/\$\{[^{}]*\}/g, 'X');
  return [...plain.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(([literal]) =>
    literal.slice(1, -1).replaceAll('\\`', '`'),
  );
}

/**
 * Command lines in a text: from `playbill` and a word on, to where prose, a pipe, a redirection, a
 * comment or the line's end begins. What an option is given in quotes is one word; a backslash at a
 * line's end joins it with the next.
 */
function commandsIn(text: string): string[] {
  const joined = text.replaceAll(/ \\+\n */g, ' ');
  const plain = joined.replaceAll(/(--[a-z-]+) (?:'[^'\n]*'|"[^"\n]*")/g, '$1 quoted').replaceAll(' 2>', '|');
  return [...plain.matchAll(/(?<![\w/.-]|js_import |-[go] )playbill (-{0,2}[a-z][^'"`()|;&>,\n]*)/g)].map(
    ([, line = '']) => line.split(/ {2,}/, 1).join('').replace(/\.$/, '').trim(),
  );
}

function sourcesBelow(folder: string, pattern: RegExp): [path: string, text: string][] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path))
    .map((path) => [`${folder}/${path}`, readFileSync(`${root}${folder}/${path}`, 'utf8')]);
}

/** The folder of the file of settings that a page writes; null if it writes none. */
function settingsOf(page: string): string | null {
  const [, settings] = /playbill\.json <<'END'\n([^]*?)^END$/m.exec(page) ?? [];
  return settings === undefined ? null : settingsFolder(settings);
}

type Line = readonly [place: string, line: string, settings?: string | null];

async function faultsOf(lines: readonly Line[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [place, line, settings = null] of lines) {
    const refusal = line.includes('…') ? 'cannot be typed as it stands' : await refusalOf(line.split(' '), settings);
    if (refusal !== null) faults.push(`${place}: playbill ${line}: ${refusal}`);
  }
  return faults;
}

describe('command lines', () => {
  test('in hints, notes and help texts can be typed', async () => {
    const lines = sourcesBelow('src', /(?<!\.d)\.ts$/).flatMap(([path, text]) =>
      literalsOf(codeOf(text)).flatMap((literal) => commandsIn(literal).map((line) => [path, line] as const)),
    );
    expect(lines.length).toBeGreaterThan(50);
    expect(await faultsOf(lines)).toEqual([]);
  });

  test('in documents can be typed', async () => {
    const documents = ['src', 'data', 'scripts', 'test'].flatMap((folder) => sourcesBelow(folder, /\.md$/));
    documents.push(['README.md', readFileSync(`${root}README.md`, 'utf8')]);
    const lines = documents.flatMap(([path, text]) => {
      const settings = settingsOf(text);
      return [...text.matchAll(/^```(?:sh|console)\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
        block
          .replaceAll(/\\\n\s*/g, '')
          .split('\n')
          .filter((line) => !line.startsWith('error') && !line.startsWith('Check'))
          .flatMap((line) => commandsIn(line.replace('npm run -s playbill -- ', 'playbill ')))
          .map((line) => [path, line, settings] as const),
      );
    });
    expect(lines.length).toBeGreaterThan(8);
    expect(await faultsOf(lines)).toEqual([]);
  });

  test.each([
    ['an option that is none', 'build --horizn 6h'],
    ['a command that is none', 'biuld'],
    ['a value of another kind', 'build --horizon soon'],
    ['a choice that is none', 'show --front moscow --endpoint cards'],
    ['an option that is missing', 'show --pretty'],
    ['an argument that is missing', 'import'],
    ['prose behind it', 'verify names what is damaged'],
    ['a gap', 'import … --replace'],
  ])('a planted fault is seen: %s', async (_, line) => {
    expect(await faultsOf([['here', line]])).toHaveLength(1);
  });
});

test('a default is printed as it is typed', () => {
  const options = commandsOf(testContext()).flatMap(({ command }) => command.options);
  const parsed = options.filter(({ parseArg, defaultValue }) => parseArg !== undefined && defaultValue !== undefined);
  expect(parsed.length).toBeGreaterThan(6);
  for (const { parseArg, defaultValue, defaultValueDescription } of parsed)
    expect(parseArg?.(defaultValueDescription ?? String(defaultValue), undefined)).toEqual(defaultValue);
});

test('a hint repeats the --db that was given', async () => {
  const path = join(temporaryFolder(), 'box office.sqlite');
  demoCatalogueAt(path, '2026-05-01T09:00:00Z');
  const given = `--db '${path}'`;
  const venue = '{"table":"venues","row":{"id":1,"name":"Stage","timezone":"Europe/Berlin"}}\n';
  const hintOf = async (words: readonly string[], input = ''): Promise<string> => {
    const { stdout, stderr } = await playbillProcess([...words, '--db', path], {}, input);
    return `${stdout}${stderr}`;
  };
  expect(await hintOf(['import', '-'], venue)).toContain(`: playbill import --replace ${given} FILE.ndjson`);
  expect(await hintOf(['explain', '--front', 'moscow', '--product', 'qqqqqq'])).toContain(
    `: playbill export ${given} --table products`,
  );
  expect(await hintOf(['keys', 'revoke', 'nobody'])).toContain(`: playbill keys list ${given}`);
  const database = new Database(path);
  database.pragma('ignore_check_constraints = ON');
  database.exec('UPDATE products SET age_rating = 99; UPDATE sessions SET available = 9007199254740993');
  expect(await hintOf(['export'])).toContain(`: playbill check-db ${given} --all`);
  expect(await hintOf(['explain', '--front', 'moscow', '--product', 'chayka'])).toContain(
    `\n  playbill check-db ${given}\n`,
  );
  database.close();
});
