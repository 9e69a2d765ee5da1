// Prints the version without loading anything else: monitoring runs `--version` often.

import { readFileSync } from 'node:fs';

export function printVersion(): void {
  process.stdout.on('error', () => (process.exitCode = 2));
  process.stdout.write(`${versionOfPackage()}\n`);
}

export function versionOfPackage(): string {
  const parsed: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'version' in parsed ? String(parsed.version) : 'unknown';
}
