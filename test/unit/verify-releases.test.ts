// Releases: manifests that are damaged or tell lies, and `current`.

import { mkdirSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestHead } from '../../src/contract/manifest.ts';
import { pointerText } from '../../src/release/tree/codec.ts';
import {
  currentManifestPath,
  currentName,
  manifestIn,
  nameIn,
  otherManifestPaths,
  partPathsOf,
  removeManifest,
  writeManifest,
} from '../support/manifests.ts';
import { forge, sha256 } from '../support/verify-forgery.ts';
import { describeDamages, F, flipBit, K, pointerPath, read, remove, soundTree, write } from '../support/verify-tree.ts';

const sound = soundTree();

function partsOf(root: string, path: string): readonly [string, string] {
  return partPathsOf(JSON.parse(read(root, path)) as ManifestHead);
}

describeDamages('damaged releases', sound, {
  'one bit of the manifest in force is turned': (root) => {
    const path = currentManifestPath(root);
    flipBit(root, path, 0.5);
    return [`error file-digest-wrong ${path}`];
  },
  'one bit of an older manifest is turned': (root) => {
    const [path = ''] = otherManifestPaths(root);
    flipBit(root, path, 0.9);
    return [`error file-digest-wrong ${path}`];
  },
  'the manifest in force is gone': (root) => {
    remove(root, currentManifestPath(root));
    return ['error current-invalid releases/current'];
  },
  'an older manifest has another id': (root) => {
    const [path = ''] = otherManifestPaths(root);
    const other = path.replace(/-.*/, '-0123456789abcdef.json');
    renameSync(join(root, path), join(root, other));
    return [`error file-digest-wrong ${other}`];
  },
  'an older manifest has another instant in its name': (root) => {
    const [path = ''] = otherManifestPaths(root);
    const other = path.replace(/T\d{6}Z/, 'T000000Z');
    renameSync(join(root, path), join(root, other));
    return [`error manifest-invalid ${other}`];
  },
  'a part of the manifest in force is gone': (root) => {
    const [part] = partsOf(root, currentManifestPath(root));
    remove(root, part);
    return [`error manifest-invalid ${part}`];
  },
  'one bit of a part of the manifest in force is turned': (root) => {
    const [, part] = partsOf(root, currentManifestPath(root));
    flipBit(root, part, 0.5);
    return [`error manifest-invalid ${part}`];
  },
  'one bit of a part of an older manifest is turned': (root) => {
    const [path = ''] = otherManifestPaths(root);
    const [part] = partsOf(root, path);
    flipBit(root, part, 0.5);
    return [`error manifest-invalid ${part}`];
  },
  'a part of an older manifest is a folder': (root) => {
    const [path = ''] = otherManifestPaths(root);
    const [part] = partsOf(root, path);
    remove(root, part);
    mkdirSync(join(root, part));
    return [`error file-kind-wrong ${part}`, `error manifest-invalid ${part}`];
  },
  'a part is what its name says, and no list': (root) => {
    const path = currentManifestPath(root);
    const text = '{}\n';
    const digest = sha256(text).slice(0, 16);
    const head = `${read(root, path).trimEnd().slice(0, -18)}${digest}"}\n`;
    const forged = path.replace(/-.*/, `-${sha256(head).slice(0, 16)}.json`);
    const fronts = read(root, partsOf(root, path)[0]);
    removeManifest(root, path);
    write(root, `releases/files-${digest}.json`, text);
    write(root, forged, head);
    write(root, partsOf(root, forged)[0], fronts);
    write(root, 'releases/current', `${nameIn(forged)}\n`);
    return [`error manifest-invalid releases/files-${digest}.json`];
  },
  'a run was stopped before the manifest of its parts': (root) => {
    const parts = ['releases/files-0123456789abcdef.json', 'releases/fronts-0123456789abcdef.json'];
    for (const part of parts) write(root, part, '[]\n');
    return parts.map((part) => `warning unexpected ${part}`);
  },
  'an older manifest is a folder': (root) => {
    const [path = ''] = otherManifestPaths(root);
    remove(root, path);
    mkdirSync(join(root, path));
    return [`error file-kind-wrong ${path}`];
  },
  'a manifest is what its name says, and none': (root) => {
    const text = '{"schema":2}\n';
    const path = `releases/20260501T090000Z-${sha256(text).slice(0, 16)}.json`;
    write(root, path, text);
    return [`error manifest-invalid ${path}`];
  },
  'a rollback was stopped before any pointer': (root) => {
    const [path = ''] = otherManifestPaths(root);
    write(root, 'releases/hold', `{"all":"${nameIn(path)}"}\n`);
    return ['warning hold-not-current releases/hold'];
  },
  'a rollback was stopped after a pointer, and after one that it takes away': (root) => {
    const [path = ''] = otherManifestPaths(root);
    const older = manifestIn(root, path);
    const listing = older.fronts.find(({ front }) => front === F);
    if (listing === undefined) throw new Error('no such front');
    // The older release without the other front, so that its pointer is taken away.
    const files = older.files.filter((file) => file.path.includes(`/${F}/`));
    const forged = writeManifest(root, { ...older, fronts: [listing], files });
    write(root, 'releases/hold', `{"all":"${nameIn(forged)}"}\n`);
    write(root, pointerPath(F), pointerText(listing.pointer));
    remove(root, pointerPath(K));
    return [
      'warning hold-not-current releases/hold',
      `warning pointer-not-current ${pointerPath(F)}`,
      `warning pointer-missing ${pointerPath(K)}`,
    ];
  },
  'the tree is held at the release in force, and a pointer is missing': (root) => {
    write(root, 'releases/hold', `{"all":"${currentName(root)}"}\n`);
    remove(root, pointerPath(K));
    return [`error pointer-missing ${pointerPath(K)}`];
  },
  'hold names no release that is kept': (root) => {
    write(root, 'releases/hold', '{"all":"20260501T090000Z-0123456789abcdef"}\n');
    return ['error hold-invalid releases/hold'];
  },
  'hold names no release that is kept, as earlier versions wrote it': (root) => {
    write(root, 'releases/hold', '0123456789abcdef\n');
    return ['error hold-invalid releases/hold'];
  },
  'hold is torn': (root) => {
    write(root, 'releases/hold', '0123456');
    return ['error hold-invalid releases/hold'];
  },
  'hold is a folder': (root) => {
    mkdirSync(join(root, 'releases/hold'));
    return ['error file-kind-wrong releases/hold'];
  },
  'current points nowhere': (root) => {
    write(root, 'releases/current', '20260501T090000Z-0123456789abcdef\n');
    return ['error current-invalid releases/current'];
  },
  'current is torn': (root) => {
    truncateSync(join(root, 'releases/current'), 7);
    return ['error current-invalid releases/current'];
  },
  'current is empty': (root) => {
    truncateSync(join(root, 'releases/current'), 0);
    return ['error current-invalid releases/current'];
  },
  'current is a folder': (root) => {
    remove(root, 'releases/current');
    mkdirSync(join(root, 'releases/current'));
    return ['error file-kind-wrong releases/current'];
  },
  'current is gone': (root) => {
    remove(root, 'releases/current');
    return ['error current-invalid releases/current'];
  },
  'current is not there yet: a first build was stopped': (root) => {
    const [older = ''] = otherManifestPaths(root);
    const named = new Set(manifestIn(root).files.map(({ path }) => path));
    for (const { path } of manifestIn(root, older).files) if (!named.has(path)) remove(root, path);
    removeManifest(root, older);
    remove(root, 'releases/current');
    return ['warning current-invalid releases/current'];
  },
  'all releases are gone': (root) => {
    const named = new Set(manifestIn(root).files.map(({ path }) => path));
    const [older = ''] = otherManifestPaths(root);
    const strangers = manifestIn(root, older).files.filter(({ path }) => !named.has(path));
    remove(root, 'releases');
    return ['error current-invalid releases/current', ...strangers.map(({ path }) => `warning unexpected ${path}`)];
  },
  'an older release was pruned but for its editions': (root) => {
    const named = new Set(manifestIn(root).files.map(({ path }) => path));
    const [older = ''] = otherManifestPaths(root);
    const strangers = manifestIn(root, older).files.filter(({ path }) => !named.has(path));
    removeManifest(root, older);
    return strangers.map(({ path }) => `warning unexpected ${path}`);
  },
  'a manifest is not sorted': (root) => {
    const path = forge(root, {
      front: F,
      manifest: (manifest) => ({ ...manifest, files: manifest.files.toReversed() }),
    });
    return [`error manifest-invalid ${path}`];
  },
  'a manifest lists a front twice': (root) => {
    const twice = forge(root, {
      front: F,
      manifest: (manifest) => ({ ...manifest, fronts: [...manifest.fronts.slice(0, 1), ...manifest.fronts] }),
    });
    return [`error manifest-invalid ${twice}`];
  },
  'a manifest lists a file that no pointer names, nor is there': (root) => {
    const file = {
      path: 'public/fronts/zoo/products.0123456789abcdef.json',
      bytes: 3,
      sha256: '0123456789abcdef'.repeat(4),
    };
    forge(root, { front: F, manifest: (manifest) => ({ ...manifest, files: [...manifest.files, file] }) });
    return [`error file-missing ${file.path}`];
  },
  'a manifest tells another size': (root) => {
    const path = forge(root, {
      front: F,
      manifest: (manifest) => ({
        ...manifest,
        // The older release would still tell the right one of an edition that both have.
        files: manifest.files.map((file, i) => (i === 0 ? { ...file, bytes: file.bytes + 1 } : file)),
      }),
    });
    return [`error manifest-invalid ${path}`];
  },
  'a manifest tells another digest that begins alike': (root) => {
    const path = forge(root, {
      front: F,
      manifest: (manifest) => ({
        ...manifest,
        files: manifest.files.map((file, i) =>
          i === 0 ? { ...file, sha256: file.sha256.slice(0, 63) + (file.sha256.endsWith('0') ? '1' : '0') } : file,
        ),
      }),
    });
    return [`error manifest-invalid ${path}`];
  },
  'a manifest counts cards wrong': (root) => {
    const miscount = (cards: readonly number[]): number[] => cards.map((count, i) => (i === 1 ? count + 1 : count));
    const path = forge(root, {
      front: F,
      listing: (listing) => ({ ...listing, cardsByEdition: miscount(listing.cardsByEdition) }),
    });
    return [`error manifest-invalid ${path}`];
  },
  'a manifest lists a front with another’s pointer': (root) => {
    forge(root, { front: F, listing: (listing) => ({ ...listing, front: 'fonaa' }) });
    return [`error pointer-not-current ${pointerPath(F)}`, 'error pointer-missing public/fronts/fonaa/pointer.json'];
  },
});
