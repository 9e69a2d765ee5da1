// What stands in the place of an answer that is not there: it is on its way, or why there is none.

import type { VNode } from 'preact';
import type { Asked } from './state/answer.ts';

export function Waiting({ problem }: Pick<Asked<unknown>, 'problem'>): VNode {
  if (problem === null) return <p class="small">Asking the catalogue…</p>;
  return (
    <p class="problem" role="alert">
      {problem.message} {problem.hint}
    </p>
  );
}
