// How to export the view, and what an exported page says of itself.

import type { VNode } from 'preact';
import type { Overview } from '../messages.ts';
import { Command } from './command.tsx';
import { EXPORTED } from './state/exported.ts';
import { queryOf, type ViewState } from './state/view-state.ts';
import { exportCommand } from './text/commands.ts';

interface ExportViewProps {
  readonly overview: Overview;
  /** With the front and the instant that are shown. */
  readonly state: ViewState;
}

export function ExportView({ overview, state }: ExportViewProps): VNode {
  return (
    <details class="export-view">
      <summary>Export this view</summary>
      <p>As a page that needs no server, for a ticket, a mail or a pull request:</p>
      <Command text={exportCommand(overview, queryOf(state), state.front ?? '')} />
    </details>
  );
}

/** Nothing on a page with a server. */
export function ExportNote(): VNode | null {
  if (EXPORTED === null) return null;
  const { made, release } = EXPORTED;
  return (
    <p class="export-note">
      <b>Exported {`${made.slice(0, 10)} ${made.slice(11, 16)}Z`}</b>
      {release !== null && (
        <>
          , release <code>{release.slice(0, 8)}</code>
        </>
      )}
      : this front alone, as it was then.
    </p>
  );
}
