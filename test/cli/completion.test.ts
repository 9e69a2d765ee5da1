// `playbill completion` in a real bash: what TAB offers, from the parser's own declarations and
// from a tree and a catalogue.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { releasesResultSchema } from '../../src/contract/results/history.ts';
import { candidatesFor } from '../../src/cli/candidates.ts';
import { programOf } from '../../src/cli/program.ts';
import { commandsOf } from '../../scripts/commands.ts';
import { testContext } from '../support/cli/parser.ts';
import { completionFolder, shellLines } from '../support/cli/completion.ts';
import { outputOf } from '../support/cli/run.ts';
import { playbill } from '../support/cli/run.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
let release = '';
beforeAll(async () => {
  release = await completionFolder(folder);
  writeFileSync(join(folder, 'completion.bash'), (await outputOf(['completion', 'bash'])).printed);
});

/** What bash would offer for the last of the words; they hold no blanks. */
function offered(...words: readonly string[]): string[] {
  // As bash breaks the line at COMP_WORDBREAKS.
  const broken = words.flatMap((word) => word.split(/(?<=[:=])|(?=[:=])/));
  const script = `source completion.bash
COMP_LINE='playbill ${words.join(' ')}'
COMP_WORDS=(playbill ${broken.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${broken.length}
_playbill playbill '${words.at(-1)}' '${words.at(-2) ?? 'playbill'}'; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return shellLines(['/bin/bash', '--norc', '-euc'], script, folder);
}

describe('bash', () => {
  test('has the function for the command', () => {
    const lines = shellLines(
      ['/bin/bash', '--norc', '-euc'],
      'source <(playbill completion bash); complete -p',
      folder,
    );
    expect(lines).toEqual(['complete -o default -o nosort -F _playbill playbill']);
  });

  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['commands', ['re'], ['releases']],
    ['commands of a group', ['keys', ''], ['issue', 'list', 'revoke', 'help']],
    ['options', ['rollback', '--r'], ['--resume']],
    ['choices', ['show', '--endpoint', ''], ['products', 'categories']],
    ['choices of an operand', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['fronts of the tree', ['show', '--front', ''], ['alpha', 'bravo']],
    ['further fronts', ['build', '--front', 'alpha', 'b'], ['bravo']],
    [
      'products of the front',
      ['explain', '--front', 'bravo', '--product', 'show-'],
      ['show-1', 'show-2001', 'show-2002'],
    ],
    ['products of all fronts', ['explain', '--product', 'show-2'], ['show-2001', 'show-2002']],
    ['names of releases', ['diff', 'current', 'cur'], ['current', 'current~1']],
    ['keys', ['keys', 'revoke', ''], ['alpha-site', 'bravo-site', 'bravo:app-1', 'bravo:app-2']],
    ['keys with a colon', ['keys', 'revoke', 'brav'], ['bravo-site', 'bravo:app-1', 'bravo:app-2']],
    ['what follows a colon', ['keys', 'revoke', 'bravo:'], ['app-1', 'app-2']],
    ['more of what follows a colon', ['keys', 'revoke', 'bravo:app-2'], ['app-2']],
    ['forms of compression', ['build', '--precompress', ''], ['none', 'gzip', 'br', 'gzip,br']],
    ['no third release', ['diff', 'a', 'b', ''], []],
    ['no files: bash has them', ['build', '--db', ''], []],
    ['no commands below one that there is not', ['nope', ''], []],
    ['an option after one with =', ['show', '--front=alpha', '--end'], ['--endpoint']],
  ])('completes %s', (_, words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  test('completes ids of releases, the newest first', async () => {
    expect(offered('rollback', release.slice(0, 4))).toEqual([release]);
    const { printed } = await outputOf(['releases', '--out', join(folder, 'out'), '--json']);
    const ids = releasesResultSchema.parse(JSON.parse(printed)).releases.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(2);
    expect(ids).not.toEqual(ids.toSorted());
    expect(offered('rollback', '')).toEqual(['current', 'current~1', ...ids]);
  });

  test('prints nothing, and no error, where there is no tree and no catalogue, or a damaged one', () => {
    writeFileSync(join(folder, 'broken.sqlite'), 'no database');
    for (const argv of [
      ['show', '--out', 'nowhere', '--front', ''],
      ['rollback', '--out', 'broken.sqlite', ''],
      ['explain', '--db', 'nowhere.sqlite', '--front', 'alpha', '--product', ''],
      ['explain', '--db', 'broken.sqlite', '--front', 'alpha', '--product', ''],
      ['explain', '--front', 'nope', '--product', ''],
    ])
      expect(offered(...argv), argv.join(' ')).toEqual([]);
  });
});

test('every command and every option is offered, and nothing else', async () => {
  const listed = async (...words: string[]) =>
    (await outputOf(['completion', 'bash', '--', ...words])).printed.split('\n');
  for (const { words, command } of commandsOf(testContext())) {
    expect(await listed(...words.slice(0, -1), '')).toContain(words.at(-1));
    const longs = command.options.flatMap(({ long, hidden }) => (hidden || long === undefined ? [] : [long]));
    expect(await listed(...words, '--'), words.join(' ')).toEqual([...longs, '--help']);
  }
});

test('zsh and fish get descriptions, each in its own way', async () => {
  const printed = async (shell: string) => (await outputOf(['completion', shell, '--', 'show', '--fr'])).printed;
  expect(await printed('zsh')).toBe('--front:the front, as in X-Front (required)');
  expect(await printed('fish')).toBe('--front\tthe front, as in X-Front (required)');
});

test('a name that a shell or a terminal would obey is not offered', async () => {
  const names = async () => ['fine', '$(id)', 'a b', '*', '\u001b[2J', 'a\nb'];
  const candidates = await candidatesFor(['show', '--front', ''], programOf(testContext()), names);
  expect(candidates.map(({ value }) => value)).toEqual(['fine']);
});

test('another shell is refused, with those that there are', async () => {
  const { status, stderr } = await playbill(['completion', 'tcsh']);
  expect(status).toBe(2);
  expect(stderr).toContain('Allowed choices are bash, zsh, fish.');
});
