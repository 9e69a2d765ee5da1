// The operator's desk: chooses front, releases and pictures, and shows the health of all fronts. A
// side panel on wide screens; on a phone a sheet behind a button, so that the page begins with the
// front.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Instant } from '../../../catalogue/instant.ts';
import { PAGE_PATH, PICTURES_PATH, type Overview, type PreviewRelease } from '../../messages.ts';
import { HAS_PICTURES } from '../front/picture.tsx';
import { ExportView } from '../exporting.tsx';
import { Sheet } from '../sheet.tsx';
import { EXPORTED } from '../state/exported.ts';
import { queryOf, type ViewState } from '../state/view-state.ts';
import { shown } from '../text/safe-text.ts';
import { choice, releaseOptions, timezoneOf, type Options } from './choice.tsx';
import { Comparison } from './comparison.tsx';
import { Health } from './health.tsx';

interface DeskProps {
  readonly overview: Overview;
  readonly release: PreviewRelease;
  readonly state: ViewState;
  readonly front: string | null;
  readonly now: Instant;
  readonly onChange: (change: Partial<ViewState>) => void;
}

const WIDE = matchMedia('(min-width: 1100px)');

function useWide(): boolean {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const follow = (): void => setWide(WIDE.matches);
    WIDE.addEventListener('change', follow);
    return () => WIDE.removeEventListener('change', follow);
  }, []);
  return isWide;
}

export function Desk(props: DeskProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  const door = useRef<HTMLButtonElement>(null);
  // Restore the focus when the sheet has closed. While it is open, nothing behind it can take the
  // focus.
  useEffect(() => {
    if (wasOpen.current && !isOpen) door.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (useWide()) {
    return (
      <aside class="desk" aria-label="What to look at">
        <p class="brand">Playbill preview</p>
        <Choices {...props} />
      </aside>
    );
  }
  /** Closes the sheet once a front has been chosen. */
  const choose = (change: Partial<ViewState>): void => {
    props.onChange(change);
    if (change.front === undefined) return;
    setOpen(false);
  };
  return (
    <div class="desk-door">
      <button ref={door} type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Fronts
      </button>
      {isOpen && (
        <Sheet title="What to look at" onClose={() => setOpen(false)}>
          <Choices {...props} onChange={choose} />
        </Sheet>
      )}
    </div>
  );
}

function Choices({ overview, release, state, front, now, onChange }: DeskProps): VNode {
  const releases = releaseOptions(overview, state.release, timezoneOf(release, front));
  return (
    <>
      <div class="choices">
        {choice('Front', front ?? '', frontOptions(release, front), (code) => onChange({ front: code }))}
        {choice('Release', state.release, releases, (id) => onChange({ release: id }))}
        <Comparison {...{ overview, release, state, front, now, onChange }} />
      </div>
      {EXPORTED === null && release.fronts.length > 0 && (
        <>
          <p class="pictures">
            <a href={(HAS_PICTURES ? PAGE_PATH : PICTURES_PATH) + queryOf(state)}>
              {HAS_PICTURES ? 'Show drawn posters' : 'Load the pictures'}
            </a>
            {!HAS_PICTURES && <span> from the addresses in the cards</span>}
          </p>
          {front !== null && <ExportView overview={overview} state={{ ...state, front, at: state.at ?? now }} />}
        </>
      )}
      {release.fronts.length > 0 && (
        <section class="fronts" aria-label="Health of all fronts">
          <Health
            fronts={release.fronts}
            chosen={front}
            now={now}
            onChoose={(code) => onChange({ front: code })}
            onDropped={(missing) => onChange({ missing })}
          />
        </section>
      )}
    </>
  );
}

/**
 * A chosen front that does not exist is added as the first option, so that the list agrees with the
 * page.
 */
function frontOptions({ fronts }: PreviewRelease, front: string | null): Options {
  const codes = fronts.map((view) => view.front);
  return (front === null || codes.includes(front) ? codes : [front, ...codes]).map((code) => [code, shown(code)]);
}
