// A sheet over the page: from the side where there is room, from below on a phone. The dialog of the browser keeps the focus inside, ends
// with Escape, and gives the focus back.

import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Sheet({ title, onClose, children }: SheetProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = (): void => dialog.current?.close();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label={title}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        // The sheet's own box is what lies around its content: the backdrop.
        if (target === currentTarget) close();
      }}
    >
      <div class="sheet-body">
        <header class="sheet-head">
          <h2 dir="auto">{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={close}>
            ×
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
