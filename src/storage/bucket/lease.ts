// The lease of a tree's writer: the object `.lock` says who writes and until when, by the store's
// clock. It is only written conditionally, and never removed, because some stores ignore the
// condition of a removal. Its generation makes every version different. If two runs write
// nevertheless (one was suspended), the conditions on all other writes prevent losses.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import { LOCK_FILE } from '../../render/paths.ts';
import { notAStore } from './refusals.ts';
import { probe } from './probe.ts';
import type { Dialect, Requests, StoredObject } from './requests.ts';
import { monotonicSeconds } from './store-clock.ts';

const SCHEMA = 1;

/** Other members are ignored: earlier versions wrote `manifests`. */
const leaseSchema = z.object({
  schema: z.literal(SCHEMA),
  generation: z.int().min(0),
  /** Host, process and a random part; null if nobody writes. */
  owner: z.string().nullable(),
  /** Seconds since 1970, by the store's clock. */
  expires: z.int(),
  /** The form of conditions that this store accepts, as the probe found out. */
  dialect: z.enum(['quoted', 'unquoted']),
});

type LeaseContent = z.infer<typeof leaseSchema>;

/** A run begins no request in this last part of the lease's life. */
const MARGIN_SECONDS_MIN = 3;
const MARGIN_SHARE = 0.25;
const RENEWALS_PER_LIFE = 3;

const HELD_HINT =
  'wait for it to end, or for its lease to expire if it was killed; if cron jobs often overlap, start them further apart';

export class Lease {
  readonly dialect: Dialect;
  readonly #requests: Requests;
  readonly #owner: string;
  readonly #lifeSeconds: number;
  /** How long a run may begin requests after a renewal. */
  readonly #writeSeconds: number;
  #generation: number;
  #version: string | null;
  /** When writing must stop, by `monotonicSeconds`. */
  #writesEnd = Number.NEGATIVE_INFINITY;
  /** The same by the store's clock, because ours stops while this machine is suspended. */
  #writesEndThere = Number.NEGATIVE_INFINITY;
  readonly #released = new AbortController();
  #renewing: Promise<void> | null = null;
  /** Set once another run has taken the lease, and never reset. */
  #lost: AppError | null = null;
  #background: Promise<void> = Promise.resolve();

  private constructor(
    requests: Requests,
    lifeSeconds: number,
    before: StoredObject | null,
    content: Pick<LeaseContent, 'generation' | 'dialect'>,
  ) {
    this.#requests = requests;
    this.#lifeSeconds = lifeSeconds;
    this.#writeSeconds = lifeSeconds - Math.max(MARGIN_SECONDS_MIN, lifeSeconds * MARGIN_SHARE);
    this.#owner = `${hostname()}, process ${process.pid}, ${randomUUID().slice(0, 8)}`;
    this.#generation = content.generation;
    this.#version = before?.version ?? null;
    this.dialect = content.dialect;
  }

  /**
   * Takes the lease unless another run has it. If the tree has no readable lease yet, probes the
   * store first.
   * @throws AppError tree-locked, tree-newer-schema, store-not-conditional, and those of buckets
   */
  static async take(requests: Requests, lifeSeconds: number): Promise<Lease> {
    const before = await requests.read(LOCK_FILE);
    if (Number.isNaN(requests.clock.now())) throw notAStore(requests.connection, 'no Date in its responses');
    const content = before && contentOf(before.bytes);
    if (content !== null && content.owner !== null && content.expires >= requests.clock.now())
      throw held(content, requests);
    const first = content ?? { dialect: await probe(requests), generation: 0 };
    const lease = new Lease(requests, lifeSeconds, before, first);
    await lease.renew();
    lease.#background = lease.#renewInBackground();
    return lease;
  }

  /** Extends the lease if it is still ours. @throws AppError tree-locked, tree-not-writable */
  async renew(): Promise<void> {
    if (this.#lost !== null) throw this.#lost;
    this.#renewing ??= this.#extend().finally(() => {
      this.#renewing = null;
    });
    await this.#renewing;
  }

  /**
   * Makes sure that writing is allowed, and renews the lease if it is due.
   * @throws AppError tree-locked: another run has taken it
   */
  async confirm(): Promise<void> {
    const isOver =
      this.#lost !== null ||
      monotonicSeconds() >= this.#writesEnd ||
      this.#requests.clock.now() >= this.#writesEndThere;
    if (isOver) await this.renew();
  }

  /**
   * Ends the lease, so that the next run can begin at once, or once no removal of this run can
   * arrive any more.
   */
  async release(): Promise<void> {
    this.#released.abort();
    await this.#background;
    if (this.#lost !== null) return;
    // If this fails, the next run waits until the lease expires.
    const left = Math.ceil(this.#requests.removalsEnd - monotonicSeconds());
    const ending = left > 0 ? this.#write(this.#owner, this.#now + left) : this.#write(null, 0);
    await ending.catch(() => undefined);
  }

  /**
   * A run that is killed leaves requests that may still arrive, and no condition guards a removal:
   * it is carried out whoever has the lease. So the lease lasts until the longest request that it
   * allows has ended, and who takes it over begins with listings that show the outcome.
   */
  async #extend(): Promise<void> {
    const begunAt = monotonicSeconds();
    const now = this.#now;
    const requestSeconds = Math.ceil(this.#requests.connection.requestMsMax / 1000);
    await this.#write(this.#owner, now + Math.ceil(Math.max(this.#lifeSeconds, this.#writeSeconds + requestSeconds)));
    this.#writesEnd = begunAt + this.#writeSeconds;
    this.#writesEndThere = now + this.#writeSeconds;
  }

  get #now(): number {
    return Math.floor(this.#requests.clock.now());
  }

  async #write(owner: string | null, expires: number): Promise<void> {
    const { dialect } = this;
    const generation = this.#generation + 1;
    const content: LeaseContent = { schema: SCHEMA, generation, owner, expires, dialect };
    const bytes = new TextEncoder().encode(`${JSON.stringify(content)}\n`);
    const written = await this.#requests.write({ path: LOCK_FILE, bytes }, this.#version, dialect, null);
    if (!written.isWritten) {
      this.#lost = held(written.found && contentOf(written.found.bytes), this.#requests);
      throw this.#lost;
    }
    this.#version = written.version;
    this.#generation = generation;
  }

  async #renewInBackground(): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted) {
      try {
        await setTimeout((this.#lifeSeconds * 1000) / RENEWALS_PER_LIFE, undefined, { signal, ref: false });
        await this.renew();
      } catch {
        // A failed renewal is repeated, and reported by the next write if it fails as well.
        if (signal.aborted || this.#lost !== null) return;
      }
    }
  }
}

/**
 * The form of conditions that a store accepts: from the tree's lease, or else by probing.
 * @throws as `probe`
 */
export async function dialectOf(requests: Requests): Promise<Dialect> {
  const object = await requests.read(LOCK_FILE);
  return (object && contentOf(object.bytes))?.dialect ?? probe(requests);
}

/**
 * Parses a lease; null if it is damaged, which means that nobody holds it.
 * @throws AppError tree-newer-schema: a newer version may hold
 * the lease
 */
function contentOf(bytes: Uint8Array): LeaseContent | null {
  const content = jsonOf(bytes);
  const schema = z.object({ schema: z.number() }).safeParse(content).data?.schema ?? SCHEMA;
  if (schema > SCHEMA) {
    const message = `expected schema ${SCHEMA} in ${LOCK_FILE}, found ${schema}: a newer Playbill wrote this tree`;
    throw new AppError('tree-newer-schema', message, 'use that version, or another prefix with --out');
  }
  return leaseSchema.safeParse(content).data ?? null;
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

function held(content: LeaseContent | null, { connection, clock }: Requests): AppError {
  const { root } = connection.address;
  if (content === null || content.owner === null)
    return new AppError('tree-locked', `another run has begun to write ${root}`, HELD_HINT);
  const left = Math.max(0, Math.ceil(content.expires - clock.now()));
  const until = `its lease ends in ${left} s unless renewed`;
  return new AppError('tree-locked', `another run is writing ${root} (${content.owner}); ${until}`, HELD_HINT);
}
