// The operator's desk beside the visitors' page: which front and releases to show, whether pictures are loaded, the health of all fronts.

import type { VNode } from 'preact';
import type { Instant } from '../../catalogue/instant.ts';
import { IN_FORCE, PAGE_PATH, PICTURES_PATH, type Overview, type PreviewRelease } from '../messages.ts';
import { HAS_PICTURES } from './card.tsx';
import { Health } from './health.tsx';
import { queryOf, type ViewState } from './view-state.ts';
import { shown } from './text.ts';

interface DeskProps {
  readonly overview: Overview;
  readonly release: PreviewRelease;
  readonly state: ViewState;
  readonly front: string | null;
  readonly now: Instant;
  readonly onChange: (change: Partial<ViewState>) => void;
}

/** On a wide screen the list of fronts is open from the start; on a narrow one it would push the page away. */
const IS_WIDE = matchMedia('(min-width: 1100px)').matches;

export function Desk({ overview, release, state, front, now, onChange }: DeskProps): VNode {
  const releases = releaseOptions(overview);
  return (
    <aside class="desk" aria-label="What to look at">
      <div class="choices">
        {choice('Front', front ?? '', frontOptions(release, front), (code) => onChange({ front: code }))}
        {choice('Release', state.release, releases, (id) => onChange({ release: id }))}
        {choice('Beside it', state.beside ?? '', [['', 'nothing'], ...releases], (id) =>
          onChange({ beside: id === '' ? null : id }),
        )}
      </div>
      <p class="pictures">
        <a href={(HAS_PICTURES ? PAGE_PATH : PICTURES_PATH) + queryOf(state)}>
          {HAS_PICTURES ? 'Show no pictures' : 'Load the pictures'}
        </a>
        {!HAS_PICTURES && <span> from the addresses in the cards</span>}
      </p>
      <details class="fronts" open={IS_WIDE}>
        <summary>Fronts and how they are</summary>
        <Health fronts={release.fronts} chosen={front} now={now} onChoose={(code) => onChange({ front: code })} />
      </details>
    </aside>
  );
}

type Options = readonly (readonly [value: string, label: string])[];

/** A chosen front that does not exist comes first, so that the choice agrees with the page. */
function frontOptions({ fronts }: PreviewRelease, front: string | null): Options {
  const codes = fronts.map((view) => view.front);
  return (front === null || codes.includes(front) ? codes : [front, ...codes]).map((code) => [code, shown(code)]);
}

function releaseOptions({ releases, current }: Overview): Options {
  const kept = releases.map(({ id, now }) => {
    const instant = now === null ? 'unreadable' : `${now.slice(0, 10)} ${now.slice(11, 16)}Z`;
    return [id, `${instant} · ${id.slice(0, 8)}${id === current ? ' · current' : ''}`] as const;
  });
  return [[IN_FORCE, 'in force'], ...kept];
}

function choice(label: string, value: string, options: Options, onChoose: (value: string) => void): VNode {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
