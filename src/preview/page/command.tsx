// A command with a button that copies it, as everywhere on the page where the next step is typed.

import { Fragment, type VNode } from 'preact';
import { useState } from 'preact/hooks';

export function Command({ text }: { readonly text: string }): VNode {
  return (
    <p class="command">
      <code dir="ltr">
        {text.split(' ').map((word, i) => (
          // A flag and an instant have hyphens, at which a line must not break.
          <Fragment key={i}>
            {i > 0 && ' '}
            <span>{word}</span>
          </Fragment>
        ))}
      </code>
      <CopyButton text={text} what="command" />
    </p>
  );
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): VNode {
  const [outcome, setOutcome] = useState('Copy');
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied'),
      () => setOutcome('Select and copy'),
    );
  };
  return (
    <button
      type="button"
      class="copy"
      aria-label={`${outcome} ${what}`}
      onClick={copy}
      onBlur={() => setOutcome('Copy')}
    >
      <span role="status">{outcome}</span>
    </button>
  );
}
