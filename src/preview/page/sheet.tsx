// A sheet over the page, at the side or, on a phone, at the bottom. Uses the browser's <dialog>,
// which traps the focus, closes on Escape and restores the focus.

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
  const isMounted = useRef(true);
  useEffect(() => {
    const { current: element } = dialog;
    const { activeElement: opener } = document;
    element?.showModal();
    return () => {
      // The browser's Back button has closed the sheet: then nobody has restored the focus.
      isMounted.current = false;
      element?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label={title}
      onClose={() => isMounted.current && onClose()}
      onClick={({ target, currentTarget }) => {
        // A click on the dialog itself, not on its content, is a click on the backdrop.
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
