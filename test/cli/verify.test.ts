// `playbill verify` as a person runs it: words in, lines and exit code out.

import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findingsResultSchema } from '../../src/contract/results/check.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { buildTree, filesOf, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';

const NOW = '2026-05-01T09:00:00Z';
const root = temporaryFolderOfFile();
const sound = join(root, 'sound');

beforeAll(async () => {
  await buildTree(demoCatalogueAt(join(root, 'demo.sqlite'), NOW), sound, instant(NOW));
});

function copyOfTree(name: string): string {
  const out = join(root, name);
  cpSync(sound, out, { recursive: true });
  return out;
}

const MAKE_ONE = 'create one with: playbill build --out';
const NAME_ONE = 'name the folder of a tree with --out';

describe('playbill verify', () => {
  test('a sound tree: one closing line, exit 0; nothing is written', async () => {
    const before = filesOf(sound);
    const { status, stdout, stderr } = await playbill(['verify', '--out', sound]);
    expect(stdout).toMatch(/^Checked 13 fronts, \d+ edition files \([\d.]+ MB\), 1 release: 0 errors, 0 warnings\n$/);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(filesOf(sound)).toEqual(before);
  });

  test('a sound tree as JSON', async () => {
    const { status, stdout } = await playbill(['verify', '--out', sound, '--json']);
    const result = findingsResultSchema.parse(JSON.parse(stdout));
    const editions = [...filesOf(sound)].filter(([path]) => /\/(products|categories)\./.test(path));
    expect(result).toEqual({
      checked: {
        fronts: 13,
        editions: editions.length,
        bytes: editions.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0),
        releases: 1,
      },
      errors: 0,
      warnings: 0,
      findings: [],
    });
    expect(status).toBe(0);
  });

  test.each([
    ['a missing edition', null, 'file-missing', 'file-missing'],
    ['a truncated one', (text: string) => text.slice(0, -2), 'file-size-wrong', 'file-size-wrong'],
    ['one that was altered and has its size still', (text: string) => ` ${text.slice(1)}`, null, 'file-digest-wrong'],
  ] as const)('--sizes and %s', async (name, damage, bySize, byContent) => {
    const out = copyOfTree(name);
    const [path = '', text = ''] = [...filesOf(out)].find(([one]) => one.includes('moscow/products.')) ?? [];
    if (damage === null) rmSync(join(out, path));
    else writeFileSync(join(out, path), damage(text));
    const found = async (...flags: string[]) => {
      const { status, stdout } = await playbill(['verify', ...flags, '--out', out, '--json']);
      const { findings, checked } = findingsResultSchema.parse(JSON.parse(stdout));
      return { status, codes: findings.map(({ code, place }) => `${code} ${place}`), editions: checked['editions'] };
    };
    const sized = await found('--sizes');
    const whole = await found();
    expect(sized.codes).toEqual(bySize === null ? [] : [`${bySize} ${path}`]);
    expect(sized.status).toBe(bySize === null ? 0 : 1);
    expect([whole.status, whole.codes]).toEqual([1, [`${byContent} ${path}`]]);
    expect(sized.editions).toBe(whole.editions);
  });

  test('--sizes says what it has not looked at, in whatever form', async () => {
    const unchecked = 'Checked by name and size only; to check the content of editions';
    const words = ['verify', '--out', sound];
    expect((await playbill([...words, '--sizes'])).stdout).toContain(unchecked);
    expect((await playbill([...words, '--sizes', '--report', 'junit'])).stdout).toContain(unchecked);
    expect((await playbill(words)).stdout).not.toContain(unchecked);
  });

  test('damage: every finding on a line of its own, all in one run, exit 1', async () => {
    const out = copyOfTree('damaged');
    const pointers = ['berlin', 'moscow'].map((front) => `public/fronts/${front}/pointer.json`);
    for (const path of pointers) writeFileSync(join(out, path), '{"schema":1,');
    writeFileSync(join(out, 'public/robots.txt'), '');
    const { status, stdout, stderr } = await playbill(['verify', '--out', out]);
    expect(stdout.split('\n')).toEqual([
      'warning unexpected public/robots.txt: a file that is not part of a tree',
      ...pointers.map((path) => `error pointer-invalid ${path}: expected UTF-8 JSON, found 12 bytes that are not`),
      expect.stringMatching(/^Checked 11 fronts, \d+ edition files .*, 1 release: 2 errors, 1 warning$/),
      '',
    ]);
    expect(stderr).toBe('');
    expect(status).toBe(1);
  });

  test('damage as JSON: the same findings, counted', async () => {
    const out = copyOfTree('damaged-json');
    rmSync(join(out, 'edge/keyring.json'));
    symlinkSync('/etc/passwd', join(out, 'public/passwd'));
    writeFileSync(join(out, 'releases/.current.tmp'), '');
    const { status, stdout } = await playbill(['verify', '--out', out, '--json']);
    const result = findingsResultSchema.parse(JSON.parse(stdout));
    expect(result.findings.map(({ severity, code, place }) => `${severity} ${code} ${place}`)).toEqual([
      'warning temporary-name releases/.current.tmp',
      'error key-ring-invalid edge/keyring.json',
      'error file-kind-wrong public/passwd',
    ]);
    expect(result).toMatchObject({ errors: 2, warnings: 1 });
    expect(status).toBe(1);
  });

  test('warnings alone exit 0', async () => {
    const out = copyOfTree('warned');
    writeFileSync(join(out, 'releases/.current.tmp'), '');
    const { status, stdout } = await playbill(['verify', '--out', out]);
    expect(stdout).toMatch(/^warning temporary-name releases\/\.current\.tmp: .+\nChecked .+: 0 errors, 1 warning\n$/);
    expect(status).toBe(0);
  });

  test('more findings than a machine wants: a thousand are printed as JSON, all are counted', async () => {
    const out = copyOfTree('crowded');
    for (let i = 0; i < 1100; i += 1) writeFileSync(join(out, `public/${i}.txt`), '');
    const { stdout } = await playbill(['verify', '--out', out, '--json']);
    const result = findingsResultSchema.parse(JSON.parse(stdout));
    expect(result.warnings).toBe(1100);
    expect(result.findings).toHaveLength(1000);
    const { stdout: lines } = await playbill(['verify', '--out', out]);
    expect(lines.split('\n')).toHaveLength(1102);
  });

  test.each([
    ['nothing is there', 'no-such-folder', 'found nothing', MAKE_ONE],
    ['a file is there', 'demo.sqlite', 'found something that is not a folder', NAME_ONE],
    ['an empty folder is there', 'empty', 'found a folder with none of public, edge, releases in it', MAKE_ONE],
  ])('%s: error tree-missing, exit 2', async (_name, name, found, hint) => {
    mkdirSync(join(root, 'empty'), { recursive: true });
    const out = join(root, name);
    const { status, stdout, stderr } = await playbill(['verify', '--out', out]);
    expect(stdout).toBe('');
    expect(stderr).toContain(`error tree-missing: expected a tree at ${out}, ${found}`);
    expect(stderr).toContain(`hint: ${hint === MAKE_ONE ? `${hint} ${out}` : hint}`);
    expect(status).toBe(2);
  });

  test('a tree of a newer schema: error tree-newer-schema, exit 2, also as JSON', async () => {
    const out = copyOfTree('newer');
    writeFileSync(join(out, 'public/fronts/moscow/pointer.json'), '{"schema":2}\n');
    const { status, stdout, stderr } = await playbill(['verify', '--out', out, '--json']);
    expect(errorResultSchema.parse(JSON.parse(stdout)).error.code).toBe('tree-newer-schema');
    expect(stderr).toContain(
      'error tree-newer-schema: expected schema 1 in public/fronts/moscow/pointer.json, found 2',
    );
    expect(stderr).not.toContain('    at ');
    expect(status).toBe(2);
  });

  test('a flag that it does not know: exit 2', async () => {
    const { status, stderr } = await playbill(['verify', '--db', 'x']);
    expect(stderr).toContain('error usage: unknown option');
    expect(stderr).toContain('hint: see playbill verify --help');
    expect(status).toBe(2);
  });

  test('--help says what the exit codes mean', async () => {
    const { status, stdout } = await playbillProcess(['verify', '--help']);
    expect(stdout).toContain('Exit codes: 0 no errors');
    expect(status).toBe(0);
  });
});
