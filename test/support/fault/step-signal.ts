// Loaded into a real run of the command, before it: watches the calls that change a tree's files,
// and sends the process a signal at one of them. Settings come in the environment, as the command
// itself must know nothing of this:
//   FAULT_TREE    the tree, absolute
//   FAULT_STEP    "SIGKILL 17": at the 17th such call, before it is made; none where absent
//   FAULT_TRACE   a file that gets one line for each such call

import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const root = `${process.env['FAULT_TREE'] ?? ''}/`;
const [signal = '', at = '0'] = (process.env['FAULT_STEP'] ?? '').split(' ');
const trace = process.env['FAULT_TRACE'];
const { openSync, writeSync, fsyncSync, linkSync, renameSync, unlinkSync, rmdirSync, mkdirSync } = fs;
const { spawnSync } = childProcess;
const pathOfDescriptor = new Map<number, string>();
let steps = 0;

function step(words: string): void {
  if (trace !== undefined) fs.appendFileSync(trace, `${words}\n`);
  steps += 1;
  if (steps === Number(at)) process.kill(process.pid, signal);
}

const isOfTree = (path: unknown): path is string => typeof path === 'string' && `${path}/`.startsWith(root);
const short = (path: string): string => path.slice(root.length);

/** The lowest two bits of numeric flags are the access mode (open(2)). */
const isReading = (flags: fs.OpenMode): boolean => flags === 'r' || (typeof flags === 'number' && (flags & 3) === 0);

const watched = {
  openSync(path: fs.PathLike, flags: fs.OpenMode = 'r', mode?: fs.Mode | null): number {
    if (isOfTree(path) && !isReading(flags)) step(`open ${short(path)}`);
    const descriptor = openSync(path, flags, mode);
    if (isOfTree(path)) pathOfDescriptor.set(descriptor, path);
    else pathOfDescriptor.delete(descriptor);
    return descriptor;
  },
  writeSync(descriptor: number, bytes: Uint8Array, offset = 0): number {
    const path = pathOfDescriptor.get(descriptor);
    if (path === undefined) return writeSync(descriptor, bytes, offset);
    step(`write ${short(path)}`);
    // Two calls for one, as the system may do it too: so that one can stop between the halves.
    const half = Math.floor((bytes.length - offset) / 2);
    const written = writeSync(descriptor, bytes, offset, half);
    step(`write ${short(path)}`);
    return written + writeSync(descriptor, bytes, offset + written);
  },
  fsyncSync(descriptor: number): void {
    const path = pathOfDescriptor.get(descriptor);
    if (path !== undefined) step(`fsync ${short(path)}`);
    fsyncSync(descriptor);
  },
  linkSync(from: fs.PathLike, to: fs.PathLike): void {
    if (isOfTree(from) && isOfTree(to)) step(`link ${short(from)} ${short(to)}`);
    linkSync(from, to);
  },
  renameSync(from: fs.PathLike, to: fs.PathLike): void {
    if (isOfTree(from) && isOfTree(to)) step(`rename ${short(from)} ${short(to)}`);
    renameSync(from, to);
  },
  unlinkSync(path: fs.PathLike): void {
    if (isOfTree(path)) step(`remove ${short(path)}`);
    unlinkSync(path);
  },
  rmdirSync(path: fs.PathLike, options?: fs.RmDirOptions): void {
    if (isOfTree(path)) step(`remove ${short(path)}`);
    rmdirSync(path, options);
  },
  mkdirSync(path: fs.PathLike, options?: fs.MakeDirectoryOptions): string | undefined {
    if (isOfTree(path)) step(`folder ${short(path)}`);
    return mkdirSync(path, options);
  },
};
Object.assign(fs, watched);
Object.assign(childProcess, {
  spawnSync(command: string, words: readonly string[], options: childProcess.SpawnSyncOptions) {
    step(`run ${[command, ...words].join(' ')}`);
    return spawnSync(command, words, options);
  },
});
syncBuiltinESMExports();
