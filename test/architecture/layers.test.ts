// Imports point down and never up or sideways; the clock, chance and the environment stay in cli/; Date and Intl in calendar.ts.
// The rules are a function over file texts, so that a planted fault can show that each of them fires.

import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

/** What each part may import besides itself and errors.ts. `build` is build.ts and what stands beside it, but for two files. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  'make-folder': [],
  catalogue: [],
  contract: [],
  snapshot: ['catalogue', 'contract'],
  release: ['snapshot', 'catalogue', 'contract'],
  storage: ['release', 'snapshot', 'catalogue', 'contract', 'make-folder'],
  database: ['release', 'snapshot', 'catalogue', 'contract', 'make-folder'],
  edge: ['snapshot', 'contract'],
  client: ['edge', 'contract'],
  preview: ['release', 'snapshot', 'catalogue', 'contract'],
  press: ['storage', 'database', 'release', 'snapshot', 'catalogue', 'contract'],
  build: ['press', 'storage', 'database', 'release', 'snapshot', 'catalogue', 'contract'],
  cli: ['build', 'storage', 'database', 'release', 'snapshot', 'catalogue', 'contract', 'edge', 'client', 'preview'],
};

/** Packages and Node's modules, where they are let in at all. */
const MODULES_LET_IN: Readonly<Record<string, RegExp>> = {
  errors: /^$/,
  'make-folder': /^node:(fs|path)$/,
  catalogue: /^$/,
  contract: /^zod$/,
  snapshot: /^$/,
  release: /^(node:crypto|p-limit|zod)$/,
  storage: /^(node:.*|better-sqlite3)$/,
  database: /^(node:.*|better-sqlite3|kysely)$/,
  preview: /^(node:(fs\/promises|http|url)|esbuild|preact(\/hooks)?)$/,
  press: /^node:timers\/promises$/,
  build: /^node:timers\/promises$/,
  cli: /^(node:.*|commander|cli-progress)$/,
};

const FORBIDDEN: readonly {
  readonly what: RegExp;
  readonly parts: RegExp;
  readonly except: RegExp;
  readonly why: string;
}[] = [
  {
    what: /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.env\b|\bperformance\.now\b/,
    parts: /^(?!cli$)/,
    // Where another runtime than the command begins: these are its command lines.
    except: /^(edge\/(worker|nginx|node|deploy-worker)\.ts|client\/client\.ts)$/,
    why: 'clock, chance or environment below cli',
  },
  {
    what: /\b(Date|Intl)\b[.(]/,
    parts: /^(catalogue|contract|snapshot|release)$/,
    except: /^catalogue\/calendar\.ts$/,
    why: 'Date or Intl outside calendar.ts',
  },
  { what: /\bconsole\./, parts: /./, except: /^$/, why: 'console: results go through the terminal' },
];

const IMPORT = /(?:^(?:import|export)\b[^;']*?\bfrom\s+|^import\s+|\bimport\(\s*)'([^']+)'/gm;

function partOf(path: string): string {
  const [first = ''] = path.split('/');
  const alone = /^(errors|make-folder)\.ts$/.exec(path)?.[1];
  if (!path.includes('/')) return alone ?? 'build';
  return first;
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
      const other = partOf(target);
      if (other !== part && other !== 'errors' && allowed?.includes(other) !== true)
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

describe('layers', () => {
  test('the test sees the code', () => {
    const files = sources();
    expect(files.size).toBeGreaterThan(40);
    for (const name of ['build.ts', 'snapshot/paths.ts', 'release/publish.ts'])
      expect(files.has(name), name).toBe(true);
    expect([...files.keys()].some((path) => path.endsWith('.tsx'))).toBe(true);
    const imports = [...files.values()].flatMap((text) => [...codeOf(text).matchAll(/from\s+'\./g)]);
    expect(imports.length).toBeGreaterThan(100);
  });

  test('nobody imports up or sideways, or reaches for the clock', () => {
    expect(violationsOf(sources())).toEqual([]);
  });

  test.each([
    ['up', 'catalogue/x.ts', "import { build } from '../build.ts';", 'catalogue/x.ts: imports build.ts'],
    [
      'up, types too',
      'snapshot/x.ts',
      "import type { A } from '../release/plan.ts';",
      'snapshot/x.ts: imports release/plan.ts',
    ],
    ['sideways', 'storage/x.ts', "import { a } from '../database/open.ts';", 'storage/x.ts: imports database/open.ts'],
    [
      'what only the command may know',
      'preview/x.ts',
      "import { a } from '../storage/lock.ts';",
      'preview/x.ts: imports storage/lock.ts',
    ],
    [
      'a page that asks the clock',
      'preview/page/x.tsx',
      'const now = Date.now();',
      'preview/page/x.tsx: clock, chance or environment below cli',
    ],
    ['lazily', 'release/x.ts', "await import('../cli/main.ts');", 'release/x.ts: imports cli/main.ts'],
    [
      'a module of Node in a pure part',
      'snapshot/x.ts',
      "import { a } from 'node:fs';",
      'snapshot/x.ts: imports node:fs',
    ],
    ['a package where it has no place', 'catalogue/x.ts', "import * as z from 'zod';", 'catalogue/x.ts: imports zod'],
    ['the clock', 'release/x.ts', 'const now = Date.now();', 'release/x.ts: clock, chance or environment below cli'],
    ['the environment', 'database/x.ts', "process.env['A']", 'database/x.ts: clock, chance or environment below cli'],
    ['Intl', 'catalogue/x.ts', "new Intl.NumberFormat('en')", 'catalogue/x.ts: Date or Intl outside calendar.ts'],
    ['the console', 'cli/x.ts', "console.log('a')", 'cli/x.ts: console: results go through the terminal'],
    ['a new part', 'utils/x.ts', 'export {};', 'utils/x.ts: no such part of the program'],
  ])('a planted fault fires: %s', (_, path, text, expected) => {
    expect(violationsOf(new Map([[path, text]]))).toContain(expected);
  });
});
