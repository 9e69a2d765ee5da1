// A message in place of a front that cannot be shown or that has no cards.

import type { ComponentChildren, VNode } from 'preact';

interface NoticeProps {
  readonly title: string;
  /** Something is wrong, not just empty. */
  readonly isBad?: boolean;
  /** It stands in place of a whole front, whose name would be the heading. */
  readonly isAlone?: boolean;
  readonly children: ComponentChildren;
}

export function Notice({ title, isBad = false, isAlone = false, children }: NoticeProps): VNode {
  const Heading = isAlone ? 'h1' : 'h2';
  return (
    <section class={isBad ? 'notice empty is-bad' : 'notice empty'}>
      <Heading dir="auto">{title}</Heading>
      {children}
    </section>
  );
}
