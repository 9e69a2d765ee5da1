// A cluster of Slurm of one node, on loopback, with a key of its own: Debian's munged, slurmctld
// and slurmd, which end with the test.

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export class Slurm {
  readonly #folder: string;
  readonly #daemons: ChildProcess[] = [];

  private constructor() {
    // munge refuses a socket below folders that others may write to, unless they are sticky.
    this.#folder = mkdtempSync(join(tmpdir(), 'playbill-slurm-'));
    chmodSync(this.#folder, 0o755);
  }

  /** Starts the daemons, and waits until the node takes jobs. */
  static async start(): Promise<Slurm> {
    const slurm = new Slurm();
    try {
      await slurm.#start();
      return slurm;
    } catch (error) {
      await slurm.stop();
      throw error;
    }
  }

  /** What a command of Slurm needs in its environment. */
  get environment(): Readonly<Record<string, string>> {
    return { SLURM_CONF: join(this.#folder, 'slurm.conf') };
  }

  async stop(): Promise<void> {
    for (const daemon of this.#daemons.toReversed()) {
      const ended = new Promise((resolve) => daemon.once('close', resolve));
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
      daemon.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    for (const name of ['munge', 'state', 'spool']) mkdirSync(join(this.#folder, name), { mode: 0o755 });
    const munge = (name: string): string => join(this.#folder, 'munge', name);
    writeFileSync(munge('key'), randomBytes(128), { mode: 0o600 });
    writeFileSync(join(this.#folder, 'slurm.conf'), configuration(this.#folder, await freePort(), await freePort()));
    const files = ['socket', 'pid-file', 'log-file', 'seed-file'].map((name) => `--${name}=${munge(name)}`);
    this.#run('/usr/sbin/munged', ['--foreground', '--force', `--key-file=${munge('key')}`, ...files]);
    this.#run('/usr/sbin/slurmctld', ['-D', '-c']);
    this.#run('/usr/sbin/slurmd', ['-D']);
    while (!this.#isIdle()) {
      const dead = this.#daemons.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (dead !== undefined) throw new Error(`${dead.spawnfile} has ended: ${this.#logs()}`);
      await sleep(100);
    }
  }

  #run(file: string, words: readonly string[]): void {
    this.#daemons.push(spawn(file, words, { stdio: 'ignore', env: { ...process.env, ...this.environment } }));
  }

  #isIdle(): boolean {
    try {
      const options = { encoding: 'utf8', env: { ...process.env, ...this.environment }, stdio: 'pipe' } as const;
      return execFileSync('sinfo', ['--noheader', '--format=%t'], options).trim() === 'idle';
    } catch {
      return false;
    }
  }

  #logs(): string {
    return ['slurmctld.log', 'slurmd.log', 'munge/log-file']
      .map((name) => {
        try {
          return readFileSync(join(this.#folder, name), 'utf8').slice(-2000);
        } catch {
          return '';
        }
      })
      .join('\n');
  }
}

/**
 * As little as a cluster needs. It has four processors whatever this machine has, so that tasks of
 * an array run together.
 */
function configuration(folder: string, controllerPort: number, nodePort: number): string {
  return `ClusterName=playbill
SlurmctldHost=${hostname()}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
AuthType=auth/munge
AuthInfo=socket=${folder}/munge/socket
CredType=cred/munge
SlurmUser=root
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=${hostname()} NodeAddr=127.0.0.1 CPUs=4
PartitionName=all Nodes=ALL Default=YES
`;
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
