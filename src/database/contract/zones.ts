// Zones by name, each made once: the rule for `timezone` columns that no CHECK can hold
// (catalogue.md).

import { isKnownZone, Zone } from '../../catalogue/calendar.ts';
import type { Finding } from '../../findings.ts';
import { findingOf, quoted } from './row-checker.ts';

export class Zones {
  readonly #byName = new Map<string, Zone | null>();

  /** The zone of a name, or null where the runtime does not know it. */
  get(name: string): Zone | null {
    let zone = this.#byName.get(name);
    if (zone === undefined) {
      zone = isKnownZone(name) ? new Zone(name) : null;
      this.#byName.set(name, zone);
    }
    return zone;
  }
}

export function unknownZone(location: string, name: string): Finding {
  const message = `timezone: expected an IANA time zone known to this runtime, such as Europe/Berlin (no offset), found ${quoted(name)}`;
  return { ...findingOf('error', 'zone-unknown', location, message, 'timezone'), hint: zoneHint(name) };
}

function zoneHint(name: string): string {
  // SQLite's trim() takes blanks alone.
  if (isKnownZone(name.replaceAll(/^ +| +$/g, ''))) return 'trim(timezone)';
  return `the names are: node -p "Intl.supportedValuesOf('timeZone').join('\\n')"`;
}
