// Shown in place of data from the catalogue while it is loading, or if that failed.

import type { VNode } from 'preact';
import type { Fetched } from './state/use-json.ts';

export function Waiting({ problem }: Pick<Fetched<unknown>, 'problem'>): VNode {
  if (problem === null) return <p class="small">Reading the catalogue…</p>;
  return (
    <p class="problem" role="alert">
      <b>{problem.message}</b> <span class="hint">{problem.hint}</span>
    </p>
  );
}
