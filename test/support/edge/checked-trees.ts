// Trees and keys for tests of `edge check`: one as it should be, one from before a key was revoked,
// one that no build has reached since; and the command on them.

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { edgeCheckResultSchema, type EdgeCheckResultJson } from '../../../src/contract/results/edge.ts';
import { keyRingSchema } from '../../../src/contract/key-ring.ts';
import { playbill } from '../cli/run.ts';
import { demoCatalogueAt } from '../demo-catalogue.ts';
import type { World } from './world.ts';

export const clock = (): number => Date.now() / 1000;

/** What the hmac keys share with their clients. */
export const SECRETS = { PLAYBILL_EDGE_CHECK: 'what the edge and its clients know' };

/**
 * Three trees of the demo, and two valid keys and a revoked one, once as key pairs and once as
 * secrets.
 */
export class CheckedTrees {
  readonly folder: string;
  readonly out: string;
  readonly beforeRevocation: string;
  readonly stale: string;

  constructor(folder: string) {
    this.folder = folder;
    this.out = join(folder, 'out');
    this.beforeRevocation = join(folder, 'before');
    this.stale = join(folder, 'stale');
  }

  keyFile(keyid: string): string {
    return join(this.folder, `${keyid}.json`);
  }

  /** The flags that name all of a kind. */
  keys(kind: '' | '-hmac' = ''): readonly string[] {
    const [key, other, revoked] = ['moscow-1', 'berlin-1', 'moscow-0'].map((keyid) => this.keyFile(keyid + kind));
    return ['--key', key ?? '', '--other-key', other ?? '', '--revoked-key', revoked ?? ''];
  }

  /** A copy of the first in which something else is in place of moscow's products: its root. */
  withOtherProducts(): string {
    const root = join(this.folder, 'other-products');
    cpSync(this.out, root, { recursive: true });
    const folder = join(root, 'public/fronts/moscow');
    for (const name of readdirSync(folder).filter((one) => /^products\.\w+\.json$/.test(one)))
      writeFileSync(join(folder, name), '{"error":"maintenance"}');
    return root;
  }

  async make(): Promise<void> {
    const { folder, out, stale } = this;
    const database = join(folder, 'catalogue.sqlite');
    const places = ['--db', database, '--out', out];
    const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+/, '');
    demoCatalogueAt(database, at(0));
    await run(['build', '--db', database, '--out', stale, '--now', at(-8 * 3600), '--horizon', '1h']);
    await run(['build', ...places, '--now', at(-3600), '--horizon', '12h', '--precompress', 'gzip,br']);
    for (const keyid of ['moscow-0', 'moscow-1', 'berlin-1'] as const) {
      const issue = ['keys', 'issue', ...places, '--front', keyid.slice(0, -2)];
      await run([...issue, '--keyid', keyid, '--to', this.keyFile(keyid)]);
      const shared = ['--profile', 'signed-headers', '--secret-ref', 'PLAYBILL_EDGE_CHECK'];
      await run([...issue, ...shared, '--keyid', `${keyid}-hmac`, '--to', this.keyFile(`${keyid}-hmac`)]);
    }
    cpSync(out, this.beforeRevocation, { recursive: true });
    for (const keyid of ['moscow-0', 'moscow-0-hmac']) await run(['keys', 'revoke', keyid, ...places]);
    mkdirSync(join(stale, 'edge'), { recursive: true });
    cpSync(join(out, 'edge/keyring.json'), join(stale, 'edge/keyring.json'));
  }

  /** What the command finds; its exit code agrees. */
  async check(
    url: string,
    more: readonly string[] = ['--out', this.out],
    keys: readonly string[] = this.keys(),
  ): Promise<EdgeCheckResultJson> {
    const { status, stdout, stderr } = await playbill(['edge', 'check', url, ...keys, ...more, '--json'], SECRETS);
    expect(stderr).toBe('');
    const result = edgeCheckResultSchema.parse(JSON.parse(stdout));
    expect(status).toBe(result.differs > 0 ? 1 : 0);
    return result;
  }
}

async function run(words: readonly string[]): Promise<void> {
  const { status, stderr } = await playbill(words);
  expect(status, stderr).toBe(0);
}

/** The names of the rows in a state. */
export const namesOf = ({ checks }: EdgeCheckResultJson, state: EdgeCheckResultJson['checks'][number]['state']) =>
  checks.filter((one) => one.state === state).map((one) => one.check);

/** The tree of the command as runtimes take one. */
export function worldOf(root: string): World {
  const keyRing = keyRingSchema.parse(JSON.parse(readFileSync(join(root, 'edge/keyring.json'), 'utf8')));
  const profiles = ['rfc9421'] as const;
  return {
    root,
    now: Math.floor(clock()),
    keyRing,
    fronts: new Map(),
    signingKeys: new Map(),
    secrets: SECRETS,
    profiles,
  };
}
