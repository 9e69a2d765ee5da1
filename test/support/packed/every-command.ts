// Every command once, in an order in which each has something to do: from an empty folder to a
// served tree.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { NOW, smallCatalogue } from '../fault/small-catalogue.ts';
import { start, type Where } from './runs.ts';

const ESC = '\u001b';
const LATER = '2026-05-01T09:30:00Z';

/** Runs them all. @returns the commands that were run: `build`, `keys issue` … */
export async function runEveryCommand(where: Where, commands: readonly string[]): Promise<Set<string>> {
  const done = new Set<string>();
  const begin = (argv: readonly string[]): ReturnType<typeof start> => {
    done.add(commands.findLast((command) => `${argv.join(' ')} `.startsWith(`${command} `)) ?? argv.join(' '));
    return start(argv, where);
  };
  const run = async (line: string, status: number, shows: RegExp): Promise<string> => {
    const argv = line.split(' ');
    const ran = await begin(argv).ended;
    const printed = ran.stdout + ran.stderr;
    expect(ran.status, `playbill ${line}\n${printed}`).toBe(status);
    expect(printed, line).toMatch(shows);
    if (where.place === 'in a pipe') expect(printed, line).not.toContain(ESC);
    return printed;
  };
  const serve = async (line: string, path: string, shows: RegExp): Promise<void> => {
    const server = begin(line.split(' '));
    try {
      const url = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
      const response = await fetch(url + path, { headers: { 'X-Front': 'alpha' } });
      expect(await response.text(), line).toMatch(shows);
      server.interrupt();
      const { status, stdout, stderr } = await server.ended;
      expect(status, `playbill ${line}\n${stdout}${stderr}`).toBe(0);
    } finally {
      server.kill();
    }
  };
  const file = (name: string, text: string): void => writeFileSync(join(where.cwd, name), text);

  const rows = smallCatalogue({ fronts: ['alpha', 'beta'], productsPerFront: 2, sessionsPerProduct: 2, edition: 'x' });
  file('rows.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await run('import rows.ndjson --db c.sqlite', 0, /c\.sqlite/);
  await run('check-db --db c.sqlite', 0, /0 errors/);
  await run('export --db c.sqlite --table fronts', 0, /"code":"alpha"/);
  await run('explain --db c.sqlite --front alpha --product show-1 --at ' + NOW, 0, /show-1/);
  await run('build --db c.sqlite --out out --now ' + NOW, 0, /Published 2 of 2 fronts/);
  await run(`build --db c.sqlite --out parts --shard 0/1 --run one --now ${NOW}`, 0, /shard 0/i);
  await run('finish --out parts --run one --shards 1', 0, /Published 2 of 2 fronts/);
  await run('snapshot --hold --db c.sqlite', 2, /error /);
  await run('config --db c.sqlite --out out', 0, /horizon/);
  await run('config init --db c.sqlite --out out', 0, /playbill\.json/);
  rmSync(join(where.cwd, 'playbill.json'));
  await run('completion bash', 0, /complete -o default -F _playbill playbill/);
  await run('verify --out out', 0, /0 errors, 0 warnings/);
  await run(`show --out out --front alpha --endpoint products --at ${NOW}`, 0, /"productCards":\[/);
  await run(`next --out out --at ${NOW}`, 0, /alpha/);
  await run(`status --out out --at ${NOW}`, 0, /alpha/);
  await run(`diff --out out --until ${LATER} --from ${NOW}`, 0, /alpha/);
  await run(`build --db c.sqlite --out out --now ${LATER} --no-prune`, 0, /Published 2 of 2 fronts/);
  const [newest = '', older = ''] = (await run('releases --out out', 0, /[0-9a-f]{16}/)).match(/[0-9a-f]{16}/g) ?? [];
  expect(older, 'two releases').not.toBe('');
  await run('releases --out out --changes --last 1', 0, new RegExp(`since ${older}`));
  await run(`diff ${older} ${newest} --out out`, 1, /alpha/);
  await run(`rollback ${older} --out out`, 0, new RegExp(older));
  await run(`rollback --resume --out out`, 0, /./);
  await run('notify --out out --on-publish true', 0, /Notified of release/);
  await run('prune --out out', 0, /./);
  await run('keys issue --front alpha --keyid one --db c.sqlite --out out --to one.key.json', 0, /one\.key\.json/);
  await run('keys list --db c.sqlite', 0, /one/);
  await run('sign http://127.0.0.1:8080/products/ --key one.key.json', 0, /Signature/i);
  await run('keys revoke one --db c.sqlite --out out', 0, /one/);
  await run('edge build --target worker --out out --to edge', 0, /edge/);
  await run('edge check http://127.0.0.1:9 --key one.key.json', 2, /error edge-unreachable: .*ECONNREFUSED/);
  await run('openapi', 0, /"openapi": ?"3\.1/);
  await serve(`serve --out out --unsigned --port 0 --at ${LATER}`, '/products/', /"productCards":\[/);
  await serve('preview --out out --port 0', '/', /<title>/);
  await serve('demo --port 0', '/', /<title>/);
  return done;
}
