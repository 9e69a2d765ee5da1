// `playbill completion` in zsh and fish, as they call it.

import { beforeAll, expect, test } from 'vitest';
import { completionFolder, shellLines } from '../support/cli/completion.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
beforeAll(async () => {
  await completionFolder(folder);
});

/** The last of the words may be empty. */
function offeredByZsh(...words: readonly string[]): string[] {
  const script = `autoload -Uz compinit && compinit -D; source <(playbill completion zsh)
[[ $_comps[playbill] == _playbill ]] || print not registered
_describe() { print -l -- "\${(@P)2}" }
_files() { print FILES }
words=(playbill ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _playbill`;
  return shellLines(['zsh', '-fc'], script, folder);
}

function offeredByFish(line: string): string[] {
  return shellLines(['fish', '--no-config', '-c'], `playbill completion fish | source; complete -C '${line}'`, folder);
}

test('zsh', () => {
  expect(offeredByZsh('re')).toEqual(['releases:list the kept releases, to which rollback can return']);
  expect(offeredByZsh('show', '--front', '')).toEqual(['alpha', 'bravo']);
  expect(offeredByZsh('explain', '--front', 'bravo', '--product', 'show-20')).toEqual(['show-2001', 'show-2002']);
  expect(offeredByZsh('build', '--db', '')).toEqual(['FILES']);
  expect(offeredByZsh('show', '--out', 'nowhere', '--front', '')).toEqual(['FILES']);
});

test('fish', () => {
  expect(offeredByFish('playbill re')).toEqual(['releases\tlist the kept releases, to which rollback can return']);
  expect(offeredByFish('playbill show --front ')).toEqual(['alpha', 'bravo']);
  expect(offeredByFish('playbill explain --front bravo --product show-20')).toEqual(['show-2001', 'show-2002']);
  expect(offeredByFish('playbill build --db c.')).toContain('c.sqlite');
});
