// The plan: what publishing puts, keeps and removes, each with a reason from a closed list (product.md, Words).

export type PlanAction = 'put' | 'keep' | 'remove';

export type PlanReason =
  /** No such file yet. */
  | 'new-content'
  /** The same bytes are published already. */
  | 'same-content'
  /** A damaged file, replaced under --force. */
  | 'repaired'
  /** Key ring, manifest or current with other bytes than before. */
  | 'changed-content'
  | 'new-pointer'
  | 'pointer-moves'
  /** The front is no longer in the catalogue, or disabled; or the release that becomes current does not have it. */
  | 'front-gone'
  /** The manifest of a release that is not kept any longer. */
  | 'not-kept'
  /** An edition that no pointer and no kept release names. */
  | 'not-named';

export interface PlanEntry {
  readonly action: PlanAction;
  readonly path: string;
  readonly bytes: number;
  readonly reason: PlanReason;
}

export class Plan {
  readonly entries: PlanEntry[] = [];

  add(action: PlanAction, path: string, bytes: number, reason: PlanReason): void {
    this.entries.push({ action, path, bytes, reason });
  }
}

export interface PlanTotals {
  readonly files: number;
  readonly bytes: number;
}

/** How many files a plan has for an action, and how many bytes. */
export function totalsOf(entries: readonly PlanEntry[], action: PlanAction): PlanTotals {
  let files = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (entry.action !== action) continue;
    files += 1;
    bytes += entry.bytes;
  }
  return { files, bytes };
}
