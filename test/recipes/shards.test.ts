// The recipes for builds in shards: a loop of the shell, an array of Slurm, and a Job of
// Kubernetes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { Command } from '../support/fault/command.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { startMemoryStore } from '../support/objects/memory-store.ts';
import { cronJobOf, recipe, RECIPES, run, withSettings, type Ran } from '../support/recipe.ts';
import { releasedFilesOf } from '../support/shards.ts';
import { Slurm } from '../support/slurm.ts';
import { catalogueAt, pointerOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';
const FRONTS = ['alpha', 'bravo', 'charlie', 'delta'];
const folder = temporaryFolderOfFile();
/** A fresh folder, which tests that run at once can have. */
const newFolder = (): string => mkdtempSync(join(folder, 'own-'));
const command = new Command();
const bin = command.folderForPath;
let database: string;
/** What a build of its own gives. */
let expected: ReadonlyMap<string, string>;

beforeAll(async () => {
  const small = { fronts: FRONTS, productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' };
  database = catalogueAt(join(folder, 'catalogue.sqlite'), smallCatalogue(small));
  const single = await command.run(['build', '--db', database, '--out', join(folder, 'single'), '--now', NOW]);
  expect(single.code, single.stderr).toBe(0);
  expected = releasedFilesOf(join(folder, 'single'));
});

function recipeIn(
  out: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const [name = '', ...rest] = words;
  return run(
    [join(RECIPES, name), ...rest],
    { PATH: `${bin}:/usr/sbin:/usr/bin:/bin`, PLAYBILL_DB: database, PLAYBILL_OUT: out, ...environment },
    { cwd: folder },
  );
}

/**
 * A folder for $PATH in which the command ends with these codes where its words contain some, before
 * it does what it should, and in which nobody sleeps.
 */
function failingCommand(codes: Readonly<Record<string, readonly number[]>>) {
  const stubs = newFolder();
  const log = join(stubs, 'log');
  const cases = Object.entries(codes).flatMap(([words, ends]) =>
    ends.map((code, before) => `  *'${words}'*:${before}) exit ${code} ;;\n`),
  );
  const count = `grep -cF -- "$(printf '%s' "$*" | grep -oE ' [0-9]+/[0-9]+ ' || echo none)" '${log}'`;
  writeFileSync(
    join(stubs, 'playbill'),
    `#!/bin/sh\nbefore=$(${count} 2>/dev/null || :)\necho "$*" >> '${log}'\ncase "$*:\${before:-0}" in\n${cases.join('')}esac\nexec "${bin}/playbill" "$@"\n`,
    { mode: 0o755 },
  );
  writeFileSync(join(stubs, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
  const attempts = (words: string): number =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(words)).length;
  return { path: `${stubs}:/usr/sbin:/usr/bin:/bin`, attempts };
}

describe('the loop', () => {
  test.each([1, 3])('%i processes give the release of one', async (shards) => {
    const out = join(temporaryFolder(), 'out');
    const ran = await recipeIn(out, ['shards.sh', String(shards), '--now', NOW]);
    expect(ran, ran.stderr).toMatchObject({ status: 0, stderr: '' });
    expect(ran.stdout).toContain('Published 4 of 4 fronts');
    expect(releasedFilesOf(out)).toEqual(expected);
  });

  test('without --now all shards are of one instant', async () => {
    const out = join(temporaryFolder(), 'out');
    const ran = await recipeIn(out, ['shards.sh', '4']);
    expect(ran, ran.stderr).toMatchObject({ status: 0, stderr: '' });
    expect(new Set(FRONTS.map((front) => pointerOf(releasedFilesOf(out), front).now)).size).toBe(1);
  });

  test('a signal to it ends its shards too', async () => {
    const stub = temporaryFolder();
    const log = join(stub, 'log');
    writeFileSync(join(stub, 'playbill'), `#!/bin/sh\necho $$ >> '${log}'\nexec sleep 3600\n`, { mode: 0o755 });
    const child = spawn(join(RECIPES, 'shards.sh'), ['2'], { env: { PATH: `${stub}:/usr/bin:/bin` }, stdio: 'ignore' });
    const pidsOf = (): number[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(Number) : []);
    onTestFinished(() => {
      for (const pid of pidsOf()) if (existsSync(`/proc/${pid}`)) process.kill(pid);
    });
    await expect.poll(() => pidsOf().length).toBe(2);
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(143);
    await expect.poll(() => pidsOf().filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  test('a shard that is to be tried again is, three times in all; one that fails costs its own fronts', async () => {
    const out = join(temporaryFolder(), 'out');
    const { path, attempts } = failingCommand({ ' 1/4 ': [75, 75], ' 2/4 ': [75, 75, 75, 75], ' 3/4 ': [2] });
    const ran = await recipeIn(out, ['shards.sh', '4', '--now', NOW], { PATH: path });
    expect(ran.status, ran.stderr).toBe(3);
    expect([' 0/4 ', ' 1/4 ', ' 2/4 ', ' 3/4 '].map(attempts)).toEqual([1, 3, 3, 1]);
    expect([...releasedFilesOf(out).keys()].filter((file) => file.endsWith('pointer.json'))).toHaveLength(2);
  });

  test('shards that fail are said, and end it with finish’s code', async () => {
    const out = join(temporaryFolder(), 'out');
    const ran = await recipeIn(out, ['shards.sh', '2'], { PLAYBILL_DB: join(folder, 'none.sqlite') });
    expect(ran.status).toBe(2);
    expect(ran.stderr.match(/error database-missing/g)).toHaveLength(2);
    expect(ran.stderr).toContain('error run-missing');
  });
});

// At once: sbatch asks only every few seconds whether a job has ended.
describe.concurrent('Slurm', () => {
  let slurm: Slurm;
  beforeAll(async () => {
    slurm = await Slurm.start();
  }, 120_000);
  afterAll(() => slurm.stop(), 60_000);

  test('an array of four, and finish when all have ended', async () => {
    const out = join(newFolder(), 'out');
    const ran = await recipeIn(out, ['slurm-shards.sh', '4', '--now', NOW, '--max-shrink', '20%'], slurm.environment);
    expect(ran, ran.stderr).toMatchObject({ status: 0 });
    expect(releasedFilesOf(out)).toEqual(expected);
    const [, id] = /^finish was job (\d+) /m.exec(ran.stdout) ?? [];
    expect(readFileSync(join(folder, `slurm-${id}.out`), 'utf8')).toContain('Published 4 of 4 fronts');
  }, 300_000);

  test('a shard that fails costs its own fronts, and one that is to be tried again is', async () => {
    const out = join(newFolder(), 'out');
    const old = smallCatalogue({ fronts: FRONTS, productsPerFront: 1, sessionsPerProduct: 1, edition: 'old' });
    const environment = { PLAYBILL_DB: catalogueAt(join(newFolder(), 'old.sqlite'), old) };
    const published = await recipeIn(out, ['shards.sh', '1', '--now', '2026-05-01T08:00:00Z'], environment);
    expect(published.status, published.stderr).toBe(0);
    const { path, attempts } = failingCommand({ ' 2/4 ': [2], ' 1/4 ': [75, 75] });
    const ran = await recipeIn(out, ['slurm-shards.sh', '4', '--now', NOW], { ...slurm.environment, PATH: path });
    expect(ran.status, ran.stdout + ran.stderr).toBe(3);
    expect([attempts(' 1/4 '), attempts(' 2/4 ')]).toEqual([3, 1]);
    const nows = (): string[] => FRONTS.map((front) => pointerOf(releasedFilesOf(out), front).now);
    expect(nows()).toEqual([NOW, NOW, '2026-05-01T08:00:00Z', NOW]);
    // The one that failed, started by hand, and finish.
    const name = readdirSync(join(out, 'runs')).find((one) => /^\d+$/.test(one)) ?? '';
    const late = ['build', '--db', database, '--out', out, '--shard', '2/4', '--run', name, '--now', NOW];
    expect((await command.run(late)).code).toBe(0);
    expect((await command.run(['finish', '--out', out, '--run', name, '--shards', '4'])).code).toBe(0);
    expect(new Set(nows())).toEqual(new Set([NOW]));
  }, 300_000);

  test('one that is busy for ever is given up', async () => {
    const out = join(newFolder(), 'out');
    const { path, attempts } = failingCommand({ ' 0/2 ': [75, 75, 75, 75] });
    const ran = await recipeIn(out, ['slurm-shards.sh', '2', '--now', NOW], { ...slurm.environment, PATH: path });
    expect(ran.status, ran.stdout + ran.stderr).toBe(3);
    expect(attempts(' 0/2 ')).toBe(3);
  }, 300_000);

  test('finish’s own code is that of the script', async () => {
    const out = join(newFolder(), 'out');
    const guarded = catalogueAt(
      join(newFolder(), 'guarded.sqlite'),
      smallCatalogue({ fronts: FRONTS, productsPerFront: 1, sessionsPerProduct: 1, edition: 'guarded' }),
    );
    changeDatabase(guarded, 'update fronts set min_cards = 50 where id = 2');
    const environment = { ...slurm.environment, PLAYBILL_DB: guarded };
    const ran = await recipeIn(out, ['slurm-shards.sh', '2', '--now', NOW], environment);
    expect(ran.status, ran.stdout + ran.stderr).toBe(4);
  }, 300_000);
});

describe('Kubernetes', () => {
  const podSchema = z.object({
    containers: z.tuple([
      z.object({
        command: z.tuple([z.literal('sh'), z.literal('-c'), z.string()]),
        env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
      }),
    ]),
  });
  const jobSchema = z.object({
    completionMode: z.literal('Indexed'),
    completions: z.int(),
    parallelism: z.int(),
    backoffLimitPerIndex: z.int(),
    podReplacementPolicy: z.literal('Failed'),
    podFailurePolicy: z.object({
      rules: z.array(
        z.object({
          action: z.string(),
          onExitCodes: z
            .object({ containerName: z.string(), operator: z.string(), values: z.array(z.int()) })
            .optional(),
        }),
      ),
    }),
    template: z.object({ spec: podSchema }),
  });
  const job = z
    .object({ spec: z.object({ jobTemplate: z.object({ spec: jobSchema }) }) })
    .parse(cronJobOf(recipe('shards.yaml')).cronJob).spec.jobTemplate.spec;
  const [container] = job.template.spec.containers;

  test('its numbers of shards agree, and its exit codes are ours', () => {
    const [, , script] = container.command;
    const numbers = [...script.matchAll(/INDEX\/(\d+)|--shards (\d+)/g)].map(([, one, other]) => Number(one ?? other));
    expect(numbers).toEqual([job.completions, job.completions]);
    expect(job.parallelism).toBe(job.completions);
    const codes = job.podFailurePolicy.rules.map(({ action, onExitCodes }) => [action, onExitCodes?.values ?? []]);
    // 75 is in none of them: it counts as a failure of its index, of which there may be two.
    expect(job.backoffLimitPerIndex).toBe(2);
    expect(codes).toEqual([
      ['Ignore', []],
      ['FailJob', [EXIT.usage, EXIT.bug]],
      ['FailIndex', [EXIT.someFailed, EXIT.guarded]],
    ]);
  });

  test('its pods, one of them late, publish into a bucket', async () => {
    await using store = await startMemoryStore({ bucket: 'shop' });
    const { AWS_ENDPOINT_URL = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = store.environment;
    const given = container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
    const found = withSettings(cronJobOf(recipe('shards.yaml')).settings, temporaryFolder(), {
      '/catalogue/catalogue.sqlite': database,
    });
    const [sh, c, script] = container.command;
    const words = [sh, c, script.replace('node /app/dist/cli/main.js', join(bin, 'playbill'))];
    const pod = (index: number): Promise<Ran> =>
      run(words, {
        PATH: '/usr/bin:/bin',
        AWS_ENDPOINT_URL,
        AWS_ACCESS_KEY_ID,
        AWS_SECRET_ACCESS_KEY,
        ...Object.fromEntries(given),
        ...found,
        RUN: 'playbill-29012345',
        JOB_COMPLETION_INDEX: String(index),
      });
    const first = [0, 1, 2].map(pod);
    // The last one is begun when another has ended: index 0 waits for it.
    await first[1];
    const pods = await Promise.all([...first, pod(3)]);
    for (const one of pods) expect(one, one.stderr).toMatchObject({ status: 0, stderr: '' });
    expect(pods[0]?.stdout).toContain('Published 4 of 4 fronts');
    const keys = [...(await store.objects()).keys()];
    expect(keys.filter((key) => key.endsWith('pointer.json'))).toHaveLength(FRONTS.length);
    expect(keys.filter((key) => key.endsWith('.json.gz')).length).toBeGreaterThan(0);
    expect(keys.some((key) => key.startsWith('tree/runs/playbill-29012345/'))).toBe(true);
  });
});
