// `playbill demo` stopped before its page is up: the folder that it made is removed all the same.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compiledCommand } from '../support/compiled.ts';
import { temporaryFolder } from '../support/trees.ts';

test.each(['SIGINT', 'SIGTERM'] as const)('%s while the catalogue is made leaves nothing behind', async (signal) => {
  const folder = temporaryFolder();
  const demos = (): string[] => readdirSync(folder).filter((name) => name.startsWith('playbill-demo-'));
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, [compiledCommand(), 'demo', '--port', '0'], { env, stdio: 'ignore' });
  const ended = once(child, 'close');
  await expect.poll(demos).toHaveLength(1);
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
  expect(demos()).toEqual([]);
});
