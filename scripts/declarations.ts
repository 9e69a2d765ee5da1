// The types of what can be imported: compiles the declarations of the exported modules, and keeps
// those that they lead to. Declarations of libraries come along, as their code does in the bundles:
// who installs the package needs no library for its types.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The modules of src/ that can be imported. */
const ENTRIES = ['client/client.d.ts', 'operations/exports.d.ts'];

/** Writes the declarations into `folder`. @returns whether the types are correct */
export function writeDeclarations(folder: string): boolean {
  const emitted = mkdtempSync(join(tmpdir(), 'playbill-types-'));
  try {
    const argv = ['-p', 'src/tsconfig.json', '--outDir', emitted];
    const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), argv, { cwd: root, stdio: 'inherit' });
    if (status !== 0) return false;
    const copied = new Set<string>();
    for (const entry of ENTRIES) copyWithImports(join(emitted, entry), join(folder, entry), folder, copied);
    return true;
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/** The name of a module that a declaration imports; not one in a comment. */
const IMPORTED = /(?<=^(?:import|export) (?:type )?(?:\{[^}]*\}|[\w$*, ]+) from ['"]|\bimport\(['"])[^'"]+/gm;

/** Copies a declaration, and those that it imports to the same place beside the copy. */
function copyWithImports(from: string, to: string, folder: string, copied: Set<string>): void {
  if (copied.has(to)) return;
  copied.add(to);
  const text = readFileSync(from, 'utf8').replaceAll(IMPORTED, (name) => {
    if (name.startsWith('.')) {
      copyWithImports(declarationOf(join(dirname(from), name)), declarationOf(join(dirname(to), name)), folder, copied);
      return name;
    }
    const copy = join(folder, 'types', name, 'index.d.ts');
    copyWithImports(join(root, 'node_modules', name, 'index.d.ts'), copy, folder, copied);
    return relative(dirname(to), copy).replace(/\.d\.ts$/, '.js');
  });
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, text);
}

/** The declarations of a module, by its path: `a.ts` and `a.js` have theirs in `a.d.ts`. */
const declarationOf = (path: string): string => path.replace(/(\.d)?\.[jt]s$/, '.d.ts');
