// What stands in place of a front that cannot be shown, or of cards where there are none: what is so, and what to do.

import type { ComponentChildren, VNode } from 'preact';

interface NoticeProps {
  readonly title: string;
  /** Whether something is wrong, not merely absent. */
  readonly isBad?: boolean;
  readonly children: ComponentChildren;
}

export function Notice({ title, isBad = false, children }: NoticeProps): VNode {
  return (
    <section class={isBad ? 'notice empty is-bad' : 'notice empty'}>
      <h2 dir="auto">{title}</h2>
      {children}
    </section>
  );
}
