// Why a front keeps its published snapshot instead of a new one: `held` in manifests and results.

/**
 * Each with what it is: a guard (exit 4), a failure (exit 3), or what the operator chose (exit 0).
 */
export const HELD_REASONS = {
  findings: 'failure',
  'not-selected': 'choice',
  'rolled-back': 'choice',
  'max-bad': 'guard',
  'min-cards': 'guard',
  'max-shrink': 'guard',
  'price-jump': 'guard',
  'now-earlier': 'guard',
  'file-size-wrong': 'failure',
  'file-kind-wrong': 'failure',
  'file-not-writable': 'failure',
  'shard-missing': 'failure',
} as const satisfies Readonly<Record<string, 'failure' | 'guard' | 'choice'>>;

export type HeldReason = keyof typeof HELD_REASONS;
