// Prints the rows of the demo catalogue as NDJSON. `--now` is an ISO 8601 time with an offset: the
// result must not depend on the zone of the machine.

import { parseArgs } from 'node:util';
import { DateTime } from 'luxon';
import { instant } from '../data/demo/moment.ts';
import { demoText } from '../data/demo/rows.ts';

const { now = '' } = parseArgs({ options: { now: { type: 'string' } } }).values;
const time = /(?:Z|[+-]\d\d:\d\d)$/.test(now) ? DateTime.fromISO(now) : DateTime.invalid('no offset');
if (time.isValid) process.stdout.write(demoText(instant(time.toMillis())));
else {
  console.error(`demo-rows: --now: expected a time such as 2026-05-01T12:00:00+03:00, found "${now}"`);
  process.exitCode = 2;
}
