// Files that are missing, damaged, strangers, or no files at all: `verify` names each, and nothing
// else.

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { filesOf } from '../support/trees.ts';
import { manifestIn, otherManifestPaths } from '../support/manifests.ts';
import { editionIn, sha256 } from '../support/verify-forgery.ts';
import { describeDamages, F, flipBit, K, pointerPath, read, remove, soundTree, write } from '../support/verify-tree.ts';

const sound = soundTree();

/** An edition that only the older release names. */
function oldEdition(root: string): string {
  const named = new Set(manifestIn(root).files.map(({ path }) => path));
  const [older = ''] = otherManifestPaths(root);
  const file = manifestIn(root, older).files.find(({ path }) => !named.has(path));
  if (file === undefined) throw new Error('every edition of the older release is in the newer one too');
  return file.path;
}

describeDamages('damaged files', sound, {
  'one bit of an edition is turned': (root) => {
    const path = editionIn(root, F, 'products', 1);
    flipBit(root, path, 0.5);
    return [`error file-digest-wrong ${path}`];
  },
  'one bit of an older release’s edition is turned': (root) => {
    const path = oldEdition(root);
    flipBit(root, path, 0.5);
    return [`error file-digest-wrong ${path}`];
  },
  'an edition is cut short': (root) => {
    const path = editionIn(root, F, 'products', 0);
    truncateSync(join(root, path), 1000);
    return [`error file-size-wrong ${path}`];
  },
  'an edition is empty': (root) => {
    const path = editionIn(root, K, 'categories', 0);
    truncateSync(join(root, path), 0);
    return [`error file-size-wrong ${path}`];
  },
  'an edition has a line more': (root) => {
    const path = editionIn(root, K, 'categories', 0);
    appendFileSync(join(root, path), '\n');
    return [`error file-size-wrong ${path}`];
  },
  'an edition in force is gone': (root) => {
    const path = editionIn(root, F, 'products', -1);
    remove(root, path);
    return [`error file-missing ${path}`];
  },
  'an edition that only an older release names is gone': (root) => {
    const path = oldEdition(root);
    remove(root, path);
    return [`error file-missing ${path}`];
  },
  'a folder stands in an edition’s place': (root) => {
    const path = editionIn(root, F, 'products', 0);
    remove(root, path);
    mkdirSync(join(root, path));
    return [`error file-kind-wrong ${path}`];
  },
  'a folder stands in a pointer’s place': (root) => {
    remove(root, pointerPath(K));
    mkdirSync(join(root, pointerPath(K)));
    return [`error file-kind-wrong ${pointerPath(K)}`];
  },
  'a pipe stands in a pointer’s place': (root) => {
    remove(root, pointerPath(K));
    expect(spawnSync('mkfifo', [join(root, pointerPath(K))]).status).toBe(0);
    return [`error file-kind-wrong ${pointerPath(K)}`];
  },
  'an edition is a link to its own content elsewhere': (root) => {
    const path = editionIn(root, F, 'products', 0);
    renameSync(join(root, path), join(dirname(root), 'elsewhere.json'));
    symlinkSync(join(dirname(root), 'elsewhere.json'), join(root, path));
    return [`error file-kind-wrong ${path}`];
  },
  'a front’s folder is a link': (root) => {
    const path = `public/fronts/${F}`;
    renameSync(join(root, path), join(dirname(root), F));
    symlinkSync(join(dirname(root), F), join(root, path));
    return [`error file-kind-wrong ${path}`];
  },
  'public is a link': (root) => {
    renameSync(join(root, 'public'), join(dirname(root), 'public'));
    symlinkSync(join(dirname(root), 'public'), join(root, 'public'));
    return ['error file-kind-wrong public'];
  },
  'a link leads out of the tree, and one into nothing': (root) => {
    symlinkSync('/etc', join(root, 'public/etc'));
    symlinkSync('nowhere', join(root, 'releases/0000000000000000.json'));
    return ['error file-kind-wrong public/etc', 'error file-kind-wrong releases/0000000000000000.json'];
  },
  'a link lies beside the tree’s folders': (root) => {
    symlinkSync('/etc/passwd', join(root, 'passwd'));
    return ['error file-kind-wrong passwd'];
  },
  'a file stands in a front’s place': (root) => {
    remove(root, `public/fronts/${F}`);
    write(root, `public/fronts/${F}`, 'x');
    return [`error file-kind-wrong public/fronts/${F}`];
  },
  'a file stands in the place of fronts': (root) => {
    remove(root, 'public/fronts');
    write(root, 'public/fronts', 'x');
    return ['error file-kind-wrong public/fronts'];
  },
  'a file stands in the place of releases': (root) => {
    remove(root, 'releases');
    write(root, 'releases', 'x');
    return ['error file-kind-wrong releases'];
  },
  'a front’s folder is gone': (root) => {
    const editions = [...filesOf(root).keys()].filter((path) => /\/kuwait\/(products|categories)/.test(path));
    remove(root, `public/fronts/${K}`);
    return [`error pointer-missing ${pointerPath(K)}`, ...editions.map((path) => `error file-missing ${path}`)];
  },
  'strangers lie everywhere': (root) => {
    const paths = [
      'public/index.html',
      'public/assets/deep/deeper/app.js',
      'public/fronts/README',
      'public/fronts/UPPER/pointer.json',
      'public/fronts/a..b/pointer.json',
      `public/fronts/${F}/pointer.json.bak`,
      `public/fronts/${F}/old/pointer.json`,
      `public/fronts/${F}/products.ABCDEF0123456789.json`,
      'edge/keyring.json~',
      'edge/nginx/rule.js',
      'releases/latest',
      'releases/old/current',
    ];
    for (const path of paths) write(root, path, 'x');
    return paths.map((path) => `warning unexpected ${path}`);
  },
  'an edition is there that nobody names': (root) => {
    const text = '[]\n';
    const path = `public/fronts/${F}/categories.${sha256(text).slice(0, 16)}.json`;
    write(root, path, text);
    return [`warning unexpected ${path}`];
  },
  'an edition that nobody names is damaged, too': (root) => {
    const path = `public/fronts/gone/categories.0123456789abcdef.json`;
    write(root, path, '[]\n');
    return [`warning unexpected ${path}`, `error file-digest-wrong ${path}`];
  },
  'a stopped run has left temporary names': (root) => {
    const paths = [`public/fronts/${F}/.products.0123456789abcdef.json.tmp`, 'releases/.current.tmp'];
    for (const path of paths) write(root, path, 'x');
    return paths.map((path) => `warning temporary-name ${path}`);
  },
  'a precompressed sibling is another’s': (root) => {
    const path = editionIn(root, F, 'categories', 0);
    write(root, `${path}.gz`, gzipSync(read(root, editionIn(root, K, 'categories', 0))));
    write(root, `${path}.br`, 'no brotli');
    return [`error file-digest-wrong ${path}.gz`, `error file-digest-wrong ${path}.br`];
  },
  'a precompressed sibling unfolds without end': (root) => {
    const path = editionIn(root, F, 'categories', 0);
    write(root, `${path}.gz`, gzipSync(Buffer.alloc(50_000_000)));
    return [`error file-digest-wrong ${path}.gz`];
  },
  'a precompressed sibling has lost its edition': (root) => {
    const path = editionIn(root, F, 'categories', 0);
    write(root, `${path}.gz`, gzipSync(read(root, path)));
    remove(root, path);
    return [`error file-missing ${path}`];
  },
});
