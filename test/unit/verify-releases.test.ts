// Releases: manifests that are damaged or tell lies, and `current`.

import { mkdirSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { manifestText, pointerText } from '../../src/release/tree/codec.ts';
import { currentManifestPath, forge, manifestIn, otherManifestPaths, sha256 } from '../support/verify-forgery.ts';
import { describeDamages, F, flipBit, K, pointerPath, remove, soundTree, write } from '../support/verify-tree.ts';

const sound = soundTree();

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
    renameSync(join(root, path), join(root, 'releases/0123456789abcdef.json'));
    return ['error file-digest-wrong releases/0123456789abcdef.json'];
  },
  'an older manifest is a folder': (root) => {
    const [path = ''] = otherManifestPaths(root);
    remove(root, path);
    mkdirSync(join(root, path));
    return [`error file-kind-wrong ${path}`];
  },
  'a manifest is what its name says, and none': (root) => {
    const text = '{"schema":1}\n';
    const path = `releases/${sha256(text).slice(0, 16)}.json`;
    write(root, path, text);
    return [`error manifest-invalid ${path}`];
  },
  'a rollback was stopped before any pointer': (root) => {
    const [path = ''] = otherManifestPaths(root);
    write(root, 'releases/hold', `${path.slice('releases/'.length, -'.json'.length)}\n`);
    return ['warning hold-not-current releases/hold'];
  },
  'a rollback was stopped after a pointer, and after one that it takes away': (root) => {
    const [path = ''] = otherManifestPaths(root);
    const older = manifestIn(root, path);
    const listing = older.fronts.find(({ front }) => front === F);
    if (listing === undefined) throw new Error('no such front');
    // The older release without the other front, so that its pointer is taken away.
    const text = manifestText({
      ...older,
      fronts: [listing],
      files: older.files.filter((file) => file.path.includes(`/${F}/`)),
    });
    const id = sha256(text).slice(0, 16);
    write(root, `releases/${id}.json`, text);
    write(root, 'releases/hold', `${id}\n`);
    write(root, pointerPath(F), pointerText(listing.pointer));
    remove(root, pointerPath(K));
    return [
      'warning hold-not-current releases/hold',
      `warning pointer-not-current ${pointerPath(F)}`,
      `warning pointer-missing ${pointerPath(K)}`,
    ];
  },
  'the tree is held at the release in force, and a pointer is missing': (root) => {
    write(root, 'releases/hold', currentManifestPath(root).slice('releases/'.length, -'.json'.length));
    remove(root, pointerPath(K));
    return [`error pointer-missing ${pointerPath(K)}`];
  },
  'hold names no release that is kept': (root) => {
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
    write(root, 'releases/current', '0123456789abcdef\n');
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
    remove(root, older);
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
    remove(root, older);
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
