// The folder for nginx with njs and a tree on disk, which nginx sends with sendfile and
// gzip_static. The tests run every line of the configuration.

import { AppError, withoutUser } from '../../../errors.ts';
import { rendered, renderedPart } from '../../template.ts';
import { codeList, commonValues, configured, inOrder, keyRingOf, rulePaths, secretNames } from '../deployment.ts';
import { type Bundle, type Deployment, type DeploymentFiles, noKeys, targetOf, type TargetOptions } from '../target.ts';
import { checkPath, type NginxServer, serverFiles, standalone } from './configuration.ts';
import type { NginxSettings } from './request.ts';

const OPTIONS = [
  'publicRoot',
  'keyRingPath',
  'listen',
  'serverName',
  'certificate',
  'certificateKey',
  'folder',
  'origin',
] as const;

type NginxDeployment = Deployment & Pick<TargetOptions, (typeof OPTIONS)[number]>;

const BUNDLE: Bundle = { name: 'nginx', entry: 'nginx/runtime.ts', form: 'njs' };

const SECRETS = 'playbill-secrets.js';

/** Refuses a bucket, and a path or an address that could break the configuration's syntax. */
export const nginx = targetOf({
  name: 'nginx',
  summary: 'with njs',
  testedOn: 'nginx with njs 0.7, and with QuickJS (njs 1.0)',
  reads: { folder: BUNDLE },
  options: OPTIONS,
  codeBytesMax: null,
  filledIn: [SECRETS],
  refusedKeys: noKeys,
  files: (deployment: NginxDeployment): DeploymentFiles => {
    const { bundle, keyRing, settings, publicRoot, profiles } = deployment;
    refuseBucket(deployment.origin);
    const keyRingPath = keyRingOf(deployment);
    checkPath('publicRoot', publicRoot);
    checkPath('keyRingPath', keyRingPath);
    const own: NginxSettings = { ...settings, keyRing: keyRingPath, profiles };
    const names = secretNames(keyRing);
    // nginx does not start if it is missing.
    const secrets = Object.fromEntries(names.map((name) => [name, '']));
    return inOrder([
      [
        'README.md',
        rendered('nginx/README.md', {
          ...commonValues(settings, names),
          publicRoot,
          keyRingPath,
          listen: deployment.listen,
          folder: deployment.folder,
          base: settings.base,
          paths: codeList(rulePaths(settings.base)),
        }),
      ],
      ['nginx.conf', standalone(true)],
      [SECRETS, rendered('nginx/playbill-secrets.js', { secrets: JSON.stringify(secrets, null, 2) })],
      ...serverFiles(serverOf(deployment)),
      ['playbill.js', configured(own, bundle)],
    ]);
  },
});

function serverOf({ publicRoot, settings, ...options }: NginxDeployment): NginxServer {
  const answer = (handler: string, errorPages: string): string =>
    renderedPart('nginx/answer.conf', { handler, publicRoot, errorPages });
  const edition = (location: string, missing: string): string =>
    renderedPart('nginx/edition.conf', {
      location,
      missing,
      compressed: renderedPart('nginx/edition-gzip.conf'),
      settings: renderedPart('nginx/edition-settings.conf', { publicRoot }),
    });
  return {
    target: 'nginx',
    isProxy: false,
    base: settings.base,
    options,
    http: (maps) => rendered('nginx/playbill-http.conf', { folder: options.folder, maps }),
    answer: (errorPages) => answer('answer', errorPages),
    locations: (paths, refusal, errorPages) =>
      rendered('nginx/playbill-locations.conf', {
        paths,
        refusal,
        edition: edition('@playbill_edition', '@playbill_again'),
        editionAgain: edition('@playbill_edition_again', '@playbill_unavailable'),
        again: answer('again', errorPages),
        unavailable: answer('unavailable', errorPages),
      }),
  };
}

/** The rule in nginx reads files; behind nginx, as a service, it reads a bucket as well. */
function refuseBucket(origin: string): void {
  if (!origin.includes('://')) return;
  const bucket = origin.startsWith('s3://') ? origin : 's3://BUCKET/PREFIX';
  throw new AppError(
    'edge-option-invalid',
    `--origin: expected none with --target nginx, which reads the tree from a folder, found "${withoutUser(origin)}"`,
    `for a bucket behind nginx: playbill edge build --target authorizer --proxy nginx --origin ${bucket}`,
  );
}
