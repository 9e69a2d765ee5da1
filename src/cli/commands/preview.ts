// `playbill preview`: serves a local page that shows a front as its visitors see it, at any instant
// of its editions.

import { existsSync, readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../errors.ts';
import { mayBeOpened } from '../../database/open.ts';
import type { PageBundle } from '../../preview/bundle.ts';
import type { PreviewCatalogue } from '../../preview/preview-data.ts';
import type { CommandContext } from '../context.ts';
import { serveUntilInterrupted } from '../listening.ts';
import type { PlaybillCommand } from '../command.ts';

export function addPreviewCommand(program: PlaybillCommand): void {
  program
    .command('preview')
    .summary('show a front in a browser as its visitors see it')
    .description(
      'Serves a page on this machine only: any front of any kept release, a slider over the time of its editions, what each of ' +
        'them changes, two releases or two instants compared, how long every front stays right, and the health of one: alarms, ' +
        'prices against the release before, the kept releases. Reads the tree; needs no signature. If the catalogue exists, the page also lists the products without a card, and explains why. It loads pictures ' +
        'only on request. Its address keeps what is shown, so that a link opens the same view. Ends with Ctrl-C.',
    )
    .outFlag('the tree to show')
    .dbFlag('the catalogue, for explanations; optional, opened read-only')
    .presetFlag('--host <address>', 'the loopback address to listen on', '127.0.0.1')
    .portFlag(8081)
    .jsonFlag('print the address as JSON')
    .helpBelow(`
Example:
  playbill preview --out /srv/playbill --port 0

Exit codes: 0 ended, 2 wrong usage, no tree, or an address that is not loopback or cannot be listened on.`)
    .runs(async (flags, context) => {
      const { terminal } = context;
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
    });
}

/** The catalogue, or null if there is none: the page works without. */
async function catalogueAt(path: string, { tzdata }: CommandContext): Promise<PreviewCatalogue | null> {
  if (!mayBeOpened(path)) return null;
  const { previewCatalogue } = await import('../../operations/preview-catalogue.ts');
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
