// Other versions of Node.js, which npm brings into .node/others/.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../.node/others/', import.meta.url));

function binOf(major: number): string {
  return `${folder}node_modules/node-${major}-${process.platform}-${process.arch}/bin`;
}

/** The folder of each version's `node`, to be put first in PATH. */
export const OTHER_NODES = { 18: binOf(18), 20: binOf(20), 22: binOf(22), 26: binOf(26) } as const;

/**
 * Brings those that are not there yet, and says on stderr what cannot be had: the tests that use it
 * fail.
 */
export function bringOtherNodes(): void {
  const missing = (): string[] => Object.values(OTHER_NODES).filter((bin) => !existsSync(`${bin}/node`));
  if (missing().length === 0) return;
  process.stderr.write('Bringing other versions of Node.js from npm into .node/others/ …\n');
  spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: ['ignore', 2, 2] });
  for (const bin of missing()) process.stderr.write(`Missing: ${bin}/node; see .node/others/package.json\n`);
}
