// What happens in a random history of a catalogue and its tree: events, and between them builds.

import * as fc from 'fast-check';
import { TABLE_NAMES, type TableName } from '../../../src/database/contract/tables.ts';

export const SIX_HOURS = 6 * 3600;

/** Numbers choose among whatever is there. */
export interface Choice {
  readonly row: number;
  readonly column: number;
  readonly from: number;
}

/** A change of the catalogue. */
export type CatalogueEvent =
  | ({ readonly kind: 'row'; readonly change: 'set' | 'delete' | 'restore'; readonly table: TableName } & Choice)
  | ({
      readonly kind: 'orphan' | 'withdraw' | 'return' | 'copy' | 'restore-in-place' | 'restore-beside' | 'front';
    } & Choice);

/** Something that is done to the tree. */
export type TreeEvent = {
  readonly kind: 'rollback' | 'rollback-fronts' | 'resume' | 'resume-fronts' | 'prune' | 'notify';
} & Choice;

/** One thing that happens between two builds. */
export type Event = CatalogueEvent | TreeEvent;

export interface Step {
  readonly events: readonly Event[];
  /** How far the clock moves; backwards where negative. */
  readonly seconds: number;
  readonly horizonSeconds: number;
  /** Whether only one front is built, and the others keep their snapshots. */
  readonly isPartial: boolean;
}

/** What the tree is before the first step. */
export const BEGINNINGS = ['empty', 'older', 'older-held'] as const;

const choice = { row: fc.nat(1000), column: fc.nat(20), from: fc.nat(1000) };

const CATALOGUE_KINDS = ['withdraw', 'withdraw', 'return', 'return', 'orphan', 'copy'] as const;
const TREE_KINDS = ['rollback-fronts', 'resume-fronts', 'resume', 'prune', 'notify'] as const;

export const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  events: fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('row' as const),
          change: fc.constantFrom('set' as const, 'set' as const, 'delete' as const, 'restore' as const),
          table: fc.constantFrom(...TABLE_NAMES),
          ...choice,
        }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          kind: fc.constantFrom(...CATALOGUE_KINDS, 'restore-in-place' as const, 'restore-beside' as const),
          ...choice,
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('front' as const, 'rollback' as const), ...choice }) },
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constantFrom(...TREE_KINDS, 'resume' as const), ...choice }),
      },
    ),
    { maxLength: 4 },
  ),
  seconds: fc.constantFrom(0, 0, 60, 300, 300, 3600, 20_000, 90_000, -600, -7200),
  horizonSeconds: fc.constantFrom(SIX_HOURS, SIX_HOURS, SIX_HOURS, 0, 3600, 30_000),
  isPartial: fc.constantFrom(false, false, false, false, true),
});
