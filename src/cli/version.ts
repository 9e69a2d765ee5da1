// `--version`, which monitoring asks for and which loads nothing else; and what every command does as it does.

import { readFileSync } from 'node:fs';

/** Prints the version of the package, and no more. */
export function printVersion(): void {
  ignoreClosedReader(process.stdout);
  process.stdout.write(`${versionOfPackage()}\n`);
}

export function versionOfPackage(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown';
}

/** A reader that stops early (`playbill … | head`) is not an error. */
export function ignoreClosedReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
