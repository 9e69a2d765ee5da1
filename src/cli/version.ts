// Prints the version without loading anything else: monitoring runs `--version` often. Also handles a closed stdout, for all commands.

import { readFileSync } from 'node:fs';

export function printVersion(): void {
  ignoreClosedReader(process.stdout);
  process.stdout.write(`${versionOfPackage()}\n`);
}

export function versionOfPackage(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown';
}

/** Ignores EPIPE: a reader that stops early (`playbill … | head`) is not an error. */
export function ignoreClosedReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
