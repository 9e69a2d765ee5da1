// What a developer does for a new target: a folder and a line. In a copy of the checkout it is then
// offered, built, packaged and documented, and the transcripts fail until something here runs it.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const copy = temporaryFolder();
const TARGETS = 'src/edge/targets';

const TOY = {
  'runtime.ts': `export default { fetch: (): Response => new Response('toy') };\n`,
  'templates/README.md': '# The edge rule of Playbill as a toy\n\nIt listens on {{listen}}.\n',
  'deploy.ts': `// The folder for a toy.

import { rendered } from '../../template.ts';
import { noKeys, targetOf } from '../target.ts';

export const toy = targetOf({
  name: 'toy',
  summary: 'a thing to play with',
  testedOn: 'nothing',
  reads: { url: { name: 'toy', entry: 'toy/runtime.ts', form: 'fetch' } },
  options: ['listen'],
  codeBytesMax: 2 ** 20,
  refusedKeys: noKeys,
  files: ({ listen, bundle }) => [
    ['README.md', rendered('toy/README.md', { listen })],
    ['toy.js', bundle],
  ],
});
`,
};

/** Runs a program in the copy. */
function run(command: string, ...words: readonly string[]) {
  return spawnSync(command, words, { cwd: copy, encoding: 'utf8' });
}

/** A module in the copy: what it prints, or why it does not load. */
const loaded = (code: string) => {
  writeFileSync(join(copy, 'loaded.ts'), code);
  return run('node_modules/.bin/tsx', 'loaded.ts');
};

beforeAll(() => {
  for (const path of [
    'src',
    'scripts',
    'test',
    'data',
    'package.json',
    'tsconfig.json',
    'LICENSE',
    'README.md',
    '.github',
    'package-lock.json',
  ])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

  for (const folder of ['toy', 'toy/templates']) mkdirSync(join(copy, TARGETS, folder));
  for (const [name, text] of Object.entries(TOY)) writeFileSync(join(copy, TARGETS, 'toy', name), text);
  const list = join(copy, TARGETS, 'targets.ts');
  const lines = readFileSync(list, 'utf8').replace('\n  vercel,\n', '\n  vercel,\n  toy,\n');
  writeFileSync(list, `import { toy } from './toy/deploy.ts';\n${lines}`);

  const { status, stderr } = run('node_modules/.bin/tsx', 'scripts/compile.ts');
  expect(status, stderr).toBe(0);
  mkdirSync(join(copy, 'tree/edge'), { recursive: true });
  mkdirSync(join(copy, 'tree/public'));
  writeFileSync(join(copy, 'tree/edge/keyring.json'), '{"schema":1,"keys":{}}\n');
});

test('is offered by the packaged command', () => {
  const { stdout } = run('node', 'dist/cli/main.js', 'edge', 'build', '--help');
  const help = stdout.replaceAll(/\s+/g, ' ');
  expect(help).toContain('vercel: a worker on Vercel; toy: a thing to play with (required) (choices: ');
  expect(help).toMatch(/\(choices: [^)]*"vercel", "toy"\)/);
  expect(help).toContain('nginx, authorizer, toy: the address of the server, or of the proxy');
  expect(help).toContain('the URL of the public folder (worker, cloudflare, deno, bun, netlify, vercel, toy)');
});

test('is built by the packaged command, from its own texts and bundle', () => {
  const words = ['edge', 'build', '--target', 'toy', '--out', 'tree', '--origin', 'https://tree.example/public'];
  const { status, stdout, stderr } = run('node', 'dist/cli/main.js', ...words, '--json');
  expect(status, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ target: 'toy', files: [{ path: 'edge-toy/README.md' }, {}] });
  const written = (name: string): string => readFileSync(join(copy, 'edge-toy', name), 'utf8');
  expect(written('README.md')).toBe('# The edge rule of Playbill as a toy\n\nIt listens on 8080.\n');
  expect(written('toy.js')).toContain('new Response("toy")');
});

test('is documented by npm run docs', () => {
  const code = `import { generatedFiles } from './scripts/generated.ts';
console.log(JSON.stringify([...(await generatedFiles())]));`;
  const { status, stdout, stderr } = loaded(`${code}\nexport {};\n`);
  expect(status, stderr).toBe(0);
  const files = new Map(JSON.parse(stdout) as [string, string][]);
  expect(files.get('src/edge/README.md')).toContain('| `toy` | a thing to play with | a URL | nothing | 1 MiB |\n');
  expect(files.get('src/cli/README.md')).toContain('toy: a thing to play with (');
});

test('fails the tests, as no transcript runs it', () => {
  const { status, stderr } = loaded("import './test/support/edge/runtimes/all.ts';\n");
  expect(status).toBe(1);
  expect(stderr).toContain('no transcript runs the target toy');
});
