// What the page shows where a front cannot be shown, or something else is wrong: what is so, and what to do. Nothing else is shown instead.

import type { VNode } from 'preact';
import { IN_FORCE, type Overview, type PreviewRelease } from '../messages.ts';
import { Command } from './command.tsx';
import { Notice } from './notice.tsx';
import type { Problem } from './state/fetch-json.ts';
import type { ViewState } from './state/view-state.ts';
import { buildCommand, verifyCommand } from './words/commands.ts';
import { shown } from './words/text.ts';

type OnChange = (change: Partial<ViewState>) => void;

/** Before the tree is read, and where the chosen release cannot be. */
export function NoRelease({
  problem,
  onChange,
}: {
  readonly problem: Problem | null;
  readonly onChange: OnChange;
}): VNode {
  if (problem === null) return <p class="waiting">Reading the tree…</p>;
  return (
    <main>
      <Notice title={shown(problem.message)} isBad>
        <p dir="auto">{shown(problem.hint)}</p>
        <button type="button" onClick={() => onChange({ release: IN_FORCE, beside: null })}>
          Show the current release
        </button>
      </Notice>
    </main>
  );
}

interface NoFrontProps {
  readonly overview: Overview;
  readonly release: PreviewRelease;
  readonly front: string | null;
  readonly onChange: OnChange;
}

export function NoFront({ overview, release: { fronts }, front, onChange }: NoFrontProps): VNode {
  if (fronts.length === 0) {
    return (
      <Notice title="Nothing is published here">
        <p dir="auto">
          The tree at {overview.root} is empty. Build into it; this page shows it as soon as it is there:
        </p>
        <Command text={buildCommand(overview)} />
        <p>No catalogue yet? See the demo’s, on another port:</p>
        <Command text="playbill demo --port 0" />
      </Notice>
    );
  }
  const view = fronts.find((one) => one.front === front);
  if (view !== undefined) {
    return (
      <Notice title={`${front} cannot be shown`} isBad>
        <p dir="auto">{shown(view.problem ?? '')}</p>
        <p>See all that is damaged, then publish again:</p>
        <Command text={verifyCommand(overview)} />
        <Command text={buildCommand(overview)} />
      </Notice>
    );
  }
  return (
    <Notice title={`There is no front “${shown(front ?? '')}” here`} isBad>
      <p>Choose another:</p>
      <ul class="chips">
        {fronts.map(({ front: code }) => (
          <li key={code}>
            <button type="button" class="chip" onClick={() => onChange({ front: code })}>
              {code}
            </button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** What is wrong with something that the page would show besides. */
export function ProblemBar({ problem, overview }: { readonly problem: Problem | null; readonly overview: Overview }) {
  if (problem === null) return null;
  return (
    <div class="problem" role="alert">
      <p dir="auto">
        <b>{shown(problem.message)}</b> {shown(problem.hint)}
      </p>
      {/damaged|expected/.test(problem.message) && <Command text={verifyCommand(overview)} />}
    </div>
  );
}
