// The recipes for one machine: cron and systemd.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { Command } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt, filesOf, temporaryFolder } from '../support/trees.ts';
import { recipe, RECIPES, run, type Ran, uncompressedEditions, withSettings } from '../support/recipe.ts';

const bin = new Command().folderForPath;

/** The environment of a command with the settings of the recipes, and a folder in the place of /var/lib/playbill. */
const settingsOf = (state: string) =>
  withSettings(recipe('playbill.json'), temporaryFolder(), { '/var/lib/playbill': state });

/** A folder in the place of /var/lib/playbill. */
function stateFolder(): string {
  const folder = temporaryFolder();
  const small = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' };
  catalogueAt(join(folder, 'catalogue.sqlite'), smallCatalogue(small));
  return folder;
}

describe('cron', () => {
  const text = recipe('playbill.cron');
  const settings = new Map<string, string>();
  const jobs: { schedule: string; user: string; command: string }[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const setting = /^([A-Z]+)=(.*)$/.exec(line);
    const job = /^((?:\S+\s+){4}\S+)\s+(\S+)\s+(.*)$/.exec(line);
    if (setting !== null) settings.set(setting[1] ?? '', setting[2] ?? '');
    else jobs.push({ schedule: job?.[1] ?? '', user: job?.[2] ?? '', command: job?.[3] ?? '' });
  }

  test('the file is one that cron reads: settings, then five fields, a user and a command, a line end at the end', () => {
    expect(settings.get('MAILTO')).toMatch(/@/);
    expect(settings.get('PATH')).toContain('/usr/local/bin');
    expect(jobs.map(({ user }) => user)).toEqual(['playbill', 'playbill']);
    for (const { schedule, command } of jobs) {
      const fields = schedule.split(/\s+/);
      expect(fields).toHaveLength(5);
      for (const field of fields) expect(field).toMatch(/^(\*|\d+-\d+)(\/\d+)?$/);
      // cron would make it a line end.
      expect(command.replaceAll(String.raw`\%`, '')).not.toContain('%');
    }
    expect(text.endsWith('\n')).toBe(true);
  });

  const cron = (job: number, state: string): Promise<Ran> => {
    const command = (jobs[job]?.command ?? '').replaceAll('/usr/local/lib/playbill/', RECIPES);
    const environment = { PATH: `${bin}:${settings.get('PATH')}`, HOME: '/', LOGNAME: 'playbill' };
    return run(['/bin/sh', '-c', command], { ...environment, ...settingsOf(state) }, { cwd: '/' });
  };

  test('nothing is mailed while all is well, nor while another run holds the lock; what fails is', async () => {
    const state = stateFolder();
    const silent = { stdout: '', stderr: '' };
    expect(await cron(0, state)).toEqual({ status: 0, ...silent });
    expect(await cron(1, state)).toEqual({ status: 0, ...silent });
    expect([...filesOf(state).keys()]).toContain('out/public/fronts/alpha/pointer.json');
    expect([...filesOf(state).keys()]).toContain('playbill.prom');
    expect(uncompressedEditions(join(state, 'out'))).toEqual([]);

    const reported = readFileSync(join(state, 'playbill.prom'), 'utf8');
    const lock = new Database(join(state, 'out/.lock'), { timeout: 0 });
    lock.exec('begin exclusive');
    expect(await cron(0, state)).toEqual({ status: 5, ...silent });
    lock.close();
    // The run that holds the lock is the one that knows how it ended.
    expect(readFileSync(join(state, 'playbill.prom'), 'utf8')).toBe(reported);

    writeFileSync(join(state, 'catalogue.sqlite'), '');
    const failed = await cron(0, state);
    expect(failed.status).toBe(2);
    expect(failed.stdout).toMatch(
      /^error contract-table-missing: .*\n {2}hint: .*\n\(exit 2: \S+retry\.sh playbill build\)/,
    );

    writeFileSync(join(state, 'out/public/fronts/alpha/pointer.json'), '');
    const stale = await cron(1, state);
    expect(stale.status).toBe(1);
    expect(stale.stdout).toMatch(/^front .*\nalpha .* pointer-invalid\n/);
  });

  test('a warning of a build that succeeds is mailed, its summary is not', async () => {
    const words = [join(RECIPES, 'quiet.sh'), 'sh', '-c', 'echo summary; echo warning >&2'];
    expect(await run(words, { PATH: '/usr/bin:/bin' })).toEqual({ status: 0, stdout: 'warning\n', stderr: '' });
  });
});

test.each(['quiet.sh', 'retry.sh'])('%s without a command is wrong usage', async (name) => {
  const refused = { status: 2, stdout: '', stderr: `usage: ${name} COMMAND [ARGUMENT ...]\n` };
  expect(await run([join(RECIPES, name)], { PATH: '/usr/bin:/bin' })).toEqual(refused);
});

test.each([
  { ends: '0', attempts: 1, status: 0 },
  { ends: '75 0', attempts: 2, status: 0 },
  { ends: '75 75 4', attempts: 3, status: 4 },
  { ends: '75 75 75 0', attempts: 3, status: 75 },
  { ends: '2 0', attempts: 1, status: 2 },
  { ends: '5 0', attempts: 1, status: 5 },
  { ends: '6 0', attempts: 1, status: 6 },
  { ends: '75 7', attempts: 2, status: 0 },
])('retry.sh: attempts that would exit $ends', async ({ ends, attempts, status }) => {
  const folder = temporaryFolder();
  // In the place of `sleep`: notes how long it would take.
  writeFileSync(join(folder, 'sleep'), `#!/bin/sh\necho "$1" >> ${folder}/slept\n`, { mode: 0o755 });
  const once = `
    echo x >> ${folder}/attempts
    n=$(wc -l < ${folder}/attempts)
    echo "summary $n"
    echo "message $n" >&2
    exit $(echo ${ends} | cut -d ' ' -f "$n")`;
  writeFileSync(join(folder, 'slept'), '');
  const tried = await run([join(RECIPES, 'retry.sh'), 'sh', '-c', once], { PATH: `${folder}:/usr/bin:/bin` });
  const summaries = Array.from({ length: attempts }, (_, i) => `summary ${i + 1}\n`).join('');
  expect(tried).toEqual({ status, stdout: summaries, stderr: `message ${attempts}\n` });
  expect(readFileSync(join(folder, 'slept'), 'utf8')).toBe('30\n'.repeat(attempts - 1));
});

test('every recipe of a build tries again, except those of shards', () => {
  for (const name of ['playbill.cron', 'playbill.service', 'github-workflow.yml'])
    expect(recipe(name)).toMatch(/retry\.sh \S*(playbill|node \S+) build$/m);
  for (const name of ['cronjob.yaml', 'cronjob-bucket.yaml'])
    expect(recipe(name)).toMatch(/command: \[sh, \S+retry\.sh, node, \S+\]\n +args: \[build\]\n/);
});

describe('systemd', () => {
  const service = recipe('playbill.service');
  const check = recipe('playbill-status.service');

  /** Runs the command of a service, with a folder in the place of /var/lib/playbill. */
  const start = (text: string, state: string): Promise<Ran> => {
    const words = (/^ExecStart=(.*)$/m.exec(text)?.[1] ?? '')
      .replace('/usr/local/bin/playbill', join(bin, 'playbill'))
      .replace('/usr/local/lib/playbill/', RECIPES)
      .split(' ');
    return run(words, { PATH: '/usr/bin:/bin', ...settingsOf(state) }, { cwd: '/' });
  };

  /** `systemd-analyze verify` on both units, with a program that is there. */
  const verify = async (text: string): Promise<Ran> => {
    const folder = temporaryFolder();
    const built = text.replaceAll('/usr/local/bin/playbill', join(bin, 'playbill'));
    writeFileSync(join(folder, 'playbill.service'), built.replaceAll('/usr/local/lib/playbill/', RECIPES));
    const checked = check.replaceAll('/usr/local/bin/playbill', join(bin, 'playbill'));
    writeFileSync(join(folder, 'playbill-status.service'), checked.replace('#OnFailure', 'OnFailure'));
    const timers = ['playbill.timer', 'playbill-status.timer'];
    for (const name of timers) writeFileSync(join(folder, name), recipe(name));
    const units = ['playbill.service', 'playbill-status.service', ...timers].map((name) => join(folder, name));
    return run(['systemd-analyze', 'verify', ...units], { PATH: '/usr/bin:/bin' });
  };

  test('systemd finds nothing wrong with the units', async () => {
    expect(await verify(service)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('it would', async () => {
    const { stderr } = await verify(service.replace('ProtectHome=yes', 'ProtectHome=perhaps\nProtectMoon=yes'));
    expect(stderr).toContain('perhaps');
    expect(stderr).toContain('ProtectMoon');
  });

  test.each([service, check])('the service can do little but its work: %#', async (text) => {
    const folder = temporaryFolder();
    const unit = join(folder, 'playbill.service');
    writeFileSync(unit, text);
    const words = ['systemd-analyze', 'security', '--offline=true', '--threshold=25', unit];
    const { status, stdout } = await run(words, { PATH: '/usr/bin:/bin' });
    expect(status, stdout).toBe(0);
    // Node.js compiles as it runs: under this it would not start.
    expect(text).not.toMatch(/^MemoryDenyWriteExecute/m);
    expect(text).toMatch(/^#OnFailure=/m);
  });

  /** When a timer elapses after an instant on a machine in a time zone, in milliseconds. */
  const ticks = async (name: string, after: string, count: number, zone: string): Promise<number[]> => {
    const calendar = /^OnCalendar=(.*)$/m.exec(recipe(name))?.[1] ?? '';
    const base = `--base-time=${after.replace('T', ' ').replace('Z', ' UTC')}`;
    const words = ['systemd-analyze', 'calendar', base, `--iterations=${count}`, calendar];
    const { stdout } = await run(words, { PATH: '/usr/bin:/bin', TZ: zone });
    // A line in UTC stands below one in local time, unless they are the same.
    const marked = /^ *\(in UTC\):/m.test(stdout) ? /\(in UTC\): \w+ (\S+) (\S+) UTC$/gm : /: \w+ (\S+) (\S+) UTC$/gm;
    return Array.from(stdout.matchAll(marked), ([, day, time]) => Date.parse(`${day}T${time}Z`));
  };

  test.each([
    ['playbill.timer', '09:05:00', '09:10:00'],
    ['playbill-status.timer', '09:02:00', '09:17:00'],
  ])('%s ticks when it should', async (name, first, second) => {
    const expected = [first, second].map((time) => Date.parse(`2026-05-01T${time}Z`));
    expect(await ticks(name, NOW, 2, 'UTC')).toEqual(expected);
    // Half an hour and three quarters apart from UTC.
    expect(await ticks(name, NOW, 2, 'Asia/Kolkata')).toEqual(expected);
    expect(await ticks(name, NOW, 2, 'Asia/Kathmandu')).toEqual(expected);
  });

  test.each([
    ['Europe/Berlin', 'back', '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', 'forward', '2026-03-29T00:30:00Z'],
    ['America/New_York', 'back', '2026-11-01T05:30:00Z'],
    ['Australia/Lord_Howe', 'back', '2026-04-04T14:30:00Z'],
  ])('the timers skip nothing in %s while clocks are set %s', async (zone, _, from) => {
    for (const [name, minutes] of [
      ['playbill.timer', 5],
      ['playbill-status.timer', 15],
    ] as const) {
      const count = 120 / minutes;
      const found = await ticks(name, from, count, zone);
      const gaps = found.slice(1).map((tick, i) => (tick - (found[i] ?? 0)) / 60_000);
      expect([name, gaps]).toEqual([name, Array.from({ length: count - 1 }, () => minutes)]);
    }
  });

  test('its command builds, and its exit code 5 is no failure', async () => {
    const state = stateFolder();
    const command = /^ExecStart=(.*)$/m.exec(service)?.[1] ?? '';
    expect(command).toMatch(/^\/usr\/local\/lib\/playbill\/retry\.sh \/usr\/local\/bin\/playbill build$/);
    const built = await start(service, state);
    expect(built, built.stderr).toMatchObject({ status: 0, stderr: '' });
    expect([...filesOf(state).keys()]).toContain('out/releases/current');
    expect(uncompressedEditions(join(state, 'out'))).toEqual([]);
    expect(service).toMatch(/^SuccessExitStatus=5$/m);

    expect(await start(check, state)).toMatchObject({ status: 0, stderr: '' });
    writeFileSync(join(state, 'out/public/fronts/alpha/pointer.json'), '');
    expect(await start(check, state)).toMatchObject({ status: 1 });
  });

  test('a build that loses more than a fifth of a front’s cards is held back, in every recipe', () => {
    const share = /"guards": ?\{ ?"maxShrink": ?"20%" ?\}/;
    for (const name of ['playbill.json', 'cronjob.yaml', 'cronjob-bucket.yaml', 'shards.yaml', 'github-workflow.yml'])
      expect(recipe(name), name).toMatch(share);
  });
});
