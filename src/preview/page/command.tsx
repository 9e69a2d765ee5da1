// A command to type, with a button that copies it.

import { Fragment, type VNode } from 'preact';
import { useState } from 'preact/hooks';

export function Command({ text }: { readonly text: string }): VNode {
  return (
    <p class="command">
      <code dir="ltr">
        {text.split(' ').map((word, i) => (
          // Each argument in a span of its own, so that lines do not break at hyphens in flags and
          // instants.
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
  // What is copied stands beside the button, except what the whole sheet is copied as.
  const isLabelled = what !== 'command' && what !== 'JSON';
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
      <span role="status">
        {outcome}
        {isLabelled && ` ${what}`}
      </span>
    </button>
  );
}
