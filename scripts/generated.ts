// Makes the generated files: examples for the contract (real documents of the demo), the client's
// types of the documents (without zod), the command line reference, and the table of the edge's
// targets. `npm run docs` writes them; a test fails if they are out of date.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { categoriesDocumentSchema, productsDocumentSchema } from '../src/contract/documents.ts';
import type { OriginKind } from '../src/edge/targets/origin.ts';
import { TARGETS } from '../src/edge/targets/targets.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant } from '../test/support/trees.ts';
import { demoRows } from '../data/demo/rows.ts';
import { referenceText } from './reference.ts';

/** The smallest front of the demo, at the instant of its goldens. */
const FRONT = 'kuwait';
const NOW = '2026-05-01T09:00:00Z';

const REFERENCE = 'src/cli/README.md';
/** Everything below this line of the document is generated. */
const GENERATED_BELOW = '<!-- Below this line: generated from the code by npm run docs -->\n';

const EDGE = 'src/edge/README.md';
/** What stands between these lines of the document is generated. */
const TARGETS_FROM = '<!-- From here: generated from the code by npm run docs -->\n';
const TARGETS_TO = '<!-- To here -->\n';

const textOf = (path: string): string => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

/** Every generated file: its path from the root, and its text. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['src/contract/examples.ts', await examplesText()],
    ['src/client/documents.ts', documentTypesText()],
    [REFERENCE, withReference(textOf(REFERENCE))],
    [EDGE, withTargets(textOf(EDGE))],
  ]);
}

/** A document with everything below its line replaced by the reference. */
function withReference(markdown: string): string {
  const [written = '', ...rest] = markdown.split(GENERATED_BELOW);
  if (rest.length !== 1) throw new Error(`${REFERENCE}: expected one line ${GENERATED_BELOW}`);
  return `${written}${GENERATED_BELOW}\n${referenceText()}`;
}

/** A document with the table of targets between its lines. */
function withTargets(markdown: string): string {
  const [before = '', , after, ...rest] = markdown.split(new RegExp(`(${TARGETS_FROM}[^]*?${TARGETS_TO})`));
  if (after === undefined || rest.length > 0) throw new Error(`${EDGE}: expected one line ${TARGETS_FROM}`);
  const rows = TARGETS.map(({ name, summary, reads, testedOn, codeBytesMax }) => {
    const origins = (Object.keys(reads) as OriginKind[]).map((kind) => ORIGIN_TEXTS[kind]).join(', ');
    const most = codeBytesMax === null ? '' : `${codeBytesMax / 2 ** 20} MiB`;
    return `| \`${name}\` | ${summary} | ${origins} | ${testedOn} | ${most} |\n`;
  });
  const head =
    '| target | is | reads the tree from | runs in the tests on | code, at most |\n| --- | --- | --- | --- | --- |\n';
  return `${before}${TARGETS_FROM}\n${head}${rows.join('')}\n${TARGETS_TO}${after}`;
}

const ORIGIN_TEXTS: Readonly<Record<OriginKind, string>> = {
  folder: 'a folder',
  url: 'a URL',
  binding: 'a binding',
  s3: 'a private bucket',
  r2: 'R2',
};

async function examplesText(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-examples-'));
  try {
    const database = catalogueAt(join(folder, 'demo.sqlite'), demoRows(NOW));
    await buildTree(database, join(folder, 'out'), instant(NOW), { frontCodes: [FRONT], horizonSeconds: 0 });
    const files = filesOf(join(folder, 'out'));
    const literal = (endpoint: 'products' | 'categories'): string => {
      const text = documentAt(files, FRONT, endpoint, NOW).trimEnd();
      return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
    };
    return [
      `// Real answers: front ${FRONT} of the demo as of ${NOW}, byte for byte but for the final\n// newline. Made by: npm run docs`,
      '',
      `export const PRODUCTS_EXAMPLE =\n  ${literal('products')};`,
      '',
      `export const CATEGORIES_EXAMPLE =\n  ${literal('categories')};`,
      '',
    ].join('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A JSON Schema of the contract, with only the keywords that determine a type. */
interface TypeSchema {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly anyOf?: readonly TypeSchema[];
  readonly items?: TypeSchema;
  readonly properties?: Readonly<Record<string, TypeSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

function documentTypesText(): string {
  const both = z.strictObject({ products: productsDocumentSchema, categories: categoriesDocumentSchema });
  const definitions = Object.entries(z.toJSONSchema(both).$defs ?? {}) as [string, TypeSchema][];
  const texts = definitions.map(([name, schema]) => {
    const comment = `/** ${schema.description ?? ''}. */\n`;
    if (schema.properties === undefined) return `${comment}export type ${name} = ${typeText(schema)};`;
    const lines = Object.entries(schema.properties).map(([key, property]) => {
      if (schema.required?.includes(key) !== true) throw new Error(`${name}.${key}: expected every key to be required`);
      return `  /** ${property.description ?? ''}. */\n  readonly ${key}: ${typeText(property)};`;
    });
    return `${comment}export interface ${name} {\n${lines.join('\n')}\n}`;
  });
  return [
    '// The documents of the API as types, for code that has no zod. Made from contract/documents.ts by:\n// npm run docs',
    '',
    texts.join('\n\n'),
    '',
  ].join('\n');
}

function typeText(schema: TypeSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/$defs/', '');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' | ');
  if (typeof schema.type === 'object') return schema.type.join(' | ');
  if (schema.type === 'array') return `readonly ${typeText(schema.items ?? {})}[]`;
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'string' || schema.type === 'number' || schema.type === 'boolean' || schema.type === 'null')
    return schema.type;
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}
