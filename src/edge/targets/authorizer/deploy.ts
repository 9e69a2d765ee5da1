// The folder for a proxy that cannot run the rule: the authorizer service and the proxy's
// configuration. The proxy sends the files itself where it can. The tests run every generated file.
// Values that could break the configuration's syntax are refused.

import { CREDENTIAL_NAMES } from '../../remote-tree/bucket-credentials.ts';
import { rendered, type Values } from '../../template.ts';
import { codeList, commonValues, configured, inOrder, keyRingOf, rulePaths, secretNames } from '../deployment.ts';
import { checkPath } from '../nginx/configuration.ts';
import { kindOf, parseOrigin } from '../origin.ts';
import { type Bundle, type Deployment, type DeploymentFiles, noKeys, targetOf, type TargetOptions } from '../target.ts';
import type { AuthorizerConfiguration } from './configuration.ts';
import { caddyTimeouts, PROXIES, type Proxy, PROXY_RECORDS } from './proxies.ts';

const OPTIONS = [
  'proxy',
  'authorizer',
  'listen',
  'serverName',
  'certificate',
  'certificateKey',
  'folder',
  'publicRoot',
  'keyRingPath',
  'origin',
  'originEndpoint',
  'originRegion',
  'encodings',
] as const;

export type AuthorizerDeployment = Deployment & Pick<TargetOptions, (typeof OPTIONS)[number]>;

const BUNDLE: Bundle = { name: 'authorizer', entry: 'authorizer/runtime.ts', form: 'node' };

export const authorizer = targetOf({
  name: 'authorizer',
  summary: 'a service behind a proxy that cannot run the rule',
  testedOn: 'nginx, Caddy and HAProxy',
  reads: { folder: BUNDLE, s3: BUNDLE },
  options: OPTIONS,
  codeBytesMax: null,
  refusedKeys: noKeys,
  files: authorizerFiles,
});

function authorizerFiles(deployment: AuthorizerDeployment): DeploymentFiles {
  const { bundle, settings, profiles, keyRing } = deployment;
  const proxy = PROXIES.find((one) => one === deployment.proxy);
  if (proxy === undefined)
    throw new Error(
      `expected --proxy ${PROXIES.join('|')} with --target authorizer, found ${deployment.proxy ?? 'none'}`,
    );
  const tree = treeOf(deployment, proxy);
  const { host, port } = addressOf(deployment.authorizer);
  const configuration: AuthorizerConfiguration = { ...settings, profiles, host, port, tree };
  const secrets = [...secretNames(keyRing), ...(tree.kind === 'bucket' ? CREDENTIAL_NAMES : [])];
  const service = {
    ...deployment,
    base: settings.base,
    filesRoot: tree.kind === 'folder' && tree.fileHeaders !== null ? tree.publicRoot : null,
  };
  return inOrder([
    [
      'README.md',
      rendered('authorizer/README.md', {
        ...commonValues(settings, secrets),
        ...treeValues(tree),
        ...proxyValues(proxy),
        authorizer: service.authorizer,
        listen: service.listen,
        folder: service.folder,
        paths: codeList(rulePaths(settings.base)),
        pathWords: rulePaths(settings.base).join(' '),
      }),
    ],
    ['authorizer.mjs', configured(configuration, bundle)],
    ['playbill-authorizer.service', rendered('authorizer/playbill-authorizer.service', { folder: service.folder })],
    ...PROXY_RECORDS[proxy].files(service),
  ]);
}

function treeOf(deployment: AuthorizerDeployment, proxy: Proxy): AuthorizerConfiguration['tree'] {
  const { publicRoot, origin } = deployment;
  if (kindOf(origin) !== 'binding') {
    const bucket = parseOrigin(deployment);
    if (bucket.kind !== 's3')
      throw new Error(`origin: expected s3://BUCKET/PREFIX for the authorizer, found "${origin}"`);
    return { kind: 'bucket', origin: bucket.origin, region: bucket.region, encodings: deployment.encodings };
  }
  const keyRing = keyRingOf(deployment);
  checkPath('publicRoot', publicRoot);
  checkPath('keyRingPath', keyRing);
  return { kind: 'folder', publicRoot, keyRing, fileHeaders: PROXY_RECORDS[proxy].fileHeaders };
}

/**
 * Parses ADDRESS:PORT. Throws Error for anything else, host names included: a name may resolve to
 * another machine later.
 */
function addressOf(authorizer: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^(\d+(?:\.\d+){3}|\[[\da-f:]+\]):(\d{1,5})$/i.exec(authorizer) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`--authorizer: expected an address and a port, such as 127.0.0.1:9180, found "${authorizer}"`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** What the README says of the tree, and of who sends its files. */
function treeValues(tree: AuthorizerConfiguration['tree']): Values {
  const isFolder = tree.kind === 'folder';
  const isHanded = isFolder && tree.fileHeaders !== null;
  return {
    folder: isFolder,
    publicRoot: isFolder ? tree.publicRoot : '',
    keyRing: isFolder ? tree.keyRing : '',
    bucket: !isFolder,
    bucketUrl: isFolder ? '' : tree.origin,
    region: isFolder ? '' : tree.region,
    sessionToken: CREDENTIAL_NAMES[2],
    files: isHanded,
    noFiles: !isHanded,
  };
}

/** The parts of the README for this proxy, and its name there. */
const proxyValues = (proxy: Proxy): Values => ({
  proxy: PROXY_RECORDS[proxy].title,
  ...Object.fromEntries(PROXIES.map((name) => [name, name === proxy])),
  // The README shows them between braces of its own, with blanks instead of tabs.
  timeouts: caddyTimeouts().replaceAll('\t', '    ').replaceAll(/^/gm, '    '),
});
