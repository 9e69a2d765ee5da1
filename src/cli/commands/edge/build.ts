// `playbill edge build`: writes the deployable edge rule for a runtime.

import { existsSync, readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../../errors.ts';
import type { OriginOptions } from '../../../edge/targets/origin.ts';
import { bundleFor, targetNamed } from '../../../edge/targets/targets.ts';
import { PROFILE_NAMES } from '../../../edge/rule/profile.ts';
import type { PlaybillCommand } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { bytesText } from '../../output/terminal.ts';
import { SETTINGS } from '../../settings/settings.ts';
import { addEdgeCheck } from './check.ts';

const HELP = `
Examples:
  playbill edge build --target nginx --to /etc/nginx/playbill
  playbill edge build --target nginx --server-name tickets.example
  playbill edge build --target authorizer --proxy caddy
  playbill edge build --target authorizer --proxy nginx --origin s3://shop/tree
  playbill edge build --target cloudflare --origin r2://bucket/prefix
  playbill edge build --target lambda-edge --origin s3://bucket/prefix
  playbill edge build --target netlify --origin https://origin.example/public
  playbill edge build --target deno --origin s3://bucket/prefix
  playbill edge build --target worker --profile rfc9421 signed-headers

Exit codes: 0 done, 2 wrong usage or no tree, 6 the folder could not be written.`;

const GROUP_HELP = `
Examples:
  playbill edge build --target nginx --to edge --public-root /srv/public
  playbill edge check https://cdn.example --key moscow.key.json --out out

Exit codes: see playbill edge build --help and playbill edge check --help`;

export function addEdgeCommand(program: PlaybillCommand): void {
  const edge = program
    .command('edge')
    .summary('write the edge rule for a runtime; check a deployed one')
    .helpBelow(GROUP_HELP);
  addEdgeBuild(edge);
  addEdgeCheck(edge);
}

function addEdgeBuild(edge: PlaybillCommand): void {
  edge
    .command('build')
    .summary('write the deployable edge rule for a runtime')
    .description(
      'Writes a folder that can be deployed as it is, with a README that says how. It contains public keys and the names of secrets, but never a secret.',
    )
    .requiredSetting(SETTINGS.target)
    .setting(SETTINGS.to)
    .outFlag('the tree whose key ring the rule uses')
    .setting(SETTINGS.publicRoot)
    .setting(SETTINGS.keyRing)
    .setting(SETTINGS.proxy)
    .setting(SETTINGS.authorizer)
    .setting(SETTINGS.listen)
    .setting(SETTINGS.serverName)
    .setting(SETTINGS.certificate)
    .setting(SETTINGS.certificateKey)
    .setting(SETTINGS.origin)
    .setting(SETTINGS.originEndpoint)
    .setting(SETTINGS.originRegion)
    .setting(SETTINGS.encodings)
    .setting(SETTINGS.base)
    .setting(SETTINGS.maxAge)
    .setting(SETTINGS.ringGrace)
    .setting(SETTINGS.authority)
    .setting(SETTINGS.profiles)
    .jsonFlag()
    .helpBelow(HELP)
    .runs(async (flags, { terminal, environment }) => {
      const { buildEdge } = await import('../../../operations/edge/build.ts');
      const folder = flags.to ?? `edge-${flags.target}`;
      const target = targetNamed(flags.target);
      const bundle = await bundleOf(bundleFor(target, flags.origin).name);
      const { files, refused } = await buildEdge(
        {
          target,
          proxy: flags.proxy ?? null,
          authorizer: flags.authorizer,
          to: folder,
          out: flags.out,
          publicRoot: flags.publicRoot ?? null,
          keyRingPath: flags.keyRing ?? null,
          listen: flags.listen,
          serverName: flags.serverName ?? null,
          certificate: flags.certificate ?? null,
          certificateKey: flags.certificateKey ?? null,
          origin: originOf(flags.origin, flags.originEndpoint, flags.originRegion, environment),
          encodings: flags.encodings ?? [],
          settings: {
            base: flags.base,
            maxAge: flags.maxAge,
            requiresAuthority: flags.authority,
            ringGrace: flags.ringGrace,
          },
          profiles: PROFILE_NAMES.filter((name) => (flags.profile ?? [PROFILE_NAMES[0]]).includes(name)),
        },
        bundle,
      );
      if (refused.length > 0)
        terminal.log({
          level: 'warning',
          code: 'secret-missing',
          message: `${flags.target} has no secrets and will refuse these keys: ${refused.join(', ')}`,
        });
      const sizes = files.map(([name, text]) => ({ path: `${folder}/${name}`, bytes: Buffer.byteLength(text) }));
      if (flags.json === true) terminal.print(JSON.stringify({ target: flags.target, files: sizes }));
      else {
        for (const { path, bytes } of sizes) terminal.print(`${path} (${bytesText(bytes)})`);
        terminal.print(`Size of the rule: ${bytesText(Buffer.byteLength(bundle))}`);
        terminal.print(`How to deploy it: ${folder}/README.md`);
      }
    });
}

/**
 * Takes a missing endpoint or region of a bucket from the environment variables that S3 tools use.
 */
function originOf(
  origin: string,
  endpoint: string | undefined,
  region: string | undefined,
  environment: CommandContext['environment'],
): OriginOptions {
  const given = (names: readonly string[]): string | null =>
    (origin.startsWith('s3://') && names.map(environment).find((value) => value)) || null;
  return {
    origin,
    originEndpoint: endpoint ?? given(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL']),
    originRegion: region ?? given(['AWS_REGION', 'AWS_DEFAULT_REGION']),
  };
}

/** The bundle from when the command was compiled. A checkout has none and makes it now. */
async function bundleOf(name: string): Promise<string> {
  const shipped = new URL(`../edge/bundles/${name}.js`, import.meta.url);
  if (existsSync(shipped)) return readFileSync(shipped, 'utf8');
  try {
    const { bundleEdge } = await import('../../../edge/targets/bundle.ts');
    return await bundleEdge(name);
  } catch (error) {
    const message = `expected the bundle of the edge rule at ${shipped.pathname}, found none: ${messageOf(error)}`;
    throw new AppError('edge-bundle-missing', message, 'compile again: npm run build', error);
  }
}
