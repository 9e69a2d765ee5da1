// The rule for `timezone` columns that no CHECK can hold (catalogue.md): the runtime knows the
// zone.

import { isKnownZone } from '../../catalogue/calendar.ts';
import type { Finding } from '../../findings.ts';
import { findingOf, quoted } from './row-checker.ts';

export function unknownZone(location: string, name: string): Finding {
  const message = `timezone: expected an IANA time zone known to this runtime, such as Europe/Berlin (no offset), found ${quoted(name)}`;
  return { ...findingOf('error', 'zone-unknown', location, message, 'timezone'), hint: zoneHint(name) };
}

function zoneHint(name: string): string {
  // SQLite's trim() takes blanks alone.
  if (isKnownZone(name.replaceAll(/^ +| +$/g, ''))) return 'trim(timezone)';
  return `the names are: node -p "Intl.supportedValuesOf('timeZone').join('\\n')"`;
}
