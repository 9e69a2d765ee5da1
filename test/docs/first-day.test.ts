// data/first-day.md, pasted by root from top to bottom on a machine of its own: what each step
// shows, and what cron then does.

import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { mayMakeMachine, typeOnMachine } from '../support/machine.ts';
import { packCheckout } from '../support/packed/installed.ts';
import type { Ran } from '../support/recipe.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(checkout, 'data/first-day.md'), 'utf8');

/** npm, with the packages of this checkout in place of a registry's. */
const NPM = `#!/bin/bash
set -eu
modules=/usr/local/lib/node_modules
case "$1 $2" in
  'root -g') echo $modules ;;
  'install -g')
    mkdir -p $modules/playbill
    tar -xzf "$3" -C $modules/playbill --strip-components 1
    ln -s ${checkout}node_modules $modules/playbill/node_modules
    ln -s $modules/playbill/dist/cli/main.js /usr/local/bin/playbill
    chmod 755 $modules/playbill/dist/cli/main.js ;;
  *) exit 1 ;;
esac
`;

const steps = Array.from(
  guide.matchAll(/^## (?:\d+\. )?(.*)\n([^]*?)(?=^## |$(?![^]))/gm),
  ([, name = '', text = '']) => ({
    name,
    typed: Array.from(text.matchAll(/^```sh\n([^]*?)^```$/gm), ([, block = '']) => block).join(''),
  }),
);

/** What cron does with a line of the file that the guide has written, and what it would mail. */
const CRON = `
env -i PATH=/usr/local/bin:/usr/bin:/bin bash -eu <<'END'
grep -v '^[*0-9]' /etc/cron.d/playbill | sed 's/^/export /' > /tmp/settings
. /tmp/settings
grep '^[*0-9]' /etc/cron.d/playbill | while read -r _ _ _ _ _ user command; do
  echo "line for $user"
  /usr/sbin/runuser -u "$user" -- /bin/sh -c "$command"
done
END
echo "not the account's: $(find /var/lib/playbill ! -user playbill | wc -l)"
runuser -u playbill -- playbill verify --out /var/lib/playbill/out | tail -n 1
ls -l /var/lib/playbill/*.key.json | cut -c 1-10
`;

describe.runIf(mayMakeMachine())('pasted by root', () => {
  let ran: Ran;
  /** What each step printed. */
  const printed = new Map<string, string>();
  beforeAll(() => {
    const folder = temporaryFolder();
    copyFileSync(packCheckout(folder), join(folder, 'playbill-0.1.0.tgz'));
    const script = steps.map(({ name, typed }) => `echo '@@ ${name}'\n${typed}`).join('');
    const start = `exec 2>&1\nmkdir /tmp/start\ncd /tmp/start\ncp ${folder}/playbill-*.tgz .\nrm -f /etc/nginx/sites-enabled/default\n`;
    ran = typeOnMachine(`${start}${script}echo '@@ cron'\n${CRON}`, { npm: NPM });
    for (const part of ran.stdout.split(/^@@ /m)) printed.set(part.slice(0, part.indexOf('\n')), part);
  }, 600_000);

  test('no command fails', () => {
    expect([ran.status, ran.status === 0 ? '' : ran.stdout]).toEqual([0, '']);
  });

  test.each<[step: string, shown: readonly (string | RegExp)[]]>([
    ['A catalogue', ['0 errors, 0 warnings', /^Published 1 of 1 front /m]],
    ['nginx, with HTTPS', ['syntax is ok', 'test is successful']],
    [
      'A signed answer',
      [/^HTTP\/2 200/m, '"slug":"hamlet"', /^HTTP\/2 401/m, '"code":"signature-missing"', / 0 differ/],
    ],
    ['Every five minutes, and an alarm', [/^theatre .* too-old$/m, 'cron would mail this']],
    [
      'Going back, rehearsed',
      [/theatre: 1 price \(.*25 → 12\.5 /, /^Rolled back to release /m, /^"priceFrom":25$/m, /^Resumed: /m],
    ],
    ['A new key', [/^HTTP\/2 200/m, / 0 differ/]],
    [
      'cron',
      [
        /^line for playbill\nline for playbill\nnot the account's: 0\n.*0 errors, 0 warnings\n-rw-------\n-rw-------\n/m,
      ],
    ],
  ])('%s', (step, shown) => {
    for (const text of shown) expect(printed.get(step)).toMatch(text);
  });
});

test('the guide has a test for each step that shows something, and every block is for this shell', () => {
  expect(steps.map(({ name }) => name)).toEqual([
    'Programs',
    'An account, and settings in one file',
    'A catalogue',
    'A key for the storefront',
    'nginx, with HTTPS',
    'A signed answer',
    'Every five minutes, and an alarm',
    'Going back, rehearsed',
    'A new key',
    'Before you open',
  ]);
  expect(guide.match(/^```\w+$/gm)?.every((fence) => fence === '```sh')).toBe(true);
});
