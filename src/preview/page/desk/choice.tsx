// A labelled choice of the desk, and the releases to choose from.

import type { VNode } from 'preact';
import { CURRENT, type Overview, type PreviewRelease } from '../../messages.ts';
import { hasRelease } from '../state/exported.ts';
import { instantAt, shortDateText, zoneClockText, zoneOf } from '../text/descriptions.ts';

export type Options = readonly (readonly [value: string, label: string])[];

/**
 * The current release, then the others; the current one once more under its own id only if an
 * address has named it so.
 */
export function releaseOptions({ releases, current }: Overview, chosen: string, timezone: string): Options {
  const zone = zoneOf(timezone);
  const timeOf = (now: string): string => {
    const at = instantAt(now);
    return `${shortDateText(zone.format(at))} ${zoneClockText(zone, at)}`;
  };
  const textOf = ({ id, now }: Overview['releases'][number]): string => `${timeOf(now)} · ${id.slice(0, 8)}`;
  const own = releases.find(({ id }) => id === current);
  const others = releases.filter(({ id }) => id !== current || id === chosen);
  const options: Options = [
    [CURRENT, own === undefined ? 'current' : `current · ${timeOf(own.now)}`],
    ...others.map((release) => [release.id, textOf(release)] as const),
  ];
  return options.filter(([id]) => hasRelease(id));
}

/** The zone of the front's clock; UTC if it cannot be shown. */
export function timezoneOf({ fronts }: PreviewRelease, front: string | null): string {
  return fronts.find((one) => one.front === front)?.pointer?.timezone ?? 'UTC';
}

export function choice(label: string, value: string, options: Options, onChoose: (value: string) => void): VNode {
  return (
    <label>
      <span>{label}</span>
      <select
        value={value}
        disabled={options.length === 0}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
