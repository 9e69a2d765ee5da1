// `playbill openapi`: prints the contract as an OpenAPI document, or writes it as a folder of JSON
// Schemas.

import type { Refusal } from '../../edge/rule/refusal-response.ts';
import { AppError } from '../../errors.ts';
import type { PlaybillCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { bytesText } from '../output/terminal.ts';

export function addOpenApiCommand(program: PlaybillCommand): void {
  program
    .command('openapi')
    .summary('print the OpenAPI document of the API, or write JSON Schemas')
    .description(
      'Prints the OpenAPI 3.1 document of both operations: parameters, signature, responses with their headers, and every refusal of ' +
        'the edge rule with its codes. It is generated from the schemas that the output is checked against; its examples are real ' +
        'responses of the demo.',
    )
    .presetFlag('--server <url>', 'the address of a deployment: everything before /products/', '/')
    .flag(
      '--schemas <folder>',
      'write JSON Schemas to this folder instead: documents, pointer, manifest, key ring, playbill.json, and --json results',
    )
    .jsonFlag('with --schemas, print the list of files as JSON; the document is JSON already')
    .helpBelow(`
Examples:
  playbill openapi --server https://cdn.example > openapi.json
  playbill openapi --schemas schemas                    one file per document and per --json result

Exit codes: 0 done, 2 wrong usage, 6 the folder could not be written.`)
    .runs(async (flags, context) =>
      flags.schemas === undefined
        ? context.terminal.print(await openApiText(context.toolVersion, serverOf(flags.server)))
        : writeSchemas(flags.schemas, flags.json === true, context),
    );
}

/**
 * The text of the OpenAPI document. `server`: everything before `/products/`, without a slash at its
 * end; `/` where it is not known.
 */
export async function openApiText(toolVersion: string, server: string): Promise<string> {
  const { openApiDocument } = await import('../../contract/openapi.ts');
  const { REFUSALS } = await import('../../edge/rule/refusal-codes.ts');
  const { refuse } = await import('../../edge/rule/refusal-response.ts');
  const { rfc9421 } = await import('../../edge/rule/rfc9421.ts');
  const { DEFAULT_SETTINGS } = await import('../../edge/rule/settings.ts');
  // Headers that the rule adds to refusals with this status.
  const more: Readonly<Record<number, Refusal['headers']>> = {
    401: rfc9421.challenge(DEFAULT_SETTINGS),
    405: [['Allow', 'GET, HEAD']],
  };
  const reasons = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[];
  const refusals = reasons.map((reason) => {
    const { status, when } = REFUSALS[reason];
    return { ...refuse(status, reason, more[status] ?? []), when };
  });
  return JSON.stringify(openApiDocument(toolVersion, server, refusals), null, 2);
}

/** @throws AppError usage */
function serverOf(text: string): string {
  if (text === '/') return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') {
    return text.replace(/\/+$/, '');
  }
  const message = `--server: expected an http or https URL without a query, found ${JSON.stringify(text)}`;
  throw new AppError('usage', message, 'for example --server https://cdn.example');
}

async function writeSchemas(folder: string, isJson: boolean, { terminal }: CommandContext): Promise<void> {
  const { schemaFiles } = await import('../../contract/schemas.ts');
  const { fileSchema } = await import('../settings/file-schema.ts');
  const { writeFolder } = await import('../../storage/write-folder.ts');
  const files = schemaFiles(fileSchema());
  writeFolder(folder, files, '--schemas');
  const sizes = files.map(([name, text]) => ({ path: `${folder}/${name}`, bytes: Buffer.byteLength(text) }));
  const lines = sizes.map(({ path, bytes }) => `${path} (${bytesText(bytes)})`);
  terminal.print(isJson ? JSON.stringify({ files: sizes }) : lines.join('\n'));
}
