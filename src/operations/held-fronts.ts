// The fronts that a rollback holds: builds and shards do not render them, and they keep what the
// rollback restored, whatever the catalogue says; but a front that the operator disables goes.

import type { HeldReason } from '../contract/held-reasons.ts';
import type { PublishInput } from '../release/publish/publish.ts';
import { heldFronts, type Hold } from '../release/tree/hold.ts';

/** The same with the fronts that are held. */
export function withHeldFronts<I extends Pick<PublishInput, 'held' | 'disabledCodes'>>(input: I, hold: Hold | null): I {
  const codes = [...heldFronts(hold).keys()].filter((code) => !input.disabledCodes.has(code));
  if (codes.length === 0) return input;
  const rolledBack = codes.map((code): [string, HeldReason] => [code, 'rolled-back']);
  return { ...input, held: new Map([...input.held, ...rolledBack]) };
}
