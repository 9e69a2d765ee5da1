// `npm start`: creates the demo catalogue for the current time, builds it into out/ and verifies
// the tree, by running the real commands; then says what to look at next. Never replaces your own
// catalogue at data/catalogue.sqlite: it builds that instead.

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { demoText } from '../data/demo/rows.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const database = 'data/catalogue.sqlite';

/** SQLite's application_id of a database with the demo: "PBde" in ASCII. */
const DEMO_APPLICATION_ID = 0x50_42_64_65;

/** Runs a playbill command. @returns the exit code */
function playbill(argv: readonly string[], input?: string): number {
  process.stderr.write(`\n$ playbill ${argv.join(' ')}\n`);
  const { status } = spawnSync(`${root}node_modules/.bin/tsx`, [`${root}src/cli/main.ts`, ...argv], {
    cwd: root,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'inherit', 'inherit'],
    ...(input === undefined ? {} : { input }),
  });
  return status ?? 1;
}

function isDemo(path: string): boolean {
  const handle = new Database(path, { readonly: true });
  try {
    return handle.pragma('application_id', { simple: true }) === DEMO_APPLICATION_ID;
  } finally {
    handle.close();
  }
}

function makeDemo(now: string): number {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${root}${database}${suffix}`, { force: true });
  const status = playbill(['import', '-', '--db', database], demoText(now));
  if (status !== 0) return status;
  const handle = new Database(`${root}${database}`);
  handle.pragma(`application_id = ${DEMO_APPLICATION_ID}`);
  handle.close();
  return 0;
}

function start(now: string): number {
  const isOwn = existsSync(`${root}${database}`) && !isDemo(`${root}${database}`);
  if (isOwn) process.stderr.write(`${database} is not the demo: building it unchanged.\n`);
  const made = isOwn ? 0 : makeDemo(now);
  if (made !== 0) return made;
  const built = playbill(['build', '--db', database, '--out', 'out', '--now', now]);
  if (built !== 0) return built;
  const verified = playbill(['verify', '--out', 'out']);
  if (verified !== 0) return verified;
  process.stdout.write(`
The tree is in out/. out/public is the origin behind the edge: without the edge anyone can read it. Look at it:

  ls out/public/fronts/moscow                                          one pointer, one file per edition
  npm run -s playbill -- show --front moscow --endpoint products       what a request gets now
  npm run -s playbill -- show --front moscow --endpoint products --at ${now.slice(0, 11)}23:59:59Z
  npm run -s playbill -- preview                                       the same in a browser, with a slider over time
  npm run -s playbill -- build --dry-run                               what the next build would change
  npm run -s playbill -- --help                                        everything else
`);
  return 0;
}

process.exitCode = start(new Date(Math.floor(Date.now() / 1000) * 1000).toISOString().replace('.000', ''));
