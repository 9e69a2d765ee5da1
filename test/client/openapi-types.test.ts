// Types that others generate from `playbill openapi` and the client's own are the same types, in
// both directions: a storefront may begin with one and go on with the other. The generator is
// openapi-typescript.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTypes, { type OpenAPI3 } from 'openapi-typescript';
import { beforeAll, expect, test } from 'vitest';
import { playbill } from '../support/cli/run.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolderOfFile();

/** An error in this is the name of what differs. */
const COMPARISON = `
import type { components } from './openapi.ts';
import type * as own from './documents.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Generated = components['schemas'];

export const same: {
  readonly ProductsDocument: Same<Generated['ProductsDocument'], own.ProductsDocument>;
  readonly CategoriesDocument: Same<Generated['CategoriesDocument'], own.CategoriesDocument>;
  readonly ProductCard: Same<Generated['ProductCard'], own.ProductCard>;
  readonly GroupMembership: Same<Generated['GroupMembership'], own.GroupMembership>;
  readonly Category: Same<Generated['Category'], own.Category>;
  readonly Group: Same<Generated['Group'], own.Group>;
  readonly Tag: Same<Generated['Tag'], own.Tag>;
  readonly Badge: Same<Generated['Badge'], own.Badge>;
} = {
  ProductsDocument: true,
  CategoriesDocument: true,
  ProductCard: true,
  GroupMembership: true,
  Category: true,
  Group: true,
  Tag: true,
  Badge: true,
};

export const toOwn = (generated: Generated['ProductsDocument']): own.ProductsDocument => generated;
export const toGenerated = (document: own.ProductsDocument): Generated['ProductsDocument'] => document;
`;

let generated: string;
let own: string;
beforeAll(async () => {
  const { stdout } = await playbill(['openapi']);
  generated = await openapiTypes(JSON.parse(stdout) as OpenAPI3, { immutableTypes: true });
  own = readFileSync(join(root, 'src/client/documents.ts'), 'utf8');
  writeFileSync(join(folder, 'comparison.ts'), COMPARISON);
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    allowImportingTsExtensions: true,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});

/** What the compiler says of two sets of types. */
function compare(generatedTypes: string, ownTypes: string): string {
  writeFileSync(join(folder, 'openapi.ts'), generatedTypes);
  writeFileSync(join(folder, 'documents.ts'), ownTypes);
  return spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' }).stdout;
}

test('the generated types are the client’s, every one of them', () => {
  expect(compare(generated, own)).toBe('');
  const names = (text: string): readonly string[] =>
    [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name).toSorted();
  const compared = [...COMPARISON.matchAll(/^ {2}(\w+): true,$/gm)].map(([, name = '']) => name).toSorted();
  expect(compared).toEqual(names(own));
});

test.each([
  ['a null that is left out', 'readonly priceFrom: number | null', 'readonly priceFrom: number', 'ProductCard'],
  ['a key that may be missing', 'readonly nameSingular: string', 'readonly nameSingular?: string', 'Category'],
  [
    'a key that was added',
    'readonly sortWeight: number;',
    'readonly sortWeight: number; readonly n?: 1;',
    'GroupMembership',
  ],
  ['another name', 'readonly color: string', 'readonly colour: string', 'Badge'],
  ['another type', 'readonly cardType: number', 'readonly cardType: string', 'Group'],
])('%s is seen on either side', (_, from, to, name) => {
  const lines = COMPARISON.split('\n');
  const namesIn = (messages: string): readonly string[] =>
    [...messages.matchAll(/comparison\.ts\((\d+),/g)].map(([, line]) => lines[Number(line) - 1]?.trim() ?? '');
  for (const text of [generated, own]) expect(text).toContain(from);
  expect(namesIn(compare(generated, own.replace(from, to)))).toContain(`${name}: true,`);
  expect(namesIn(compare(generated.replace(from, to), own))).toContain(`${name}: true,`);
});
