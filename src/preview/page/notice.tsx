// A message in place of a front that cannot be shown or that has no cards.

import type { ComponentChildren, VNode } from 'preact';

interface NoticeProps {
  readonly title: string;
  /** Something is wrong, not just empty. */
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
