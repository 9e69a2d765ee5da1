// `playbill preview`: serves a local page that shows a front as its visitors see it, at any instant
// of its editions.

import { existsSync, readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../errors.ts';
import { mayBeOpened } from '../../database/open.ts';
import type { PageBundle } from '../../preview/bundle.ts';
import type { PreviewCatalogue } from '../../preview/preview-data.ts';
import type { CommandContext } from '../context.ts';
import type { Instant } from '../../catalogue/instant.ts';
import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import { MOMENT_FORMS } from '../moment.ts';
import { bytesText } from '../output/terminal.ts';
import { serveUntilInterrupted } from '../listening.ts';
import type { PlaybillCommand } from '../command.ts';

export function addPreviewCommand(program: PlaybillCommand): void {
  program
    .command('preview')
    .summary('show a front in a browser as its visitors see it')
    .description(
      'Serves a page on this machine only: any front of any kept release, a slider over the time of its editions, what each of ' +
        'them changes, two releases or two instants compared, how long every front stays right, and the health of one: alarms, ' +
        'prices against the release before, the kept releases. Reads the tree; needs no signature. If the catalogue exists, the page ' +
        'also lists the products without a card, and explains why. It loads pictures only on request. Its address keeps what is ' +
        'shown, so that a link opens the same view. Ends with Ctrl-C.\n\n' +
        'With --export, writes such a view as a page that needs no server, for a ticket, a mail or a pull request, and ends.',
    )
    .outFlag('the tree to show')
    .dbFlag('the catalogue, for explanations; optional, opened read-only')
    .presetFlag('--host <address>', 'the loopback address to listen on', '127.0.0.1')
    .portFlag(8081)
    .flag('--export <folder>', 'write a page that needs no server into this folder, and end')
    .flag('--address <address>', '--export: what the page shows, as the address of the preview says it')
    .flag('--front <code>', '--export: the front')
    .instantFlag('--at', `--export: the instant, ${MOMENT_FORMS} (default: that of the address, or the current time)`)
    .jsonFlag('print the address, or what was exported, as JSON')
    .helpBelow(`
Examples:
  playbill preview --out /srv/playbill --port 0
  playbill preview --export ticket --front moscow --at 2026-05-01T18:00:00+03:00
  playbill preview --export ticket --address '/?front=moscow&view=health'      copied from the browser

An export has the editions of one front in one release, or in two if the address compares them; what the kept releases
and status say of it; and of the catalogue, if it exists, categories and tags, the seats left of the front's contingents, why
products have no card, and what is open. Commands in it name tree and catalogue as you typed them. It has no key and no
signature. An earlier export in the folder is replaced.

Exit codes: 0 ended or exported, 2 wrong usage, no tree or front, an address that is not loopback or cannot be listened on, a folder with
something else in it or that cannot be written, or a page that would be too large, ${TRY_AGAIN}.`)
    .runs(async (flags, context) => {
      const { terminal } = context;
      if (flags.export !== undefined) return exportView({ ...flags, to: flags.export }, context);
      if (flags.address !== undefined || flags.front !== undefined || flags.at !== undefined)
        throw new AppError('usage', 'expected --export with --address, --front and --at, found none', EXPORT_EXAMPLE);
      const { servePreview } = await import('../../operations/serve.ts');
      const onBug = (message: string): void => terminal.log({ level: 'error', code: 'bug', message });
      const { host, out } = flags;
      const catalogue = await catalogueAt(flags.db, context);
      const server = await servePreview({ host, out, catalogue, page: await pageBundle(), now: context.now, onBug });
      await serveUntilInterrupted(server, flags, context, (origin) => {
        const url = `${origin}/`;
        terminal.print(flags.json === true ? JSON.stringify({ url }) : url);
        const without = catalogue === null ? `, without a catalogue (there is none at ${flags.db})` : '';
        terminal.log(`Showing ${out}${without}; open the address in a browser. Ctrl-C ends it`);
      });
      return EXIT.done;
    });
}

const EXPORT_EXAMPLE = 'to show a front, open the page; to export it, add --export FOLDER';

interface ExportFlags {
  readonly to: string;
  readonly out: string;
  readonly db: string;
  readonly address?: string;
  readonly front?: string;
  readonly at?: Instant;
  readonly json?: true;
}

async function exportView({ to, out, db, address, front, at, json }: ExportFlags, context: CommandContext) {
  const { exportPreview } = await import('../../operations/preview/export-preview.ts');
  const catalogue = await catalogueAt(db, context);
  const result = await exportPreview({
    out,
    to,
    query: address === undefined ? '' : queryOfAddress(address),
    front: front ?? null,
    at: at ?? null,
    catalogue,
    page: await pageBundle(),
    now: context.now,
    writer: context.processId,
  });
  const { path, bytes, release } = result;
  context.terminal.print(json === true ? JSON.stringify(result) : path);
  const from = release === null ? '' : ` of release ${release}`;
  const without = catalogue === null ? `, without a catalogue (there is none at ${db})` : '';
  context.terminal.log(`Exported ${result.front}${from} at ${result.at} (${bytesText(bytes)})${without}`);
  return EXIT.done;
}

/** An address may begin with any origin. @throws AppError usage */
function queryOfAddress(address: string): string {
  if (/^(https?:\/\/[^/]+)?\/?(with-images)?(\?|$)/.test(address) && URL.canParse(address, 'http://localhost'))
    return new URL(address, 'http://localhost').search;
  const message = `--address: expected an address of the preview, found ${JSON.stringify(address)}`;
  throw new AppError('usage', message, "for example --address '/?front=moscow'");
}

/** The catalogue, or null if there is none: the page works without. */
async function catalogueAt(path: string, { tzdata }: CommandContext): Promise<PreviewCatalogue | null> {
  if (!mayBeOpened(path)) return null;
  const { previewCatalogue } = await import('../../operations/preview/preview-catalogue.ts');
  return previewCatalogue(path, tzdata, await import('../output/explain.ts'));
}

/**
 * The page's script and style: bundled when the package was compiled; in a checkout, bundled now.
 */
async function pageBundle(): Promise<PageBundle> {
  const shipped = (name: string): URL => new URL(`../preview/bundles/${name}`, import.meta.url);
  const [script, style] = [shipped('page.js'), shipped('page.css')];
  if (existsSync(script)) return { script: readFileSync(script, 'utf8'), style: readFileSync(style, 'utf8') };
  try {
    const { bundlePage } = await import('../../preview/bundle.ts');
    return await bundlePage();
  } catch (error) {
    const message = `expected the page at ${script.pathname}, found none: ${messageOf(error)}`;
    throw new AppError('page-bundle-missing', message, 'compile again: npm run build', error);
  }
}
