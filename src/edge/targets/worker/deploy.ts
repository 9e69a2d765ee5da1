// The folder for workerd, and for any other runtime with a fetch handler.

import { rendered } from '../../template.ts';
import { boundFolders, isCaching, tokenOf, type Worker } from './deployment.ts';
import { BUNDLES, workerTarget } from './host.ts';

export const worker = workerTarget({
  name: 'worker',
  summary: 'workerd, or any other runtime with a fetch handler',
  testedOn: 'workerd',
  reads: { url: BUNDLES.url, binding: BUNDLES.binding, s3: BUNDLES.s3 },
  codeBytesMax: null,
  title: '',
  hasCache: true,
  bindsFolders: true,
  compresses: false,
  files: (deployed) => [['workerd.capnp', workerdConfiguration(deployed)]],
});

function workerdConfiguration(deployed: Worker): string {
  const { tree, keySecrets, treeSecrets, ringSource } = deployed;
  const folders = boundFolders(deployed);
  const services = folders.map(
    ({ binding, path }) => `(name = "${binding}-folder", disk = (path = ${JSON.stringify(path)})),`,
  );
  if (tree.kind !== 'binding' || ringSource.kind === 'url')
    services.push(
      '(name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),',
    );
  const names = [...keySecrets, ...treeSecrets, ...tokenOf(deployed)];
  const bindings = [
    ...folders.map(({ binding }) => `(name = "${binding}", service = "${binding}-folder"),`),
    ...names.map((name) => `(name = "${name}", fromEnvironment = "${name}"),`),
  ];
  return rendered('worker/workerd.capnp', {
    services: services.join('\n    '),
    bindings: bindings.join('\n    '),
    caches: isCaching(deployed),
  });
}
