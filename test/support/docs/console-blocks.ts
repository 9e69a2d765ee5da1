// The ```console blocks of a document, run: each line that begins with `$ ` is a command, what
// follows is what it printed. All blocks of a document run in order, in a folder of their own that
// has the scripts of a checkout and nothing else.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledCommand } from '../compiled.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * A document with every console block's output replaced by what its commands print now, stderr and
 * exit codes other than 0 included. `after` is called after each command, with what it printed and
 * the folder in which it ran.
 */
export function withRealOutput(
  markdown: string,
  after: (command: string, output: string, folder: string) => void = () => undefined,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-docs-'));
  try {
    mkdirSync(join(folder, 'bin'));
    const command = join(folder, 'bin', 'playbill');
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${compiledCommand()}" "$@"\n`);
    chmodSync(command, 0o755);
    const work = join(folder, 'work');
    // Whatever the umask: nobody else may be able to change its playbill.json.
    mkdirSync(work, { mode: 0o755 });
    for (const path of ['package.json', 'scripts']) symlinkSync(root + path, join(work, path));
    const ids = new StandIns();
    return markdown.replaceAll(/^```console\n([^]*?)^```$/gm, (_, block: string) => {
      const commands = block.split('\n').filter((line) => line.startsWith('$ '));
      const printed = commands.map((line) => {
        const text = run(line, work, join(folder, 'bin'), ids);
        after(line.slice(2), text.slice(line.length + 1), work);
        return text;
      });
      return `\`\`\`console\n${printed.join('')}\`\`\``;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Ids of releases depend on the versions of tool and time-zone rules, which the documents should
 * not: others stand in for them, in what is printed and in what is typed.
 */
class StandIns {
  readonly #standInOf = new Map<string, string>();

  printed(text: string): string {
    return text.replaceAll(/\b[0-9a-f]{16}\b/g, (id) => {
      const turn = this.#standInOf.size;
      const standIn = this.#standInOf.get(id) ?? '0123456789abcdef'.slice(turn) + '0123456789abcdef'.slice(0, turn);
      this.#standInOf.set(id, standIn);
      return standIn;
    });
  }

  typed(line: string): string {
    return [...this.#standInOf].reduce((text, [id, standIn]) => text.replaceAll(standIn, id), line);
  }
}

function run(line: string, cwd: string, bin: string, ids: StandIns): string {
  const words = ids.typed(line.slice(2));
  const { status, stdout } = spawnSync('bash', ['-o', 'pipefail', '-c', `exec 2>&1; ${words}`], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
  });
  const text = ids.printed(stdout);
  const output = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${line}\n${output}${status === 0 ? '' : `(exit ${status})\n`}`;
}
