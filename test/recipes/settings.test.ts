// One file of settings, and every way to start a build: the same release, whoever starts it and
// from whichever folder.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { manifestIn } from '../support/manifests.ts';
import { Command } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { cronJobOf, recipe, RECIPES, run, withSettings, type Ran } from '../support/recipe.ts';
import { catalogueAt, filesOf, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const state = temporaryFolderOfFile();
const out = join(state, 'out');
const bin = new Command().folderForPath;
const playbill = join(bin, 'playbill');
const PATH = `${bin}:/usr/bin:/bin`;
/** More than the defaults, so that a build without them would be another. */
const settings = recipe('playbill.json').replace('"6h"', '"24h"').replace('["gzip"]', '["gzip", "br"]');

beforeAll(() => {
  const small = { fronts: ['alpha', 'bravo'], productsPerFront: 2, sessionsPerProduct: 2, edition: 'one' };
  catalogueAt(join(state, 'catalogue.sqlite'), smallCatalogue(small));
});

/** A line of a recipe, with the programs where the test has them. */
const here = (line: string): string =>
  line
    .replaceAll('/usr/local/bin/playbill', playbill)
    .replaceAll(/\/usr\/local\/lib\/playbill\/|\/app\/scripts\/recipes\//g, RECIPES)
    .replaceAll('node /app/dist/cli/main.js', playbill);

const lineOf = (text: string, pattern: RegExp): string => here(pattern.exec(text)?.[1] ?? '');

/** Ways to start a build, each the words that whoever starts it runs. */
const STARTED_BY: Readonly<Record<string, () => readonly string[]>> = {
  hand: () => [playbill, 'build', '--now', NOW],
  'hand, in a shell': () => ['/bin/sh', '-c', `playbill build --now ${NOW}`],
  cron: () => ['/bin/sh', '-c', `${lineOf(recipe('playbill.cron'), /^\*\/5 .* playbill {2}(.*)$/m)} --now ${NOW}`],
  systemd: () => [...lineOf(recipe('playbill.service'), /^ExecStart=(.*)$/m).split(' '), '--now', NOW],
  'the container': () => {
    const [, entry = '[]'] = /^ENTRYPOINT (.*)$/m.exec(recipe('Containerfile')) ?? [];
    const [, typed = ''] = /^podman run .* playbill (build)$/m.exec(recipe('README.md')) ?? [];
    return [...here((JSON.parse(entry) as string[]).join(' ')).split(' '), typed, '--now', NOW];
  },
  Kubernetes: () => {
    const text = recipe('cronjob.yaml');
    const words = [/^ +command: \[(.*)\]$/m, /^ +args: \[(.*)\]$/m].map((pattern) => pattern.exec(text)?.[1] ?? '');
    return [...here(words.join(', ').split(', ').join(' ')).split(' '), '--now', NOW];
  },
  'shards of a shell': () => [join(RECIPES, 'shards.sh'), '2', '--now', NOW],
};

const start = (words: readonly string[], environment: Readonly<Record<string, string>>, cwd = '/'): Promise<Ran> =>
  run(words, { PATH, ...environment }, { cwd });

test('with one file, every way to start a build gives the same release', async () => {
  const found = withSettings(settings, temporaryFolder(), { '/var/lib/playbill': state });
  const trees = new Map<string, ReadonlyMap<string, string>>();
  for (const [name, words] of Object.entries(STARTED_BY)) {
    rmSync(out, { recursive: true, force: true });
    const started = await start(words(), found);
    expect([name, started.status, started.stderr]).toEqual([name, 0, '']);
    const files = [...filesOf(out)].filter(([path]) => !path.startsWith('runs/'));
    trees.set(name, new Map(files));
    expect(manifestIn(out)).toMatchObject({ horizonSeconds: 86_400, precompress: ['br', 'gzip'] });
  }
  const byHand = trees.get('hand');
  for (const [name, files] of trees) expect([name, files]).toEqual([name, byHand]);
});

test('without it, a build that would publish less is refused, with the line to type', async () => {
  rmSync(out, { recursive: true, force: true });
  const found = withSettings(settings, temporaryFolder(), { '/var/lib/playbill': state });
  expect(await start(STARTED_BY['hand']?.() ?? [], found)).toMatchObject({ status: 0 });
  const before = filesOf(out);
  const places = { PLAYBILL_DB: join(state, 'catalogue.sqlite'), PLAYBILL_OUT: out };
  for (const words of Object.values(STARTED_BY)) {
    const { status, stdout, stderr } = await start(words(), places);
    expect([words(), status]).toEqual([words(), 2]);
    // cron mails what is printed.
    expect(stdout + stderr).toContain(
      'type --horizon 1d --precompress gzip,br to keep it, or --horizon 6h --precompress none',
    );
  }
  expect(filesOf(out)).toEqual(before);
  const typed = [playbill, 'build', '--now', NOW, '--horizon', '1d', '--precompress', 'gzip,br'];
  expect(await start(typed, places)).toMatchObject({ status: 0 });
});

test('the settings of every recipe are of the same form, and none of them lets a build do less than the others', () => {
  const files = ['cronjob.yaml', 'cronjob-bucket.yaml', 'shards.yaml'].map((name) => cronJobOf(recipe(name)).settings);
  for (const text of [recipe('playbill.json'), ...files])
    expect(JSON.parse(text)).toMatchObject({ horizon: '6h', precompress: ['gzip'], guards: { maxShrink: '20%' } });
});
