// Makes the generated files: examples for the contract (real documents of the demo), the client's types of the documents (without zod), and the
// command line reference. `npm run docs` writes them; a test fails if they are out of date.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { categoriesDocumentSchema, productsDocumentSchema } from '../src/contract/documents.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant } from '../test/support/trees.ts';
import { demoRows } from '../data/demo/rows.ts';
import { referenceText } from './reference.ts';

/** The smallest front of the demo, at the instant of its goldens. */
const FRONT = 'kuwait';
const NOW = '2026-05-01T09:00:00Z';

const REFERENCE = 'src/cli/README.md';
/** Everything below this line of the document is generated. */
const GENERATED_BELOW = '<!-- Below this line: generated from the code by npm run docs -->\n';

/** Every generated file: its path from the root, and its text. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['src/contract/examples.ts', await examplesText()],
    ['src/client/documents.ts', documentTypesText()],
    [REFERENCE, withReference(readFileSync(fileURLToPath(new URL(`../${REFERENCE}`, import.meta.url)), 'utf8'))],
  ]);
}

/** A document with everything below its line replaced by the reference. */
function withReference(markdown: string): string {
  const [written = '', ...rest] = markdown.split(GENERATED_BELOW);
  if (rest.length !== 1) throw new Error(`${REFERENCE}: expected one line ${GENERATED_BELOW}`);
  return `${written}${GENERATED_BELOW}\n${referenceText()}`;
}

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
      `// Real answers: front ${FRONT} of the demo as of ${NOW}, byte for byte but for the final newline. Made by: npm run docs`,
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
    '// The documents of the API as types, for code that has no zod. Made from contract/documents.ts by: npm run docs',
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
