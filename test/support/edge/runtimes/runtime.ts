// What a transcript is run against: something that answers requests as they are written. Each
// runtime is started over one world.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { DeploymentFiles } from '../../../../src/edge/targets/target.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { RawResponse } from '../messages.ts';
import type { World } from '../world.ts';

export interface Runtime {
  readonly name: string;
  /** The runtime's own idea of the time, seconds since 1970: what a client would sign with. */
  now(): number;
  /** Sends a request, given as its lines. */
  send(lines: readonly string[]): Promise<RawResponse>;
  stop(): Promise<void>;
}

/** Starts a runtime over a world. */
export type StartRuntime = (world: World) => Promise<Runtime>;

/** Writes a deployable folder, into a fresh directory if none is named, and returns its path. */
export function writeFolder(files: DeploymentFiles, folder = temporaryFolder()): string {
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return folder;
}

/** A free port of the loopback interface. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly output?: string[];
  readonly stopBy?: NodeJS.Signals;
}

/**
 * A program that listens on a port; rejects with its output, which may be collected, when it ends
 * before that.
 */
export async function startProgram(
  command: string,
  args: readonly string[],
  port: number,
  { output = [], stopBy = 'SIGTERM', ...options }: ProgramOptions,
): Promise<() => Promise<void>> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  child.stderr.on('data', (chunk) => output.push(String(chunk)));
  const failed = new Promise<never>((_, reject) => {
    child.on('error', (error) =>
      reject(
        new Error(
          `${command} does not start (node scripts/install-debian.mjs installs what tests need): ${error.message}`,
        ),
      ),
    );
    child.on('exit', (code) => reject(new Error(`${command} ended with ${code}: ${output.join('')}`)));
  });
  await Promise.race([failed, untilListening(port)]);
  failed.catch(() => undefined);
  return () => stopProgram(child, stopBy);
}

async function stopProgram(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function untilListening(port: number): Promise<void> {
  // Less than a hook's own timeout, so that the error names the port.
  for (let attempt = 0; attempt < 2000; attempt++) {
    if (await isListening(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing listens on port ${port}`);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
