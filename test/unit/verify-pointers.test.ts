// Pointers that are torn, contradict themselves, or belong to another front, release or time.

import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { pointerText } from '../../src/release/tree/codec.ts';
import { filesOf } from '../support/trees.ts';
import { manifestIn, nameIn, otherManifestPaths } from '../support/manifests.ts';
import { forge, pointerIn } from '../support/verify-forgery.ts';
import { describeDamages, F, FRONTS, K, pointerPath, read, remove, soundTree, write } from '../support/verify-tree.ts';

const sound = soundTree();

/** The pointer of a front in the release before. */
function olderPointer(root: string, front: string): string {
  const [older = ''] = otherManifestPaths(root);
  const listing = manifestIn(root, older).fronts.find((one) => one.front === front);
  if (listing === undefined) throw new Error(`the older release has no ${front}`);
  return pointerText(listing.pointer);
}

describeDamages('damaged pointers', sound, {
  'a pointer is torn': (root) => {
    truncateSync(join(root, pointerPath(F)), 100);
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'a pointer is empty': (root) => {
    truncateSync(join(root, pointerPath(F)), 0);
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'a pointer is a million brackets': (root) => {
    write(root, pointerPath(F), '['.repeat(1_000_000) + ']'.repeat(1_000_000));
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'a pointer is written otherwise': (root) => {
    write(root, pointerPath(F), `${JSON.stringify(pointerIn(root, F), null, 2)}\n`);
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'a pointer begins with a byte order mark': (root) => {
    write(root, pointerPath(F), `\uFEFF${read(root, pointerPath(F))}`);
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'a pointer names no edition': (root) => {
    write(root, pointerPath(F), pointerText({ ...pointerIn(root, F), products: [] }));
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'a pointer is gone': (root) => {
    remove(root, pointerPath(F));
    return [`error pointer-missing ${pointerPath(F)}`];
  },
  'two fronts have each other’s pointer': (root) => {
    const [f, k] = [read(root, pointerPath(F)), read(root, pointerPath(K))];
    write(root, pointerPath(F), k);
    write(root, pointerPath(K), f);
    return [`error pointer-invalid ${pointerPath(F)}`, `error pointer-invalid ${pointerPath(K)}`];
  },
  'two fronts have each other’s entries': (root) => {
    const [f, k] = [pointerIn(root, F), pointerIn(root, K)];
    write(root, pointerPath(F), pointerText({ ...f, products: k.products, categories: k.categories }));
    write(root, pointerPath(K), pointerText({ ...k, products: f.products, categories: f.categories }));
    const missing = (front: string, named: readonly string[], endpoint: string): string[] =>
      [...new Set(named)].map(
        (entry) => `error file-missing public/fronts/${front}/${endpoint}.${entry.slice(21)}.json`,
      );
    return [
      `error pointer-not-current ${pointerPath(F)}`,
      `error pointer-not-current ${pointerPath(K)}`,
      ...missing(F, k.products, 'products'),
      ...missing(F, k.categories, 'categories'),
      ...missing(K, f.products, 'products'),
      ...missing(K, f.categories, 'categories'),
    ];
  },
  'the products and categories of a pointer have each other’s entries': (root) => {
    const pointer = pointerIn(root, F);
    write(
      root,
      pointerPath(F),
      pointerText({ ...pointer, products: pointer.categories, categories: pointer.products }),
    );
    return [
      `error pointer-not-current ${pointerPath(F)}`,
      ...pointer.products.map((entry) => `error file-missing public/fronts/${F}/categories.${entry.slice(21)}.json`),
      ...pointer.categories.map((entry) => `error file-missing public/fronts/${F}/products.${entry.slice(21)}.json`),
    ];
  },
  'two entries of a pointer have changed places': (root) => {
    const pointer = pointerIn(root, F);
    const [a = '', b = '', ...rest] = pointer.products;
    write(root, pointerPath(F), pointerText({ ...pointer, products: [b, a, ...rest] }));
    return [`error edition-order ${pointerPath(F)}`];
  },
  'the second and third entry of a pointer have changed places': (root) => {
    const pointer = pointerIn(root, F);
    const [a = '', b = '', c = '', ...rest] = pointer.products;
    write(root, pointerPath(F), pointerText({ ...pointer, products: [a, c, b, ...rest] }));
    return [`error edition-order ${pointerPath(F)}`];
  },
  'two editions are from the same instant': (root) => {
    forge(root, {
      front: F,
      pointer: (pointer) => ({
        ...pointer,
        products: pointer.products.map((entry, i) =>
          i === 2 ? `${pointer.products[1]?.slice(0, 20)}${entry.slice(20)}` : entry,
        ),
      }),
    });
    return [`error edition-order ${pointerPath(F)}`];
  },
  'two entries have each other’s instants': (root) => {
    const pointer = pointerIn(root, F);
    const [a = '', b = '', c = '', ...rest] = pointer.products;
    const products = [a, b.slice(0, 20) + c.slice(20), c.slice(0, 20) + b.slice(20), ...rest];
    write(root, pointerPath(F), pointerText({ ...pointer, products }));
    return [`error pointer-not-current ${pointerPath(F)}`];
  },
  'an edition follows itself': (root) => {
    forge(root, {
      front: F,
      pointer: (pointer) => {
        const [only = ''] = pointer.categories;
        return { ...pointer, categories: [only, `2026-05-01T20:00:00Z${only.slice(20)}`] };
      },
    });
    return [`error edition-repeated ${pointerPath(F)}`];
  },
  'the first edition is not from now': (root) => {
    forge(root, { front: F, pointer: (pointer) => ({ ...pointer, now: '2026-05-01T10:59:59Z' }) });
    return [`error edition-order ${pointerPath(F)}`];
  },
  'validUntil is where the last edition begins': (root) => {
    forge(root, {
      front: F,
      pointer: (pointer) => ({ ...pointer, validUntil: pointer.products.at(-1)?.slice(0, 20) ?? '' }),
    });
    return [`error edition-order ${pointerPath(F)}`];
  },
  'an edition is from 30 February': (root) => {
    forge(root, {
      front: F,
      pointer: (pointer) => ({
        ...pointer,
        validUntil: '2026-12-31T00:00:00Z',
        products: [...pointer.products, `2026-06-31T00:00:00Z ${pointer.products[0]?.slice(21) ?? ''}`],
      }),
    });
    return [`error edition-order ${pointerPath(F)}`];
  },
  'validUntil is 31 June': (root) => {
    forge(root, { front: F, pointer: (pointer) => ({ ...pointer, validUntil: '2026-06-31T00:00:00Z' }) });
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'validUntil is in a thousand years': (root) => {
    forge(root, { front: F, pointer: (pointer) => ({ ...pointer, validUntil: '3026-05-02T00:00:00Z' }) });
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'today is yesterday': (root) => {
    forge(root, { front: F, pointer: (pointer) => ({ ...pointer, today: '2026-04-30' }) });
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'the zone is unknown': (root) => {
    forge(root, { front: F, pointer: (pointer) => ({ ...pointer, timezone: 'Europe/Atlantis' }) });
    return [`error zone-unknown ${pointerPath(F)}`];
  },
  'the zone is an offset': (root) => {
    forge(root, { front: F, pointer: (pointer) => ({ ...pointer, timezone: '+03:00' }) });
    return [`error zone-unknown ${pointerPath(F)}`];
  },
  'the zone is another one, where the date is another': (root) => {
    forge(root, { front: F, pointer: (pointer) => ({ ...pointer, timezone: 'Pacific/Kiritimati' }) });
    return [`error pointer-invalid ${pointerPath(F)}`];
  },
  'a pointer is one that no release has': (root) => {
    const pointer = pointerIn(root, F);
    write(root, pointerPath(F), pointerText({ ...pointer, validUntil: '2026-05-02T14:59:59Z' }));
    return [`error pointer-not-current ${pointerPath(F)}`];
  },
  'a pointer is that of the older release': (root) => {
    write(root, pointerPath(F), olderPointer(root, F));
    return [`warning pointer-not-current ${pointerPath(F)}`];
  },
  'current is behind: a stop before the last step': (root) => {
    const [older = ''] = otherManifestPaths(root);
    write(root, 'releases/current', `${nameIn(older)}\n`);
    return FRONTS.map((front) => `warning pointer-not-current ${pointerPath(front)}`);
  },
  'a release that takes a front away was stopped before current': (root) => {
    const [older = ''] = otherManifestPaths(root);
    forge(root, {
      front: F,
      manifest: (manifest) => ({
        ...manifest,
        fronts: manifest.fronts.filter((listing) => listing.front !== K),
        files: manifest.files.filter(({ path }) => !path.includes(`/${K}/`)),
      }),
    });
    // What only the newer release had of the front is now nobody's.
    const paths = [...filesOf(root).keys()].filter((path) => /\/kuwait\/(products|categories)/.test(path));
    const named = new Set(manifestIn(root, older).files.map(({ path }) => path));
    for (const path of paths) if (!named.has(path)) remove(root, path);
    remove(root, pointerPath(K));
    write(root, 'releases/current', `${nameIn(older)}\n`);
    return [`warning pointer-missing ${pointerPath(K)}`, `warning pointer-not-current ${pointerPath(F)}`];
  },
});
