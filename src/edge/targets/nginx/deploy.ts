// The folder for nginx with njs and a tree on disk, which nginx sends with sendfile and
// gzip_static. The tests run every line of the configuration.

import { AppError, withoutUser } from '../../../errors.ts';
import { rendered, renderedPart } from '../../template.ts';
import { commonValues, inOrder, keyRingOf, secretNames } from '../deployment.ts';
import { type Bundle, type Deployment, type DeploymentFiles, noKeys, targetOf, type TargetOptions } from '../target.ts';
import { checkListen, checkPath, serverValues, standalone } from './configuration.ts';
import type { NginxSettings } from './request.ts';

type NginxDeployment = Deployment & Pick<TargetOptions, 'publicRoot' | 'keyRingPath' | 'listen' | 'origin'>;

const BUNDLE: Bundle = { name: 'nginx', entry: 'nginx/runtime.ts', form: 'njs' };

/** Refuses a bucket, and a path or an address that could break the configuration's syntax. */
export const nginx = targetOf({
  name: 'nginx',
  summary: 'with njs',
  testedOn: 'nginx with njs',
  reads: { folder: BUNDLE },
  options: ['publicRoot', 'keyRingPath', 'listen', 'origin'],
  codeBytesMax: null,
  refusedKeys: noKeys,
  files: (deployment: NginxDeployment): DeploymentFiles => {
    const { bundle, keyRing, settings, publicRoot, listen, profiles } = deployment;
    refuseBucket(deployment.origin);
    const keyRingPath = keyRingOf(deployment);
    checkPath('publicRoot', publicRoot);
    checkPath('keyRingPath', keyRingPath);
    checkListen(listen);
    const own: NginxSettings = { ...settings, keyRing: keyRingPath, profiles: profiles.join(' ') };
    const names = secretNames(keyRing);
    const secrets = Object.fromEntries(names.map((name) => [name, '']));
    // Without secrets, the file as it is: nginx does not start if it is missing. Otherwise an
    // example: the next one must not replace secrets.
    const secretsName = names.length > 0 ? 'playbill-secrets.example.json' : 'playbill-secrets.json';
    const edition = (location: string, missing: string): string =>
      renderedPart('nginx/edition.conf', { location, missing });
    return inOrder([
      ['README.md', rendered('nginx/README.md', { ...commonValues(settings, names), publicRoot, keyRingPath, listen })],
      ['nginx.conf', standalone(true)],
      [secretsName, `${JSON.stringify(secrets, null, 2)}\n`],
      ['playbill-settings.json', `${JSON.stringify(own)}\n`],
      [
        'playbill.conf',
        rendered('nginx/playbill.conf', {
          ...serverValues(false),
          listen,
          publicRoot,
          edition: edition('@playbill_edition', '@playbill_again'),
          editionAgain: edition('@playbill_edition_again', '@playbill_unavailable'),
        }),
      ],
      ['playbill.js', bundle],
    ]);
  },
});

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
