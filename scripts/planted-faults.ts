// `npm run faults -- --plant [WORD]`: plants each fault of test/support/planted, or those whose
// text has the word, in a copy of the project, runs the tests that should notice it, and prints
// those that did not. Exits 1 if any went unnoticed, or does not compile: the tests compile the
// program first, so that one would be noticed by all of them.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLANTED_FAULTS, type PlantedFault } from '../test/support/planted/faults.ts';
import { SERVERS_AND_TIME } from '../test/speeds.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export function plantFaults(words: readonly string[]): void {
  const faults = PLANTED_FAULTS.filter(({ what, file }) => words.every((word) => `${file} ${what}`.includes(word)));
  if (faults.length === 0) {
    console.error(`no planted fault has ${words.join(' and ')} in its text`);
    process.exitCode = 2;
    return;
  }
  const copy = mkdtempSync(join(tmpdir(), 'playbill-planted-'));
  try {
    copyProject(copy);
    const tests = [...new Set(faults.flatMap((fault) => fault.tests))];
    for (const some of [tests.filter(isSlow), tests.filter((test) => !isSlow(test))]) {
      const { isPassing, output } = some.length === 0 ? { isPassing: true, output: '' } : run(some, copy);
      if (isPassing) continue;
      console.error(`${output}\nexpected these tests to pass without any fault: ${some.join(', ')}`);
      process.exitCode = 1;
      return;
    }
    const unnoticed = faults.filter((fault) => !isNoticed(fault, copy));
    console.log(`${faults.length - unnoticed.length} of ${faults.length} planted faults were noticed`);
    for (const { what, file } of unnoticed) console.log(`unnoticed: ${what} (src/${file})`);
    if (unnoticed.length > 0) process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The files that git knows, with names that a fault leaves unused allowed; dependencies are linked. */
function copyProject(copy: string): void {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of stdout.toString().split('\0').filter(Boolean)) cpSync(join(root, path), join(copy, path));
  const settings = join(copy, 'tsconfig.json');
  writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll(/("noUnused\w+"): true/g, '$1: false'));
  for (const folder of ['node_modules', '.node/node_modules']) symlinkSync(join(root, folder), join(copy, folder));
}

function isNoticed({ what, file, is, becomes, tests }: PlantedFault, copy: string): boolean {
  const path = join(copy, 'src', file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(is, () => becomes),
  );
  const compiler = spawnSync(join(copy, 'node_modules/.bin/tsc'), ['-p', 'src/tsconfig.json', '--outDir', 'types'], {
    cwd: copy,
  });
  const by = compiler.status === 0 ? tests.find((test) => !run([test], copy).isPassing) : undefined;
  writeFileSync(path, text);
  const how = compiler.status === 0 ? 'UNNOTICED' : 'DOES NOT COMPILE';
  console.log(by === undefined ? `${how}  ${what}` : `noticed  ${what}: test/${by}`);
  return by !== undefined;
}

interface Outcome {
  readonly isPassing: boolean;
  readonly output: string;
}

/** Runs tests of the copy, all of one speed, with the settings that it has. */
function run(tests: readonly string[], copy: string): Outcome {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const settings = tests.some(isSlow)
    ? ['--config', 'test/all.vitest.config.ts', '--project', 'thorough']
    : ['--config', 'test/vitest.config.ts', '--project', 'quick'];
  const words = [vitest, 'run', ...settings, '--bail', '1', ...tests.map((test) => `test/${test}`)];
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: copy,
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  return { isPassing: status === 0, output: `${stdout}${stderr}${signal ?? ''}` };
}

const isSlow = (test: string): boolean =>
  SERVERS_AND_TIME.some((pattern) => new RegExp(`^${patternText(pattern)}$`).test(`test/${test}`));

const patternText = (pattern: string): string =>
  pattern
    .replaceAll('.', String.raw`\.`)
    .replaceAll('*', '[^/]*')
    .replaceAll('{', '(')
    .replaceAll('}', ')')
    .replaceAll(',', '|');
