// Messages for when a front cannot be shown or something else is wrong: what the problem is, and
// what to do. Nothing else is shown instead.

import type { VNode } from 'preact';
import { CURRENT, type Overview, type PreviewRelease } from '../messages.ts';
import { Command } from './command.tsx';
import { Notice } from './notice.tsx';
import type { Problem } from './state/fetch-json.ts';
import type { ViewState } from './state/view-state.ts';
import { buildCommand, verifyCommand } from './text/commands.ts';
import { shown } from './text/safe-text.ts';

type OnChange = (change: Partial<ViewState>) => void;

/** Shown while the tree is being read, and if the chosen release cannot be read. */
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
      <Notice title={shown(problem.message)} isBad isAlone>
        <p dir="auto">{shown(problem.hint)}</p>
        <button type="button" onClick={() => onChange({ release: CURRENT, beside: null })}>
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
      <Notice title="Nothing is published here" isAlone>
        <p dir="auto">
          There is no release in {overview.root}. Build into it, and this page shows the release as soon as it is
          published:
        </p>
        <Command text={buildCommand(overview)} />
        <p>No catalogue yet? Look at the demo, on another port:</p>
        <Command text="playbill demo --port 0" />
      </Notice>
    );
  }
  const view = fronts.find((one) => one.front === front);
  if (view !== undefined) {
    return (
      <Notice title={`${front} cannot be shown`} isBad isAlone>
        <p dir="auto">{shown(view.problem ?? '')}</p>
        <p>List all damage, then publish again:</p>
        <Command text={verifyCommand(overview)} />
        <Command text={buildCommand(overview)} />
      </Notice>
    );
  }
  return (
    <Notice title={`There is no front “${shown(front ?? '')}” here`} isBad isAlone>
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

/** A problem with something else on the page, above what can be shown. */
export function ProblemBar({ problem, overview }: { readonly problem: Problem | null; readonly overview: Overview }) {
  if (problem === null) return null;
  return (
    <div class="problem" role="alert">
      <p dir="auto">
        <b>{shown(problem.message)}</b> <span class="hint">{shown(problem.hint)}</span>
      </p>
      {/damaged|expected/.test(problem.message) && <Command text={verifyCommand(overview)} />}
    </div>
  );
}
