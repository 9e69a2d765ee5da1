// A tree that random events hold, resume, prune and notify of as its operators do. After each, what
// readers see, what is held and what a notice names is compared with the model.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Instant } from '../../../src/catalogue/instant.ts';
import { AppError } from '../../../src/errors.ts';
import { pruneTree, releaseOfTree, releasesOfTree, resumeTree, rollBackTree } from '../../../src/operations/history.ts';
import { dueNotice, noteDelivery } from '../../../src/operations/notices.ts';
import type { BuildResult } from '../../../src/operations/publish-release.ts';
import { readStatus } from '../../../src/operations/status.ts';
import { formatInstant } from '../../../src/catalogue/instant.ts';
import { currentName, manifestOf } from '../manifests.ts';
import { filesOf, NO_GRACE } from '../trees.ts';
import { HeldModel } from './held-model.ts';
import type { Choice, TreeEvent } from './steps.ts';
import { DEFAULT_KEEP } from '../../../src/release/history/retention.ts';

export class ChangingTree {
  readonly model = new HeldModel();
  readonly out: string;
  /** How often each kind of event has changed something, or was refused. */
  readonly done = new Map<string, number>();
  /** When each front was last built, and the same as each release knew it. */
  #builtAt = new Map<string, Instant>();
  readonly #builtAtOf = new Map<string, ReadonlyMap<string, Instant>>();
  /** The pointers when a notice last arrived; null before the first. */
  #notified: ReadonlyMap<string, string> | null = null;

  constructor(out: string) {
    this.out = out;
  }

  /** Takes the tree as it is, held at a release or not at all. */
  begin(heldAt: string | null): void {
    this.model.begin(this.pointers(), heldAt);
  }

  /** The text of each front's pointer. */
  pointers(): ReadonlyMap<string, string> {
    if (!existsSync(this.out)) return new Map();
    const pointers = [...filesOf(join(this.out, 'public'))].flatMap(([path, text]) => {
      const code = /^fronts\/([^/]+)\/pointer\.json$/.exec(path)?.[1];
      return code === undefined ? [] : [[code, text] as const];
    });
    return new Map(pointers);
  }

  async apply(event: TreeEvent, now: Instant): Promise<void> {
    switch (event.kind) {
      case 'rollback':
        await this.#rollBack(event);
        break;
      case 'rollback-fronts':
        await this.#rollBackFronts(event, now);
        break;
      case 'resume':
        this.#count('resume', this.model.resume(null));
        await resumeTree(this.out);
        break;
      case 'resume-fronts':
        await this.#resumeFronts(event);
        break;
      case 'prune':
        await pruneTree(this.out, event.row % 2 === 0 ? NO_GRACE : DEFAULT_KEEP, event.column % 4 === 0);
        break;
      case 'notify':
        await this.#notify(event, now);
        break;
    }
    expect(this.pointers(), event.kind).toEqual(this.model.served);
    await this.#expectStatus(now);
  }

  /**
   * After a build: what is held was not touched, fronts are as old as the build that published
   * them, and the release in force lists what is served.
   */
  async expectBuilt(
    { outcomes, hold, release }: BuildResult,
    disabled: ReadonlySet<string>,
    isRemoving: boolean,
    now: Instant,
  ): Promise<void> {
    const pointers = this.pointers();
    expect(hold).toEqual(this.model.all === null ? null : { release: this.model.all });
    for (const [code, text] of this.model.keptByBuild(isRemoving ? disabled : new Set()))
      expect(pointers.get(code), code).toBe(text);
    this.model.served = pointers;
    if (this.model.all === null) {
      for (const { code, held } of outcomes) if (held === null) this.#builtAt.set(code, now);
      if (release !== null) this.#builtAtOf.set(release.id, new Map(this.#builtAt));
      for (const { code, held } of outcomes)
        if (this.model.fronts.has(code) && !disabled.has(code)) expect([code, held]).toEqual([code, 'rolled-back']);
    }
    await this.#expectStatus(now);
  }

  /** Goes back to a kept release, which needs no hold to be lifted before. */
  async #rollBack(choice: Choice): Promise<void> {
    const target = await this.#release(choice);
    if (target === null) return;
    await rollBackTree(this.out, target.id, { isBySize: choice.from % 3 === 0, fronts: null });
    this.model.rollBack(target.id, target.manifest);
    this.#builtAt = new Map(this.#builtAtOf.get(target.id));
    this.#count('rollback', null);
  }

  async #rollBackFronts(choice: Choice, now: Instant): Promise<void> {
    const target = await this.#release(choice);
    if (target === null) return;
    const listed = target.manifest.fronts.map(({ front }) => front);
    const first = listed[choice.column % Math.max(1, listed.length)];
    const second = choice.from % 3 === 0 ? listed[choice.from % Math.max(1, listed.length)] : undefined;
    const chosen = [first ?? 'unknown', ...(second === undefined ? [] : [second])];
    const codes = [...new Set(choice.from % 7 === 0 ? [...chosen, 'unknown'] : chosen)];
    const refused = this.model.rollBackFronts(codes, target.id, target.manifest);
    this.#count('rollback-fronts', refused);
    const options = { isBySize: choice.row % 3 === 0, fronts: { codes, now } };
    const rolledBack = await this.#expectRefused(refused, () => rollBackTree(this.out, target.id, options));
    if (rolledBack === null) return;
    for (const code of codes) {
      const builtAt = this.#builtAtOf.get(target.id)?.get(code);
      if (builtAt === undefined) this.#builtAt.delete(code);
      else this.#builtAt.set(code, builtAt);
    }
    this.#builtAtOf.set(rolledBack.release.id, new Map(this.#builtAt));
  }

  async #resumeFronts({ row, column }: Choice): Promise<void> {
    const codes = column % 4 === 0 ? [...this.model.served.keys()] : [...this.model.fronts.keys()];
    const code = codes[row % Math.max(1, codes.length)] ?? 'unknown';
    const refused = this.model.resume([code]);
    this.#count('resume-fronts', refused);
    await this.#expectRefused(refused, () => resumeTree(this.out, [code]));
  }

  /** Sends a notice by hand; every third does not arrive. */
  async #notify({ row }: Choice, now: Instant): Promise<void> {
    const release = await currentOf(this.out);
    if (release === null) return;
    const due = await dueNotice(this.out, { plan: [], allowed: [], release, replaced: null }, now);
    const [before, after] = [this.#notified ?? new Map<string, string>(), this.model.served];
    const pathOf = (code: string): string => `/fronts/${code}/pointer.json`;
    const changed = [...after].filter(([code, text]) => before.get(code) !== text).map(([code]) => pathOf(code));
    const removed = [...before.keys()].filter((code) => !after.has(code)).map(pathOf);
    const named = { changed: due?.notice.changed ?? [], removed: due?.notice.removed ?? [] };
    expect(named).toEqual({ changed: changed.sort(), removed: removed.sort() });
    if (due === null) return;
    const isDelivered = row % 3 !== 0;
    if (isDelivered) {
      await noteDelivery(due, this.out);
      this.#notified = after;
    }
    this.#count('notify', isDelivered ? null : 'failed');
  }

  async #expectStatus(now: Instant): Promise<void> {
    const { all, fronts: held } = this.model;
    const { hold, heldFronts, fronts, findings } = await readStatus(this.out, null, now);
    expect({ hold, heldFronts }).toEqual({
      hold: all === null ? null : { release: all },
      heldFronts: Object.fromEntries(held),
    });
    expect(findings.filter(({ severity, place }) => severity === 'error' && place.startsWith('releases'))).toEqual([]);
    for (const { front, snapshot } of fronts) {
      const builtAt = this.#builtAt.get(front);
      if (builtAt !== undefined) expect([front, snapshot?.now]).toEqual([front, formatInstant(builtAt)]);
    }
    // The release in force lists what is served.
    const files = filesOf(this.out);
    const current = await currentOf(this.out);
    if (current === null) return;
    const listed = manifestOf(files, current.id).fronts.map(({ front, pointer }) => [
      front,
      `${JSON.stringify(pointer)}\n`,
    ]);
    expect(new Map(listed as [string, string][])).toEqual(this.model.served);
  }

  async #release({ row }: Choice) {
    const { releases } = await releasesOfTree(this.out);
    const release = releases[row % Math.max(1, releases.length)];
    return release === undefined ? null : { id: release.id, manifest: manifestOf(filesOf(this.out), release.id) };
  }

  /** What a run gives, or null where it is refused as it should be, having changed nothing. */
  async #expectRefused<T>(code: AppError['code'] | null, run: () => Promise<T>): Promise<T | null> {
    if (code === null) return run();
    const before = filesOf(this.out);
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code });
    expect(filesOf(this.out)).toEqual(before);
    return null;
  }

  #count(kind: string, how: string | null): void {
    const key = how === null ? kind : `${kind} ${how}`;
    this.done.set(key, (this.done.get(key) ?? 0) + 1);
  }
}

/** The release in force; null if there is none, or an earlier version wrote it. */
async function currentOf(out: string) {
  if (!existsSync(join(out, 'releases/current')) || currentName(out).length === 16) return null;
  return releaseOfTree(out, 'current');
}
