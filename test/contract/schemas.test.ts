// The JSON Schemas that `openapi --schemas` writes, held to what the commands really print and the
// tree really holds, by a public validator that shares nothing with the code.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, expect, test } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';
import type { ManifestHead } from '../../src/contract/manifest.ts';
import { RESULTS } from '../../src/contract/schemas.ts';
import { commandsOf } from '../../scripts/commands.ts';
import { printedBy, testContext } from '../support/cli/parser.ts';
import { playbill } from '../support/cli/run.ts';
import { partPathsOf } from '../support/manifests.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const CONTRACT = fileURLToPath(new URL('../../src/contract/', import.meta.url));
const NOW = '2026-05-01T09:00:00Z';
const folder = temporaryFolderOfFile();
const validators = new Map<string, ValidateFunction>();

beforeAll(async () => {
  const stdout = await printedBy(['openapi', '--schemas', `${folder}/schemas`, '--json']);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const { files } = JSON.parse(stdout) as { files: { path: string }[] };
  for (const { path } of files) {
    const name = /([^/]+)\.schema\.json$/.exec(path)?.[1] ?? '';
    const schema = JSON.parse(readFileSync(path, 'utf8')) as { $id?: string };
    expect(schema.$id).toBe(`urn:playbill:schema:${name}`);
    validators.set(name, ajv.compile(schema));
  }
});

function problemsOf(name: string, text: string): unknown {
  const validate = validators.get(name);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  return validate(JSON.parse(text)) ? null : validate.errors;
}

test('every command takes --json and has a schema in src/contract/schemas.ts, and no other; demo is to look at, completion for shells', () => {
  const all = commandsOf(testContext()).filter(({ words }) => !['demo', 'completion'].includes(words.join()));
  const commands = all.map(({ words }) => words.join(' '));
  const without = all.filter(({ command }) => !command.options.some((option) => option.long === '--json'));
  expect(without.map(({ words }) => words.join(' '))).toEqual([]);
  expect(commands.length).toBeGreaterThan(10);
  const listed = Object.keys(RESULTS).filter((name) => name !== 'any-error');
  expect(listed.toSorted()).toEqual(commands.toSorted());
});

test('every schema of a result is in the list', () => {
  const sources = readdirSync(CONTRACT, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(CONTRACT + name, 'utf8')] as const);
  const list = sources.find(([name]) => name === 'schemas.ts')?.[1] ?? '';
  const results = sources
    .filter(([name]) => name.startsWith('results/'))
    .flatMap(([, text]) => [...text.matchAll(/export const (\w+Schema)\b/g)].map(([, schema = '']) => schema))
    // Not those that another schema is made of.
    .filter((schema) => {
      const uses = sources.filter(([name]) => name !== 'schemas.ts').flatMap(([, text]) => text.split(schema).slice(1));
      return uses.every((rest) => rest.startsWith(' = ') || rest.startsWith('>'));
    });
  expect(results.length).toBeGreaterThan(8);
  // Imported, and used.
  for (const schema of results) expect(list.split(schema).length, schema).toBeGreaterThan(2);
});

test('the schemas accept what commands print and what the tree holds', async () => {
  const rows = [...demoRows(NOW)].map((row) => JSON.stringify(row)).join('\n');
  writeFileSync(`${folder}/demo.ndjson`, `${rows}\n`);
  const db = ['--db', `${folder}/demo.sqlite`];
  const out = ['--out', `${folder}/out`];
  const printed: [schema: string, text: string][] = [];
  const print = async (schema: string, words: readonly string[]): Promise<string> => {
    const text = await printedBy(words);
    printed.push([schema, text]);
    return text;
  };
  await print('result.import', ['import', `${folder}/demo.ndjson`, ...db, '--json']);
  await print('result.build', ['build', ...db, ...out, '--now', NOW, '--json', '--dry-run']);
  await print('result.build', ['build', ...db, ...out, '--now', NOW, '--json']);
  const key = ['keys', 'issue', '--front', 'kuwait', '--keyid', 'k', ...db, ...out, '--json'];
  writeFileSync(`${folder}/k.json`, await print('result.keys-issue', key));
  await print('result.keys-list', ['keys', 'list', ...db, '--json']);
  await print('result.keys-revoke', ['keys', 'revoke', 'k', ...db, ...out, '--json']);
  await print('result.sign', ['sign', 'http://127.0.0.1/products/', '--key', `${folder}/k.json`, '--json']);
  await print('result.verify', ['verify', ...out, '--json']);
  await print('result.check-db', ['check-db', ...db, '--json']);
  await print('result.edge-build', ['edge', 'build', '--target', 'worker', '--to', `${folder}/edge`, ...out, '--json']);
  await print('result.any-error', ['build', '--db', `${folder}/none.sqlite`, '--json']);
  await print('result.openapi', ['openapi']);
  const show = ['show', '--front', 'kuwait', '--endpoint', 'products', '--at', NOW, ...out, '--json'];
  printed.push(['products', await print('result.show', show)]);
  // Rows are streamed to stdout itself.
  const exported = await playbill(['export', ...db, '--table', 'sessions']);
  printed.push(['result.export', exported.stdout.split('\n')[0] ?? '']);
  const fileOf = (path: string): string => readFileSync(`${folder}/out/${path}`, 'utf8');
  const manifest = fileOf(`releases/${fileOf('releases/current').trim()}.json`);
  const [fronts, files] = partPathsOf(JSON.parse(manifest) as ManifestHead);
  printed.push(
    ['pointer', fileOf('public/fronts/kuwait/pointer.json')],
    ['manifest', manifest],
    ['key-ring', fileOf('edge/keyring.json')],
  );
  expect(problemsOf('manifest-fronts', fileOf(fronts))).toBeNull();
  expect(problemsOf('manifest-files', fileOf(files))).toBeNull();
  for (const [schema, text] of printed) {
    expect(problemsOf(schema, text), `${schema}: ${text.slice(0, 200)}`).toBeNull();
    // Whatever it is: with a key too few it is refused.
    const less = JSON.parse(text) as Record<string, unknown>;
    const [key = ''] = Object.keys(less);
    delete less[key];
    expect(problemsOf(schema, JSON.stringify(less)), `${schema} without ${key}`).not.toBeNull();
  }
});
