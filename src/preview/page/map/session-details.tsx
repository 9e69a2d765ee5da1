// The details of a session of the map: when and where, its seats and price, how it stands through
// the day, and the catalogue's explanation of it alone.

import type { VNode } from 'preact';
import { formatInstant, parseOffsetDateTime, type Instant } from '../../../catalogue/instant.ts';
import {
  EXPLAIN_PATH,
  pathOf,
  type DayProduct,
  type DaySession,
  type Explanation,
  type Overview,
} from '../../messages.ts';
import { Command } from '../command.tsx';
import { Why } from '../front/product-details.tsx';
import { Facts } from '../facts.tsx';
import { Sheet } from '../sheet.tsx';
import { useJson } from '../state/use-json.ts';
import type { FrontUnits } from '../text/changes.ts';
import { explainCommand } from '../text/commands.ts';
import { instantAt, sessionText, zoneClockText } from '../text/descriptions.ts';
import { sectionsOf } from '../text/explanation.ts';
import { nameOf, shown } from '../text/safe-text.ts';
import { seatsText, Sign, untilText } from './map-row.tsx';
import { stateAt, STATES } from './session-states.ts';

interface SessionDetailsProps {
  readonly overview: Overview;
  readonly front: string;
  readonly at: Instant;
  readonly product: DayProduct;
  readonly session: DaySession;
  readonly units: FrontUnits;
  /** Opens the details of the product. */
  readonly onProduct: () => void;
  readonly onClose: () => void;
}

export function SessionDetails(props: SessionDetailsProps): VNode {
  const { overview, front, at, product, session, units, onProduct, onClose } = props;
  const startsAt = parseOffsetDateTime(session.start) ?? at;
  const endsAt = session.end === null ? null : instantAt(session.end);
  const instant = formatInstant(at);
  const why = useJson<Explanation>(
    pathOf(EXPLAIN_PATH, front, product.slug, session.id, formatInstant(startsAt), instant),
  );
  const { date, time, offset } = sessionText(session.start, units.zone, units.today);
  const { state, priceFrom } = stateAt(session.states, instant);
  const facts: readonly (readonly [string, string])[] = [
    ['When', `${date} ${time}${untilText({ ...session, startsAt, endsAt })}${offset === null ? '' : ` ${offset}`}`],
    ['Where', shown(session.venue)],
    ['Seats', seatsText(session) || 'not limited'],
    ['Price', priceFrom === null ? 'none now' : units.money(priceFrom)],
    ['Session', shown(session.id)],
  ];
  return (
    <Sheet title={nameOf(product)} onClose={onClose}>
      <section>
        <p class="verdict">
          <State state={state} /> <span class="count">at {zoneClockText(units.zone, at)}</span>
        </p>
        <Facts facts={facts} />
      </section>
      <section>
        <h3>Through the day</h3>
        <ol class="through">
          {session.states.map((one) => (
            <li key={one.from} aria-current={one === stateAt(session.states, instant) ? 'true' : undefined}>
              <time dateTime={one.from}>{zoneClockText(units.zone, instantAt(one.from))}</time>
              <State state={one.state} />
              {one.priceFrom !== null && <span>{units.money(one.priceFrom)}</span>}
            </li>
          ))}
        </ol>
      </section>
      <Why sections={why.json === null ? [] : sectionsOf(why.json.text)} {...why} />
      <section>
        <h3>In a terminal</h3>
        <Command text={explainCommand(overview, front, product.slug, at)} />
      </section>
      <p>
        <button type="button" onClick={onProduct}>
          The whole product
        </button>
      </p>
    </Sheet>
  );
}

function State({ state }: { readonly state: keyof typeof STATES }): VNode {
  const { label, look, sign } = STATES[state];
  return (
    <span class="state-word">
      <span class={`bar-body is-${look}`} aria-hidden="true">
        {sign !== '' && <Sign path={sign} />}
      </span>
      {label}
    </span>
  );
}
