// The man pages of the package: right for mandoc, and with all that the help has.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandsOf, emptyContext, optionsOf, optionText } from '../../scripts/commands.ts';
import { PlaybillCommand } from '../../src/cli/command.ts';
import { compiledPackage } from '../support/compiled.ts';
import { temporaryFolder } from '../support/trees.ts';

const folder = join(compiledPackage(), 'man');
const commands = commandsOf(emptyContext());
const pageOf = (words: readonly string[]): string => join(folder, `playbill-${words.join('-')}.1`);

function mandoc(...words: readonly string[]): string {
  const { stdout, stderr, error } = spawnSync('mandoc', words, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  return stdout + stderr;
}

/** What mandoc complains of, but that pages have no date. */
function complaints(path: string): string[] {
  const lines = mandoc('-T', 'lint', '-W', 'warning', path).split('\n');
  return lines.filter((line) => line !== '' && !line.endsWith('missing date, using "": TH'));
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** A page as it is read, on one line. Bold is printed as a character, a backspace and the character. */
function shown(path: string): string {
  const parts = mandoc('-T', 'utf8', '-O', 'width=200', path).split('\b');
  return oneLine(parts.map((part, i) => (i < parts.length - 1 ? part.slice(0, -1) : part)).join(''));
}

test('every command has a page, and the manifest names them all', () => {
  const names = ['playbill.1', ...commands.map(({ words }) => `playbill-${words.join('-')}.1`)];
  expect(readdirSync(folder).toSorted()).toEqual(names.toSorted());
  const { man } = JSON.parse(readFileSync(join(compiledPackage(), 'package.json'), 'utf8')) as { man: string[] };
  expect(man).toEqual(names.map((name) => `man/${name}`));
});

test('mandoc finds nothing wrong', () => {
  for (const name of readdirSync(folder)) expect(complaints(join(folder, name)), name).toEqual([]);
  const wrong = join(temporaryFolder(), 'wrong.1');
  writeFileSync(wrong, readFileSync(join(folder, 'playbill.1'), 'utf8').replace('.SH NAME', '.HS NAME'));
  expect(complaints(wrong), 'a fault is seen').not.toEqual([]);
});

test('a page shows what the help shows: every option, and every line below them', () => {
  for (const { words, command } of commands) {
    const text = shown(pageOf(words));
    for (const option of optionsOf(command))
      expect(text, words.join(' ')).toContain(oneLine(`${option.flags} ${optionText(option, (each) => each)}`));
    const below = command instanceof PlaybillCommand ? command.textBelow : '';
    expect(below).toMatch(/^Examples?:/m);
    // A heading is a section of its own there.
    for (const line of below.split('\n').map((each) => each.replace(/^[A-Z][a-z ]*:(?=\s|$)/, '')))
      expect(text, words.join(' ')).toContain(oneLine(line).trim());
  }
});

test('playbill(1) names every command', () => {
  const text = shown(join(folder, 'playbill.1'));
  for (const { words } of commands) expect(text).toContain(`playbill-${words.join('-')}(1)`);
});
