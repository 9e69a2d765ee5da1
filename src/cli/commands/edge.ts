// `playbill edge build`: writes the deployable edge rule for a runtime.

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { DeploymentFiles } from '../../edge/deploy/deployment.ts';
import type { SiblingEncoding } from '../../edge/rule/encoding.ts';
import type { SettingsFile } from '../../edge/rule/settings.ts';
import { AppError, messageOf, shellWord } from '../../errors.ts';
import { durationArgument } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandContext } from '../context.ts';
import { bytesText } from '../output/terminal.ts';

type Target = 'nginx' | 'worker';

interface EdgeFlags {
  readonly target: Target;
  readonly to?: string;
  readonly out: string;
  readonly publicRoot?: string;
  readonly keyRing?: string;
  readonly listen: string;
  readonly origin: string;
  readonly encodings?: readonly SiblingEncoding[];
  readonly base: string;
  readonly maxAge: number;
  readonly authority: boolean;
  readonly json?: true;
}

export function addEdgeCommand(program: Command, context: CommandContext): void {
  const edge = program
    .command('edge')
    .summary('write the deployable edge rule for a runtime')
    .addHelpText(
      'after',
      `
Examples:
  playbill edge build --target nginx
  playbill edge build --target worker --origin https://origin.example

Exit codes: 0 done, 2 wrong usage or no tree, 6 the folder could not be written.`,
    );
  edge
    .command('build')
    .summary('write the deployable edge rule for a runtime')
    .description(
      'Writes a folder that deploys as it is, with a README of its own. It holds public keys and names of secrets, never a secret.',
    )
    .addOption(
      new Option('--target <runtime>', 'nginx with njs, or any runtime with a fetch handler')
        .choices(['nginx', 'worker'])
        .makeOptionMandatory(),
    )
    .option('--to <folder>', 'the folder to write (default: edge-nginx or edge-worker)')
    .option('--out <folder>', 'the tree whose key ring the rule takes along', 'out')
    .option('--public-root <folder>', 'where the edge finds the tree’s public folder (default: that of --out)')
    .option(
      '--key-ring <file>',
      'nginx: where it finds the tree’s edge/keyring.json (default: beside the public folder)',
    )
    .option('--listen <address>', 'nginx: the address of the server', '8080')
    .option('--origin <url>', 'worker: the URL of the public folder, or the name of a binding with fetch', 'ASSETS')
    .addOption(
      new Option(
        '--encodings <name...>',
        'worker: the precompressed siblings that the tree has (build --precompress); without, answers are not compressed',
      ).choices(['br', 'gzip']),
    )
    .option('--base <path>', 'the path before /products/', '')
    .option('--max-age <duration>', 'the longest max-age of an answer', durationArgument('--max-age'), 60)
    .option('--no-authority', 'do not require @authority to be signed: where a proxy rewrites Host')
    .option('--json', 'print what was written for machines')
    .addHelpText(
      'after',
      `
Examples:
  playbill edge build --target nginx --to /etc/nginx/playbill --public-root /srv/playbill/public
  playbill edge build --target worker --origin https://origin.example

Exit codes: 0 done, 2 wrong usage or no tree, 6 the folder could not be written.`,
    )
    .action(async (flags: EdgeFlags) => {
      context.exitCode = await runEdgeBuild(flags, context);
    });
}

async function runEdgeBuild(flags: EdgeFlags, { terminal }: CommandContext): Promise<number> {
  const { faultOfSettings } = await import('../../edge/rule/settings.ts');
  const settings: SettingsFile = { base: flags.base, maxAge: flags.maxAge, requiresAuthority: flags.authority };
  const fault = faultOfSettings(settings);
  if (fault !== null) throw new AppError('edge-option-invalid', fault, 'see: playbill edge build --help');
  const keyRing = await readKeyRing(flags.out);
  const bundle = await bundleOf(flags.target);
  const folder = flags.to ?? `edge-${flags.target}`;
  const files = await filesOf(flags, bundle, keyRing, settings).catch((error: unknown) => {
    throw new AppError('edge-option-invalid', messageOf(error), 'see: playbill edge build --help', error);
  });
  const { writeFolder } = await import('../../storage/directory/folder.ts');
  writeFolder(folder, files);
  const sizes = files.map(([name, text]) => ({ path: `${folder}/${name}`, bytes: Buffer.byteLength(text) }));
  if (flags.json === true) terminal.print(JSON.stringify({ target: flags.target, files: sizes }));
  else {
    for (const { path, bytes } of sizes) terminal.print(`${path} (${bytesText(bytes)})`);
    terminal.print(`How to deploy it: ${folder}/README.md`);
  }
  return EXIT.done;
}

async function filesOf(
  flags: EdgeFlags,
  bundle: string,
  keyRing: KeyRing,
  settings: SettingsFile,
): Promise<DeploymentFiles> {
  const publicRoot = resolve(flags.publicRoot ?? `${flags.out}/public`);
  if (flags.target === 'nginx') {
    const { nginxFiles } = await import('../../edge/deploy/nginx.ts');
    const keyRingPath = keyRingPathOf(flags, publicRoot);
    return nginxFiles({ bundle, keyRing, settings, publicRoot, keyRingPath, listen: flags.listen });
  }
  const { workerFiles } = await import('../../edge/deploy/worker.ts');
  const { origin } = flags;
  return workerFiles({
    bundle,
    keyRing,
    settings,
    publicRoot,
    origin,
    encodings: flags.encodings ?? [],
    pointerSeconds: 5,
  });
}

/** A tree has both in one folder; a public folder that bears another name may be anywhere. Throws Error where nobody can know. */
function keyRingPathOf({ keyRing }: EdgeFlags, publicRoot: string): string {
  if (keyRing !== undefined) return resolve(keyRing);
  if (basename(publicRoot) === 'public') return join(dirname(publicRoot), 'edge/keyring.json');
  throw new Error(
    `expected --key-ring FILE, since --public-root is not the folder "public" of a tree: "${publicRoot}"`,
  );
}

async function readKeyRing(out: string): Promise<KeyRing> {
  const path = `${out}/edge/keyring.json`;
  if (!existsSync(path)) {
    throw new AppError(
      'tree-missing',
      `expected a key ring at ${path}, found nothing`,
      `make one: playbill build --out ${shellWord(out)}`,
    );
  }
  const { parseKeyRing } = await import('../../release/tree/codec.ts');
  const { value, problem } = parseKeyRing(readFileSync(path), path);
  if (value === null)
    throw new AppError('tree-unreadable', `${path}: ${problem}`, 'build puts it anew: playbill build');
  return value;
}

/** The bundle that was made when the command was compiled; in a checkout it is made now. */
async function bundleOf(target: Target): Promise<string> {
  const shipped = new URL(`../edge/bundles/${target}.js`, import.meta.url);
  if (existsSync(shipped)) return readFileSync(shipped, 'utf8');
  try {
    const { bundleEdge } = await import('../../edge/deploy/bundle.ts');
    return await bundleEdge(target);
  } catch (error) {
    throw new AppError(
      'edge-bundle-missing',
      `expected the bundle of the edge rule at ${shipped.pathname}, found none: ${messageOf(error)}`,
      'compile again: npm run build',
      error,
    );
  }
}
