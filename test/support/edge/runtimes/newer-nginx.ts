// nginx with njs 1.0 and its second engine, QuickJS, from Debian's next distribution, testing:
// unpacked into .run/, with the C library that it needs, so that the machine's own packages stay as
// they are.

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../../.run/newer-nginx', import.meta.url));
const root = join(folder, 'root');
const libraries = join(root, `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`);

/** Loads nginx with its own libraries. */
export const NEWER_NGINX: readonly [command: string, ...args: readonly string[]] = [
  join(libraries, `ld-linux-${process.arch === 'arm64' ? 'aarch64.so.1' : 'x86-64.so.2'}`),
  '--library-path',
  libraries,
  join(root, 'usr/sbin/nginx'),
];

const NEWER_NJS_MODULE = join(root, 'usr/lib/nginx/modules/ngx_http_js_module.so');

/** The nginx.conf of a deployed folder, for this nginx and QuickJS. */
export const withQuickjs = (conf: string): string =>
  conf.replace(/load_module .*;/, `load_module ${NEWER_NJS_MODULE};`).replace('http {', 'http {\n  js_engine qjs;');

/** Where the machine's own packages come from, without those of updates. */
function archive(): string {
  const words = ['indextargets', '--format', '$(REPO_URI) $(CODENAME)', 'Created-By: Packages', 'Component: main'];
  const { stdout } = spawnSync('apt-get', words, { encoding: 'utf8' });
  return /^(\S+) [a-z]+$/m.exec(stdout)?.[1] ?? '';
}

/**
 * Brings it if it is not there yet, and says on stderr if it cannot be had: the tests that use it
 * fail. apt works in a folder of its own, and finds nothing installed there.
 */
export function bringNewerNginx(): void {
  if (existsSync(NEWER_NJS_MODULE)) return;
  process.stderr.write('Bringing nginx with njs 1.0 from Debian testing into .run/newer-nginx/ …\n');
  for (const path of ['state/lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${key}] ${archive()} testing main\n`);
  const settings = {
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': join(folder, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    'Dir::Etc::SourceList': join(folder, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Debug::NoLocking': '1',
  };
  const run = (command: string, ...args: readonly string[]): void =>
    void spawnSync(command, args, { stdio: ['ignore', 2, 2] });
  const apt = (...words: readonly string[]): void =>
    run(
      'apt-get',
      '-qq',
      '-y',
      ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
      ...words,
    );
  apt('update');
  apt('install', '--download-only', '--no-install-recommends', 'nginx', 'libnginx-mod-http-js');
  for (const archive of globSync(join(folder, 'cache/archives/*.deb'))) run('dpkg-deb', '-x', archive, root);
  if (!existsSync(NEWER_NJS_MODULE)) process.stderr.write('Missing: nginx with njs 1.0 (Debian testing)\n');
}
