// Imports point down and never up or sideways; the clock, chance and the environment stay in cli/;
// Date and Intl in calendar.ts. The rules are a function over file texts, so that a planted fault
// can show that each of them fires.

import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

/** Files that stand in src/ itself: each is a part of its own. */
const ALONE = /^(errors|findings|count-text|suggestions|file-lock|fsync-path|make-folder|remove-file|wrap)\.ts$/;

/** What each part may import besides itself and errors.ts. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  findings: [],
  'count-text': [],
  suggestions: [],
  'fsync-path': [],
  'make-folder': [],
  'remove-file': [],
  wrap: [],
  'file-lock': ['remove-file'],
  catalogue: ['findings'],
  contract: ['catalogue', 'findings'],
  render: ['catalogue', 'contract'],
  release: ['render', 'catalogue', 'contract', 'count-text', 'findings', 'wrap'],
  storage: [
    'release',
    'render',
    'catalogue',
    'contract',
    'file-lock',
    'fsync-path',
    'make-folder',
    'remove-file',
    'wrap',
  ],
  database: [
    'release',
    'render',
    'catalogue',
    'contract',
    'findings',
    'suggestions',
    'fsync-path',
    'file-lock',
    'make-folder',
    'remove-file',
    'wrap',
  ],
  edge: ['render', 'contract'],
  client: ['edge', 'contract'],
  'edge-check': ['client', 'edge', 'release', 'render', 'catalogue', 'contract'],
  preview: ['release', 'render', 'catalogue', 'contract', 'count-text', 'findings'],
  operations: [
    'storage',
    'database',
    'edge',
    'edge-check',
    'preview',
    'release',
    'render',
    'catalogue',
    'contract',
    'findings',
    'suggestions',
  ],
  cli: [
    'count-text',
    'operations',
    'storage',
    'database',
    'release',
    'render',
    'catalogue',
    'contract',
    'findings',
    'suggestions',
    'edge',
    'client',
    'edge-check',
    'preview',
  ],
};

/**
 * Which sub-folders of its own part the files of a sub-folder may import. A sub-folder that is not
 * here may import any.
 */
const MAY_IMPORT_BESIDE: Readonly<Record<string, readonly string[]>> = {
  'release/tree': [],
  'release/publish': ['tree'],
  'release/verify': ['tree'],
  'release/diff': ['tree', 'publish'],
  'release/status': ['tree', 'diff'],
  'release/history': ['tree', 'verify', 'status'],
  'database/contract': [],
  'database/load': ['contract'],
  'database/check': ['contract', 'load'],
  'database/write': ['contract', 'load'],
  'database/sqlite': ['contract', 'load', 'write'],
  'database/postgres': ['contract', 'load', 'write'],
  'storage/folder': [],
  'storage/bucket': [],
  'edge/rule': [],
  'edge/web-crypto': ['rule'],
  'edge/remote-tree': ['rule'],
  'edge/node-server': ['rule', 'web-crypto'],
  'cli/output': [],
  'cli/settings': ['output'],
  'cli/commands': ['output', 'settings'],
  'operations/edge': [],
  'operations/shards': [],
};

/**
 * The sub-folder of its part that a file stands in: `release/tree`; null for one that stands in
 * none.
 */
function subFolderOf(path: string): string | null {
  const [part, folder, ...rest] = path.split('/');
  return rest.length === 0 ? null : `${part}/${folder}`;
}

/**
 * Whether the files are in two sub-folders of one part, and the first may not import the second.
 */
function isSideways(path: string, target: string): boolean {
  const [from, to] = [subFolderOf(path), subFolderOf(target)];
  if (from === null || to === null || from === to || partOf(path) !== partOf(target)) return false;
  const beside = MAY_IMPORT_BESIDE[from];
  return beside !== undefined && !beside.includes(to.slice(to.indexOf('/') + 1));
}

/** Packages and Node's modules, where they are let in at all. */
const MODULES_LET_IN: Readonly<Record<string, RegExp>> = {
  errors: /^$/,
  findings: /^$/,
  suggestions: /^$/,
  'fsync-path': /^node:fs$/,
  'make-folder': /^node:(fs|path)$/,
  'remove-file': /^node:fs$/,
  wrap: /^$/,
  'file-lock': /^(node:(crypto|fs)|better-sqlite3)$/,
  catalogue: /^$/,
  contract: /^zod$/,
  render: /^$/,
  release: /^(node:(crypto|zlib)|zod)$/,
  storage: /^(node:.*|p-limit|zod|undici|fast-xml-parser|@smithy\/.*|@aws-sdk\/credential-provider-node)$/,
  database: /^(node:.*|better-sqlite3|kysely|pg(\/lib\/client\.js)?|pg-connection-string|pgpass)$/,
  'edge-check': /^node:(http|https|zlib)$/,
  preview: /^(node:(crypto|fs\/promises|http|url)|esbuild|preact(\/hooks)?|@tanstack\/virtual-core)$/,
  operations: /^node:(timers\/promises|path|fs|http)$/,
  cli: /^(node:.*|commander|execa|fast-string-width|zod)$/,
};

/** What cli/ may import from outside of src/: the rows of the demo. */
const DEMO = '../data/demo/rows.ts';

/** What edge/ may import from storage/: where a bucket is, which both read. */
const BUCKET_ADDRESS = 'storage/bucket/address.ts';

const FORBIDDEN: readonly {
  readonly what: RegExp;
  readonly parts: RegExp;
  readonly except: RegExp;
  readonly why: string;
}[] = [
  {
    what: /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.env\b|\bperformance\.now\b/,
    parts: /^(?!cli$)/,
    // Where another runtime than the command begins: these are its command lines. A lease runs out
    // by time, whatever instant is built. Whoever speaks to PostgreSQL goes by its variables, as
    // its own tools do.
    except:
      /^(edge\/(node-server\/server|targets\/((authorizer|lambda-edge)\/runtime|worker\/fetch-handler|nginx\/handlers))\.ts|client\/client\.ts|storage\/bucket\/store-clock\.ts|database\/postgres\/connect\.ts)$/,
    why: 'clock, chance or environment below cli',
  },
  {
    what: /\b(Date|Intl)\b[.(]/,
    parts: /^(catalogue|contract|render|release)$/,
    except: /^catalogue\/calendar\.ts$/,
    why: 'Date or Intl outside calendar.ts',
  },
  {
    what: /'(\.\.\/)+(database\/(?!(contract\/tables|open)\.ts)|storage\/(?!(open-tree|write-folder|private-file|text-file)\.ts))/,
    parts: /^cli$/,
    except: /^$/,
    why: 'the inside of a database or a tree in a command: it is opened by open.ts or open-tree.ts',
  },
  {
    what: /\b(lockedTree|unlockedStore|sharedTree|changingKeyRing|openForWriting)\b/,
    parts: /^cli$/,
    except: /^$/,
    why: 'a database or a tree opened for writing by a command: what writes is an operation',
  },
  {
    what: /\bconsole\./,
    parts: /./,
    // The log of a worker, of a function, and of the service behind a proxy.
    except:
      /^edge\/(targets\/((authorizer|lambda-edge)\/runtime|worker\/fetch-handler)|remote-tree\/live-key-ring)\.ts$/,
    why: 'console: results go through the terminal',
  },
];

const IMPORT = /(?:^(?:import|export)\b[^;']*?\bfrom\s+|^import\s+|\bimport\(\s*)'([^']+)'/gm;

function partOf(path: string): string {
  const [first = ''] = path.split('/');
  return ALONE.test(path) ? first.slice(0, -'.ts'.length) : first;
}

/** Code without comments: prose may say anything. */
function codeOf(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}

function violationsOf(files: ReadonlyMap<string, string>): string[] {
  const violations: string[] = [];
  for (const [path, text] of files) {
    const part = partOf(path);
    const code = codeOf(text);
    const allowed = MAY_IMPORT[part];
    if (allowed === undefined) violations.push(`${path}: no such part of the program`);
    for (const [, specifier = ''] of code.matchAll(IMPORT)) {
      if (!specifier.startsWith('.')) {
        const letIn = MODULES_LET_IN[part];
        if (letIn !== undefined && !letIn.test(specifier)) violations.push(`${path}: imports ${specifier}`);
        continue;
      }
      const target = posix.normalize(posix.join(posix.dirname(path), specifier));
      if (part === 'cli' && target === DEMO) continue;
      if (part === 'edge' && target === BUCKET_ADDRESS) continue;
      const other = partOf(target);
      if ((other !== part && other !== 'errors' && allowed?.includes(other) !== true) || isSideways(path, target))
        violations.push(`${path}: imports ${target}`);
    }
    for (const { what, parts, except, why } of FORBIDDEN) {
      if (parts.test(part) && !except.test(path) && what.test(code)) violations.push(`${path}: ${why}`);
    }
  }
  return violations;
}

function sources(): Map<string, string> {
  const paths = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'),
  );
  return new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(SOURCE + path, 'utf8')]));
}

function crowdedFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 22).map(([folder, count]) => `${folder}: ${count} files`);
}

/** Files that import each other, directly or not, as one line each. */
function circlesIn(files: ReadonlyMap<string, string>): string[] {
  const importsOf = new Map(
    [...files].map(([path, text]) => {
      const specifiers = [...codeOf(text).matchAll(IMPORT)].map(([, specifier = '']) => specifier);
      const targets = specifiers.map((one) => posix.normalize(posix.join(posix.dirname(path), one)));
      return [path, targets.filter((target) => files.has(target))];
    }),
  );
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set<string>();
    const queue = [...(importsOf.get(start) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      queue.push(...(importsOf.get(next) ?? []));
    }
    return reached;
  };
  const reached = new Map([...files.keys()].map((path) => [path, reachedFrom(path)]));
  const circles = [...files.keys()].map((path) =>
    [...files.keys()].filter(
      (other) => reached.get(path)?.has(other) === true && reached.get(other)?.has(path) === true,
    ),
  );
  return [...new Set(circles.filter((circle) => circle.length > 0).map((circle) => circle.join(', ')))];
}

describe('layers', () => {
  test('the test sees the code', () => {
    const files = sources();
    expect(files.size).toBeGreaterThan(40);
    for (const name of ['operations/build.ts', 'render/paths.ts', 'release/publish/publish.ts'])
      expect(files.has(name), name).toBe(true);
    expect([...files.keys()].some((path) => path.endsWith('.tsx'))).toBe(true);
    const imports = [...files.values()].flatMap((text) => [...codeOf(text).matchAll(/from\s+'\./g)]);
    expect(imports.length).toBeGreaterThan(100);
  });

  test('nobody imports up or sideways, or reaches for the clock', () => {
    expect(violationsOf(sources())).toEqual([]);
  });

  test('a folder listing can be read at a glance: at most 22 source files in each', () => {
    expect(crowdedFolders([...sources().keys()])).toEqual([]);
    const planted = Array.from({ length: 23 }, (_, i) => `render/deep/${i}.ts`);
    expect(crowdedFolders(planted)).toEqual(['render/deep: 23 files']);
  });

  test('no circles of imports, those of types alone included', () => {
    expect(circlesIn(sources())).toEqual([]);
    const planted = new Map([
      ['render/a.ts', "import type { B } from './b.ts';"],
      ['render/b.ts', "import { c } from './deep/c.ts';"],
      ['render/deep/c.ts', "export { a } from '../a.ts';"],
      ['render/d.ts', "import { a } from './a.ts';"],
    ]);
    expect(circlesIn(planted)).toEqual(['render/a.ts, render/b.ts, render/deep/c.ts']);
  });

  test.each([
    [
      'up',
      'catalogue/x.ts',
      "import { build } from '../operations/build.ts';",
      'catalogue/x.ts: imports operations/build.ts',
    ],
    [
      'up, types too',
      'render/x.ts',
      "import type { A } from '../release/publish/guards.ts';",
      'render/x.ts: imports release/publish/guards.ts',
    ],
    [
      'sideways within a part',
      'release/history/x.ts',
      "import { a } from '../publish/publish.ts';",
      'release/history/x.ts: imports release/publish/publish.ts',
    ],
    [
      'from the tree up to who writes it',
      'release/tree/x.ts',
      "import { a } from '../history/prune.ts';",
      'release/tree/x.ts: imports release/history/prune.ts',
    ],
    [
      'from the edge to what is not pure in a bucket',
      'edge/targets/x.ts',
      "import { a } from '../../storage/bucket/connection.ts';",
      'edge/targets/x.ts: imports storage/bucket/connection.ts',
    ],
    ['sideways', 'storage/x.ts', "import { a } from '../database/open.ts';", 'storage/x.ts: imports database/open.ts'],
    [
      'what only the command may know',
      'preview/x.ts',
      "import { a } from '../storage/folder/lock.ts';",
      'preview/x.ts: imports storage/folder/lock.ts',
    ],
    [
      'a page that asks the clock',
      'preview/page/x.tsx',
      'const now = Date.now();',
      'preview/page/x.tsx: clock, chance or environment below cli',
    ],
    ['lazily', 'release/x.ts', "await import('../cli/main.ts');", 'release/x.ts: imports cli/main.ts'],
    ['a module of Node in a pure part', 'render/x.ts', "import { a } from 'node:fs';", 'render/x.ts: imports node:fs'],
    ['a package where it has no place', 'catalogue/x.ts', "import * as z from 'zod';", 'catalogue/x.ts: imports zod'],
    ['the clock', 'release/x.ts', 'const now = Date.now();', 'release/x.ts: clock, chance or environment below cli'],
    ['the environment', 'database/x.ts', "process.env['A']", 'database/x.ts: clock, chance or environment below cli'],
    ['Intl', 'catalogue/x.ts', "new Intl.NumberFormat('en')", 'catalogue/x.ts: Date or Intl outside calendar.ts'],
    ['the console', 'cli/x.ts', "console.log('a')", 'cli/x.ts: console: results go through the terminal'],
    [
      'a command that reads files of a tree',
      'cli/commands/x.ts',
      "const { a } = await import('../../storage/folder/reader.ts');",
      'cli/commands/x.ts: the inside of a database or a tree in a command: it is opened by open.ts or open-tree.ts',
    ],
    [
      'a command that reads rows',
      'cli/x.ts',
      "import { a } from '../database/load/load-fronts.ts';",
      'cli/x.ts: the inside of a database or a tree in a command: it is opened by open.ts or open-tree.ts',
    ],
    [
      'a command that opens a tree to write it',
      'cli/commands/x.ts',
      "const { lockedTree } = await import('../../storage/open-tree.ts');",
      'cli/commands/x.ts: a database or a tree opened for writing by a command: what writes is an operation',
    ],
    [
      'a command that opens a database to write it',
      'cli/x.ts',
      "import { openForWriting } from '../database/open.ts';",
      'cli/x.ts: a database or a tree opened for writing by a command: what writes is an operation',
    ],
    [
      'what stands outside of src',
      'cli/commands/x.ts',
      "await import('../../../scripts/start.ts');",
      'cli/commands/x.ts: imports ../scripts/start.ts',
    ],
    ['a new part', 'utils/x.ts', 'export {};', 'utils/x.ts: no such part of the program'],
  ])('a planted fault fires: %s', (_, path, text, expected) => {
    expect(violationsOf(new Map([[path, text]]))).toContain(expected);
  });
});
