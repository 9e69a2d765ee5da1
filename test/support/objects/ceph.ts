// A Ceph cluster on this machine's loopback, as small as it gets, for its RADOS Gateway: a real
// object store. One monitor, one store of objects in memory, one gateway, all in a temporary
// folder, on free ports. It keeps nothing, and its processes end with this one.

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Credentials } from './test-store.ts';

export interface RunningGateway {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: Credentials;
}

const CREDENTIALS: Credentials = { accessKeyId: 'AKIDGATEWAY', secretAccessKey: 'secret-of-the-gateway' };

/**
 * A single step that takes longer than this hangs: a limit for what will never end, not for what is
 * slow.
 */
const HANGS_AFTER_MS = 300_000;

/** For setpriv: the kernel ends the command when this process ends, even by SIGKILL. */
const ENDS_WITH_US = ['--pdeathsig', 'KILL', '--'];

const run = promisify(execFile);

/** Starts the cluster; resolves when the gateway answers. */
export class Ceph implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'playbill-ceph-'));
  readonly #configuration = join(this.#folder, 'ceph.conf');
  readonly #daemons: ChildProcess[] = [];

  static async start(): Promise<{ cluster: Ceph; gateway: RunningGateway }> {
    const cluster = new Ceph();
    try {
      return { cluster, gateway: await cluster.#start() };
    } catch (error) {
      const logs = cluster.#lastLines();
      await cluster.stop();
      throw new Error(`Ceph does not start: ${String(error)}\n${logs}`, { cause: error });
    }
  }

  async #start(): Promise<RunningGateway> {
    const [monitorPort, gatewayPort] = [await freePort(), await freePort()];
    const cluster = randomUUID();
    for (const name of ['mon', 'osd', 'rgw']) mkdirSync(join(this.#folder, name));
    writeFileSync(this.#configuration, configurationOf(this.#folder, cluster, monitorPort, gatewayPort));
    const map = join(this.#folder, 'monmap');
    await run('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', `[v2:127.0.0.1:${monitorPort}]`, map]);
    await this.#ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map);
    this.#spawn('ceph-mon', '-i', 'a');
    // The monitor lets no other in under this number.
    const osd = randomUUID();
    await this.#ceph('ceph', 'osd', 'new', osd);
    await this.#ceph('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', osd);
    this.#spawn('ceph-osd', '-i', '0');
    await this.#ceph('ceph', 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default');
    this.#spawn('radosgw', '-n', 'client.rgw');
    const { accessKeyId, secretAccessKey } = CREDENTIALS;
    const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey];
    await this.#ceph('radosgw-admin', 'user', 'create', '--uid', 'playbill', '--display-name', 'playbill', ...keys);
    const endpoint = `http://127.0.0.1:${gatewayPort}`;
    await this.#untilAnswers(endpoint);
    return { endpoint, region: 'us-east-1', credentials: CREDENTIALS };
  }

  async #ceph(command: string, ...args: string[]): Promise<void> {
    await run('setpriv', [...ENDS_WITH_US, command, '-c', this.#configuration, ...args], { timeout: HANGS_AFTER_MS });
  }

  #spawn(command: string, ...args: string[]): void {
    const log = openSync(join(this.#folder, `${command}.out`), 'a');
    const daemon = [...ENDS_WITH_US, command, '-f', '-c', this.#configuration, ...args];
    this.#daemons.push(spawn('setpriv', daemon, { stdio: ['ignore', log, log] }));
    closeSync(log);
  }

  async #untilAnswers(endpoint: string): Promise<void> {
    const start = performance.now();
    for (;;) {
      const ended = this.#daemons.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (ended !== undefined)
        throw new Error(`${ended.spawnargs.join(' ')} ended with ${ended.exitCode ?? ended.signalCode}`);
      try {
        const { status } = await fetch(endpoint, { signal: AbortSignal.timeout(HANGS_AFTER_MS) });
        if (status < 500) return;
      } catch (error) {
        if (performance.now() - start > HANGS_AFTER_MS) throw error;
      }
      await sleep(50);
    }
  }

  #lastLines(): string {
    return ['ceph-mon', 'ceph-osd', 'radosgw']
      .slice(0, this.#daemons.length)
      .map((name) => `${name}: ${readFileSync(join(this.#folder, `${name}.out`), 'utf8').slice(-2000)}`)
      .join('\n');
  }

  /**
   * Ends all daemons and removes the folder. There is nothing to save, so none of them is asked to.
   */
  async stop(): Promise<void> {
    const running = this.#daemons.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(
      running.map((daemon) => {
        const ended = new Promise((resolve) => daemon.once('exit', resolve));
        daemon.kill('SIGKILL');
        return ended;
      }),
    );
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Parts that would keep their last thousands of lines in memory, for a crash. */
const QUIET = ['rgw', 'objecter', 'rados', 'ms', 'osd', 'objclass', 'mon', 'paxos'];

function configurationOf(folder: string, cluster: string, monitorPort: number, gatewayPort: number): string {
  return `[global]
fsid = ${cluster}
mon host = [v2:127.0.0.1:${monitorPort}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
run dir = ${folder}
admin socket =
log to file = false
mon cluster log to file = false
log to stderr = false
err to stderr = true
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 8589934592
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
ms client mode = crc
ms service mode = crc
ms cluster mode = crc
ms bind msgr1 = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
mon max pg per osd = 1000
osd crush chooseleaf type = 0
osd crush update on start = false
paxos propose interval = 0.02
paxos min wait = 0.01
${QUIET.map((part) => `debug ${part} = 0/0\n`).join('')}
[client.rgw]
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort} tcp_nodelay=1
`;
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
