// What a tree serves while rollbacks hold it or some of its fronts, by the rules of "Going back,
// front by front" alone: a model that shares no code with the program. It knows the text of every
// pointer, and of which release each front is held.

import type { Manifest } from '../../../src/contract/manifest.ts';
import type { AppError } from '../../../src/errors.ts';

type ErrorCode = AppError['code'];

export class HeldModel {
  /** The release that holds the whole tree; null if none does. */
  all: string | null = null;
  /** The release that each front is held at alone. */
  readonly fronts = new Map<string, string>();
  /** The text of each front's pointer. */
  served: ReadonlyMap<string, string> = new Map();

  /** A tree that serves this, held at a release or not at all. */
  begin(served: ReadonlyMap<string, string>, all: string | null): void {
    this.all = all;
    this.served = served;
  }

  rollBack(id: string, { fronts }: Manifest): void {
    this.all = id;
    this.fronts.clear();
    this.served = new Map(fronts.map(({ front, pointer }) => [front, textOf(pointer)]));
  }

  /** Why these fronts cannot be put back, having changed nothing; null if they have been. */
  rollBackFronts(codes: readonly string[], id: string, { fronts }: Manifest): ErrorCode | null {
    if (this.all !== null) return 'tree-held';
    const restored = fronts.filter(({ front }) => codes.includes(front));
    if (restored.length < codes.length) return 'front-unknown';
    for (const code of codes) this.fronts.set(code, id);
    this.served = new Map([...this.served, ...restored.map((one) => [one.front, textOf(one.pointer)] as const)]);
    return null;
  }

  /** Why these fronts cannot be resumed; null if they have been. Nobody is served anything else. */
  resume(codes: readonly string[] | null): ErrorCode | null {
    if (codes === null) this.all = null;
    const lifted = codes ?? [...this.fronts.keys()];
    if (lifted.some((code) => !this.fronts.has(code))) return 'front-not-held';
    for (const code of lifted) this.fronts.delete(code);
    return null;
  }

  /**
   * The pointers that a build may not touch, by code; undefined stands for a front that shows none.
   * `removed`: fronts that it removes since they are disabled.
   */
  keptByBuild(removed: ReadonlySet<string>): ReadonlyMap<string, string | undefined> {
    const codes = this.all === null ? this.fronts.keys() : new Set([...this.served.keys(), ...removed]);
    const isGone = (code: string): boolean => this.all === null && removed.has(code);
    return new Map([...codes].map((code) => [code, isGone(code) ? undefined : this.served.get(code)]));
  }
}

function textOf(pointer: unknown): string {
  return `${JSON.stringify(pointer)}\n`;
}
