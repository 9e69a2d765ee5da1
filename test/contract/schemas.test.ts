// The JSON Schemas that `openapi --schemas` writes, held to what the commands really print and the tree really holds, by a public
// validator that shares nothing with the code.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, expect, test } from 'vitest';
import { demoRows } from '../../scripts/demo-rows.ts';
import { RESULTS } from '../../src/contract/schemas.ts';
import { commandsOf, testSession } from '../cli/parser.ts';
import { playbill } from '../cli/run.ts';
import { temporaryFolderOfFile } from '../trees.ts';

const CONTRACT = fileURLToPath(new URL('../../src/contract/', import.meta.url));
const NOW = '2026-05-01T09:00:00Z';
const folder = temporaryFolderOfFile();
const validators = new Map<string, ValidateFunction>();

beforeAll(async () => {
  const { stdout } = await playbill(['openapi', '--schemas', `${folder}/schemas`, '--json']);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const { files } = JSON.parse(stdout) as { files: { path: string }[] };
  for (const { path } of files) {
    const name = /([^/]+)\.schema\.json$/.exec(path)?.[1] ?? '';
    validators.set(name, ajv.compile(JSON.parse(readFileSync(path, 'utf8')) as object));
  }
});

function problemsOf(name: string, text: string): unknown {
  const validate = validators.get(name);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  return validate(JSON.parse(text)) ? null : validate.errors;
}

test('every command takes --json and has a schema in src/contract/schemas.ts, and no other', () => {
  const all = commandsOf(testSession());
  const commands = all.map(({ words }) => words.join(' '));
  const without = all.filter(({ command }) => !command.options.some((option) => option.long === '--json'));
  expect(without.map(({ words }) => words.join(' '))).toEqual([]);
  expect(commands.length).toBeGreaterThan(10);
  const listed = Object.keys(RESULTS).filter((name) => name !== 'any-error');
  expect(listed.toSorted()).toEqual(commands.toSorted());
});

test('every schema of a result is in the list', () => {
  const sources = readdirSync(CONTRACT).map((name) => [name, readFileSync(CONTRACT + name, 'utf8')] as const);
  const list = sources.find(([name]) => name === 'schemas.ts')?.[1] ?? '';
  const results = sources
    .filter(([name]) => name.endsWith('results.ts'))
    .flatMap(([, text]) => [...text.matchAll(/export const (\w+Schema)\b/g)].map(([, schema = '']) => schema));
  expect(results.length).toBeGreaterThan(8);
  for (const schema of results) expect(list, schema).toMatch(new RegExp(`: ${schema}|\\[${schema}`));
});

test('what commands print, and what the tree holds, is accepted', async () => {
  const rows = [...demoRows(NOW)].map((row) => JSON.stringify(row)).join('\n');
  const db = ['--db', `${folder}/demo.sqlite`];
  const out = ['--out', `${folder}/out`];
  const print = async (words: readonly string[], input = ''): Promise<string> =>
    (await playbill(words, {}, input)).stdout;
  const printed: [schema: string, text: string][] = [
    ['result.import', await print(['import', '-', ...db, '--json'], `${rows}\n`)],
    ['result.build', await print(['build', ...db, ...out, '--now', NOW, '--json', '--dry-run'])],
    ['result.build', await print(['build', ...db, ...out, '--now', NOW, '--json'])],
  ];
  const issued = await print(['keys', 'issue', '--front', 'kuwait', '--keyid', 'k', ...db, ...out, '--json']);
  writeFileSync(`${folder}/k.json`, issued);
  const all = await Promise.all([
    print(['verify', ...out, '--json']),
    print(['check-db', ...db, '--json']),
    print(['show', '--front', 'kuwait', '--endpoint', 'products', '--at', NOW, ...out, '--json']),
    print(['export', ...db, '--table', 'sessions']),
    print(['keys', 'list', ...db, '--json']),
    print(['edge', 'build', '--target', 'worker', '--to', `${folder}/edge`, ...out, '--json']),
    print(['sign', 'http://127.0.0.1/products/', '--key', `${folder}/k.json`, '--json']),
    print(['build', '--db', `${folder}/none.sqlite`, '--json']),
    print(['openapi']),
  ]);
  const [verified, checked, shown, exported, listed, edge, signed, failed, openapi] = all;
  printed.push(
    ['result.keys-issue', issued],
    ['result.verify', verified],
    ['result.check-db', checked],
    ['result.show', shown],
    ['products', shown],
    ['result.export', exported.split('\n')[0] ?? ''],
    ['result.keys-list', listed],
    ['result.edge-build', edge],
    ['result.sign', signed],
    ['result.any-error', failed],
    ['result.openapi', openapi],
    ['result.keys-revoke', await print(['keys', 'revoke', 'k', ...db, ...out, '--json'])],
  );
  const fileOf = (path: string): string => readFileSync(`${folder}/out/${path}`, 'utf8');
  printed.push(
    ['pointer', fileOf('public/fronts/kuwait/pointer.json')],
    ['manifest', fileOf(`releases/${fileOf('releases/current').trim()}.json`)],
    ['key-ring', fileOf('edge/keyring.json')],
  );
  for (const [schema, text] of printed) {
    expect(problemsOf(schema, text), `${schema}: ${text.slice(0, 200)}`).toBeNull();
    // Whatever it is: with a key too few it is refused.
    const less = JSON.parse(text) as Record<string, unknown>;
    const [key = ''] = Object.keys(less);
    delete less[key];
    expect(problemsOf(schema, JSON.stringify(less)), `${schema} without ${key}`).not.toBeNull();
  }
});
