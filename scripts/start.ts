// `npm start`: makes the demo catalogue as of now, builds it into out/, verifies the tree, and says what to look at next. It runs
// the real commands, one after the other. A catalogue of yours at data/catalogue.sqlite is built as it is, never replaced.

import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { demoText } from './demo-rows.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const database = 'data/catalogue.sqlite';

/** How a database says that it is the demo (SQLite's application_id; "PBde" in ASCII). */
const DEMO_APPLICATION_ID = 0x50_42_64_65;

/** Runs a command of playbill and gives its exit code. */
function playbill(words: readonly string[], input?: string): number {
  process.stderr.write(`\n$ playbill ${words.join(' ')}\n`);
  const { status } = spawnSync(`${root}node_modules/.bin/tsx`, [`${root}src/cli/main.ts`, ...words], {
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
  if (isOwn) process.stderr.write(`${database} is not the demo: it is built as it is.\n`);
  const made = isOwn ? 0 : makeDemo(now);
  if (made !== 0) return made;
  const built = playbill(['build', '--db', database, '--out', 'out', '--now', now]);
  if (built !== 0) return built;
  const verified = playbill(['verify', '--out', 'out']);
  if (verified !== 0) return verified;
  process.stdout.write(`
The tree is in out/: out/public is the origin behind the edge. Without the edge anyone may read it. Look at it:

  ls out/public/fronts/moscow                                          one pointer, one file per edition
  npm run -s playbill -- show --front moscow --endpoint products       what a request gets now
  npm run -s playbill -- show --front moscow --endpoint products --at ${now.slice(0, 11)}23:59:59Z
  npm run -s playbill -- preview                                       the same as a page, with a slider over time
  npm run -s playbill -- build --dry-run                               what the next build would change
  npm run -s playbill -- --help                                        everything else
`);
  return 0;
}

process.exitCode = start(new Date(Math.floor(Date.now() / 1000) * 1000).toISOString().replace('.000', ''));
