// What a sheet says of its subject, each with its label.

import type { VNode } from 'preact';

interface FactsProps {
  readonly facts: readonly (readonly [label: string, fact: string])[];
}

export function Facts({ facts }: FactsProps): VNode {
  return (
    <dl class="facts">
      {facts.map(([label, fact]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
