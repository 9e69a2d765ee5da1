// playbill.json as a person uses it: which file is read, what has precedence, what each key sets,
// and what `config` says of it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { configResultSchema } from '../../src/contract/results/config.ts';
import type { CommandContext } from '../../src/cli/context.ts';
import { ALL_SETTINGS, flagOf, type Setting } from '../../src/cli/settings/settings.ts';
import { compiledCommand } from '../support/compiled.ts';
import { inFolder, settingsFolder } from '../support/cli/settings.ts';
import { outputOf } from '../support/cli/run.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();

const environmentOf =
  (values: Readonly<Record<string, string>>): CommandContext['environment'] =>
  (name) =>
    values[name];

/** What `config` says, by key. */
async function listed(words: readonly string[], changes: Partial<CommandContext>) {
  const { code, printed, logged } = await outputOf(['config', '--json', ...words], changes);
  expect(code, logged).toBe(0);
  const { settings, ...rest } = configResultSchema.parse(JSON.parse(printed));
  return { ...rest, of: (key: string) => settings.find((one) => one.key === key) };
}

describe('which file', () => {
  const here = settingsFolder({ horizon: '1h' }, join(root, 'here'));
  const system = settingsFolder({ horizon: '2h' }, join(root, 'system'));
  const named = join(settingsFolder({ horizon: '3h' }, join(root, 'named')), 'playbill.json');
  const other = join(settingsFolder({ horizon: '4h' }, join(root, 'other')), 'playbill.json');
  const both = [here, system].map((folder, i) => ({ folder, mayRunCommands: i === 1 }));
  const set = { environment: environmentOf({ PLAYBILL_CONFIG: other }) };

  test.each<readonly [string, readonly string[], Partial<CommandContext>, string | null]>([
    ['--config', ['--config', named], { settingsFolders: both, ...set }, '3h'],
    ['PLAYBILL_CONFIG', [], { settingsFolders: both, ...set }, '4h'],
    ['that of the current folder', [], { settingsFolders: both }, '1h'],
    ['that of the system', [], { settingsFolders: both.slice(1) }, '2h'],
    ['none', [], { settingsFolders: [] }, '6h'],
    ['an empty variable names none', [], { settingsFolders: both, environment: () => '' }, '1h'],
  ])('%s', async (_, words, changes, horizon) => {
    expect((await listed(words, changes)).of('horizon')?.value).toBe(horizon);
  });

  test('config says which is read, and which is not', async () => {
    const { file, ignored } = await listed([], { settingsFolders: both });
    expect([file, ignored]).toEqual([join(here, 'playbill.json'), [join(system, 'playbill.json')]]);
    const { printed } = await outputOf(['config'], { settingsFolders: both });
    expect(printed).toContain(`\nFile: ${join(here, 'playbill.json')}\nNot read: ${join(system, 'playbill.json')}`);
  });

  test('two are refused', async () => {
    const { code, logged } = await outputOf(['config', '--config', named, '--config', other]);
    expect([code, logged]).toEqual([2, expect.stringContaining(`expected one file, found two: ${named} and ${other}`)]);
  });
});

test('a flag has precedence over the environment, that over the file, that over the default', async () => {
  const folder = settingsFolder({ db: '/file/db', out: '/file/out' });
  const settingsFolders = [{ folder, mayRunCommands: false }];
  const environment = environmentOf({ PLAYBILL_OUT: '/variable/out' });
  const file = join(folder, 'playbill.json');
  const sources = async (words: readonly string[], changes: Partial<CommandContext>) => {
    const { of } = await listed(words, changes);
    return ['db', 'out', 'horizon'].map((key) => [of(key)?.value, of(key)?.source]);
  };
  expect(await sources([], {})).toEqual([
    ['data/catalogue.sqlite', 'default'],
    ['out', 'default'],
    ['6h', 'default'],
  ]);
  expect(await sources([], { settingsFolders })).toEqual([
    ['/file/db', `${file}:2`],
    ['/file/out', `${file}:3`],
    ['6h', 'default'],
  ]);
  expect(await sources([], { settingsFolders, environment })).toEqual([
    ['/file/db', `${file}:2`],
    ['/variable/out', 'PLAYBILL_OUT'],
    ['6h', 'default'],
  ]);
  expect(await sources(['--out', '/flag/out', '--horizon', '90m'], { settingsFolders, environment })).toEqual([
    ['/file/db', `${file}:2`],
    ['/flag/out', 'flag'],
    ['90m', 'flag'],
  ]);
});

describe('every setting', () => {
  /** A value as in the file, as it is typed behind its flag. */
  const typed = ({ example, form, term }: Setting): readonly string[] => {
    if (form === 'switch') return [];
    return form === 'list' && term.includes('...') ? (example as readonly string[]) : [[example].flat().join(',')];
  };
  const nested = ({ key, example }: Setting): object =>
    key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), example) as object;

  test.each(ALL_SETTINGS.map((setting) => [setting.key, setting] as const))(
    '%s means the same in the file and behind its flag',
    async (key, setting) => {
      const settingsFolders = [{ folder: settingsFolder(nested(setting)), mayRunCommands: true }];
      const inFile = (await listed([], { settingsFolders })).of(key);
      const behindFlag = (await listed([flagOf(setting), ...typed(setting)], {})).of(key);
      expect(inFile?.source).toMatch(/playbill\.json:\d+$/);
      expect(behindFlag?.source).toBe('flag');
      const folder = settingsFolders[0]?.folder ?? '';
      const here = (value: unknown): unknown => (typeof value === 'string' ? value.replace(`${folder}/`, '') : value);
      expect(here(inFile?.value)).toEqual(behindFlag?.value);
    },
  );

  test.each(
    ALL_SETTINGS.flatMap(({ key, pattern, preset, example }) =>
      pattern === undefined ? [] : [[key, pattern, [preset, example].flat()] as const],
    ),
  )('the pattern for editors lets what is right pass: %s', (_, pattern, texts) => {
    for (const text of texts) if (text !== undefined) expect(text).toMatch(new RegExp(pattern));
  });
});

test('paths in the file are relative to the file, addresses are not paths', async () => {
  const folder = settingsFolder({ db: 'data/c.sqlite', out: 's3://bucket/tree', prometheus: '../p.prom' });
  const { of } = await listed(['--config', join(folder, 'playbill.json')], {});
  expect(of('db')?.value).toBe(join(folder, 'data/c.sqlite'));
  expect(of('out')?.value).toBe('s3://bucket/tree');
  expect(of('prometheus')?.value).toBe(join(folder, '../p.prom'));
  const server = settingsFolder({
    db: 'postgres://box@db.example/tickets',
    out: '/srv/out',
    edge: { keyRing: 'KEYRING' },
  });
  const addresses = await listed(['--config', join(server, 'playbill.json')], {});
  expect(addresses.of('db')?.value).toBe('postgres://box@db.example/tickets');
  expect(addresses.of('out')?.value).toBe('/srv/out');
  expect(addresses.of('edge.keyRing')?.value).toBe('KEYRING');
});

test('config shows of a hook only where it goes', async () => {
  const at = (onPublish: string) => [{ folder: settingsFolder({ onPublish }), mayRunCommands: true }];
  const url = await listed([], { settingsFolders: at('https://hooks.example/T0/B0/x1y2') });
  expect(url.of('onPublish')?.value).toBe('https://hooks.example/…');
  const command = await listed([], { settingsFolders: at('purge x1y2') });
  expect(command.of('onPublish')?.value).toBe('a command');
});

describe('what is wrong is refused, with its line', () => {
  const refusal = async (text: string) => {
    const folder = settingsFolder(text);
    // Whatever the command.
    const { code, logged } = await inFolder(folder, ['status', '--out', '/nowhere']);
    expect(code).toBe(2);
    return logged.replaceAll(`${folder}/`, '');
  };

  test.each([
    [
      'an unknown key',
      '{\n  "horizn": "6h"\n}',
      ':2: expected a key of the settings, found "horizn"',
      'did you mean "horizon"?',
    ],
    ['one in another place', '{ "maxShrink": "20%" }', ':1: expected a key', 'did you mean "maxShrink" in "guards"?'],
    ['one as its flag is written', '{ "read-timeout": "1m" }', ':1: expected a key', 'did you mean "readTimeout"?'],
    [
      'one in a group',
      '{\n"edge": {\n"maxAgee": "1m" } }',
      ':3: expected a key of the settings, found "edge.maxAgee"',
      '"maxAge" in "edge"?',
    ],
    ['one of a later version', '{ "carousel": true }', ':1: expected a key', 'a later version than test may know it'],
    ['a name of objects', '{ "__proto__": {} }', ':1: expected a key of the settings, found "__proto__"', 'remove it'],
    ['a number', '{ "horizon": 24 }', ':1: horizon: expected text, found 24', 'for example "horizon": "24h"'],
    ['null', '{ "out": null }', ':1: out: expected text, found null', 'for example "out"'],
    ['no text', '{ "out": " " }', ':1: out: expected text, found ""', 'for example "out"'],
    [
      'another unit',
      '{ "horizon": "1 day" }',
      ':1: horizon: expected a duration such as',
      'for example "horizon": "24h"',
    ],
    [
      'a share over one',
      '{ "guards": { "maxBad": "120%" } }',
      ':1: guards.maxBad: expected a percentage',
      '"maxBad": "1%"',
    ],
    [
      'a text for a list',
      '{ "precompress": "gzip" }',
      ':1: precompress: expected a list of gzip, br',
      '"precompress": ["gzip"]',
    ],
    [
      'another word in a list',
      '{ "precompress": ["zstd"] }',
      ':1: precompress: expected a list of gzip, br',
      'found ["zstd"]',
    ],
    [
      'a text for a number',
      '{ "keep": { "last": "10" } }',
      ':1: keep.last: expected a whole number from 1 to 9999, found "10"',
      '"last": 10',
    ],
    [
      'a number too small',
      '{ "keep": { "last": 0 } }',
      ':1: keep.last: expected a whole number from 1 to 9999, found 0',
      '"last": 10',
    ],
    [
      'a fraction',
      '{ "keep": { "daily": 0.5 } }',
      ':1: keep.daily: expected a whole number from 0 to 9999, found 0.5',
      '"daily": 7',
    ],
    ['a word for true', '{ "s3VirtualHosts": "yes" }', ':1: s3VirtualHosts: expected true or false', 'found "yes"'],
    [
      'another target',
      '{ "edge": { "target": "apache" } }',
      ':1: edge.target: expected one of nginx, ',
      'found "apache"',
    ],
    [
      'a text for a group',
      '{ "guards": "20%" }',
      ':1: guards: expected an object, found "20%"',
      '"guards": { "maxShrink"',
    ],
    ['a list', '[]', ':1: expected an object, found []', 'for example {'],
    [
      'another scheme',
      '{ "onPublish": "ftp://x" }',
      ':1: onPublish: expected a command or a URL, found a URL with the scheme ftp',
      'https://',
    ],
    [
      'the address of a document',
      '{ "edge": { "url": "https://x/products/" } }',
      ':1: edge.url: expected the URL of the edge',
      '"url": ',
    ],
    ['a key twice', '{\n"out": "a",\n"out": "b" }', ':3: expected out once, found it twice', 'remove one'],
    ['a comma too many', '{ "out": "a",\n}', ':2: expected a key in quotes, found "}"', 'no comma after the last'],
    ['a comment', '{\n// the tree\n"out": "a" }', ':2: expected a key in quotes, found "/"', 'no comments'],
    ['no end', '{ "out": "a"', ':1: expected "," or "}", found the end of the file', 'JSON'],
    ['nothing', '', ':1: expected a value, found the end of the file', 'JSON'],
    ['YAML', 'out: tree\n', ':1: expected a value, found a word', 'JSON'],
    ['a password', '{ "db": "postgres://box:hunter2@db/tickets" }', ':1: db: expected no secret', 'PGPASSWORD'],
    [
      'a password in a parameter',
      '{ "db": "postgres://db/t?pass%77ord=hunter2" }',
      ':1: db: expected no secret',
      'PGPASSWORD',
    ],
    [
      'a token in an option',
      '{ "db": "postgres://db/t?options=-capp%2Etoken%3Dhunter2" }',
      ':1: db: expected no secret',
      'PGPASSWORD',
    ],
    [
      'a key of a store',
      '{ "out": "s3://AKID:hun/ter2@shop/tree" }',
      ':1: out: expected no secret',
      'AWS_SECRET_ACCESS_KEY',
    ],
    [
      'a user of a hook',
      '{ "onPublish": "https://me:hunter2@x/" }',
      ':1: onPublish: expected no secret',
      'environment variable',
    ],
    [
      'a token of a hook',
      '{ "onPublish": "https://x/?token=hunter2" }',
      ':1: onPublish: expected no secret',
      'environment variable',
    ],
    [
      'a secret in a command',
      '{ "onPublish": "API_KEY=hunter2 purge" }',
      ':1: onPublish: expected no secret',
      'environment variable',
    ],
    [
      'a variable of ours for a token',
      '{ "onPublishTokenEnv": "PLAYBILL_DB" }',
      ':1: onPublishTokenEnv: expected the name',
      '"PLAYBILL_HOOK_TOKEN"',
    ],
  ])('%s', async (_, text, message, hint) => {
    const logged = await refusal(text);
    expect(logged).toMatch(/^error settings-invalid: playbill\.json:\d+: /);
    expect(logged).toContain(`playbill.json${message}`);
    expect(logged).toContain(hint);
    expect(logged).not.toContain('hunter2');
  });

  test('all of it at once', async () => {
    const logged = await refusal('{\n"horizn": "6h",\n"precompress": "gzip",\n"readTimeout": "soon"\n}');
    expect(logged.split('\n').map((line) => /playbill\.json:(\d)/.exec(line)?.[1])).toEqual(['2', '3', '4', undefined]);
  });

  test('a command that names a variable has no secret in it', async () => {
    const folder = settingsFolder({ onPublish: 'curl -d @- "https://x/?token=$TOKEN" --key "$KEY" user@host' });
    expect((await inFolder(folder, ['config'])).code).toBe(0);
  });
});

test.each([
  ['a file that is not there', 'missing.json', 'found none', 'playbill config init --config '],
  ['a folder', '.', 'something that is not a file', 'check the path'],
  ['other bytes', 'latin.json', 'bytes that are not UTF-8', 'check the path'],
])('%s cannot be named', async (_, name, found, hint) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'latin.json'), Buffer.from('{"out":"\xe9"}', 'latin1'));
  const path = join(folder, name);
  for (const [words, environment, by] of [
    [['--config', path], () => undefined, '--config'],
    [[], environmentOf({ PLAYBILL_CONFIG: path }), 'PLAYBILL_CONFIG'],
  ] as const) {
    const { code, logged } = await outputOf(['status', ...words], { environment });
    expect([code, logged]).toEqual([
      2,
      expect.stringContaining(`error settings-unreadable: ${by}: expected a file of settings at ${path}`),
    ]);
    expect(logged).toContain(found);
    expect(logged).toContain(hint);
  }
});

test('an error about a path of the file says where it stands', async () => {
  const folder = settingsFolder({ db: 'missing.sqlite', out: 'missing' });
  const file = join(folder, 'playbill.json');
  const checked = await inFolder(folder, ['check-db']);
  expect(checked.logged).toMatch(/^error database-missing: /);
  expect(checked.logged).toContain(`\n  ${join(folder, 'missing.sqlite')} is db in ${file}:2\n`);
  const shown = await inFolder(folder, ['status', '--json']);
  expect(JSON.parse(shown.printed)).toMatchObject({
    error: { code: 'tree-missing', details: [`${join(folder, 'missing')} is out in ${file}:3`] },
  });
  expect((await inFolder(folder, ['status', '--out', join(folder, 'other')])).logged).not.toContain(' in ');
});

describe('in the current folder, by a process of its own', () => {
  /** Until it has ended, or says `until`, and then by Ctrl-C. */
  async function runIn(folder: string, words: readonly string[], until?: string): Promise<string> {
    const child = spawn(process.execPath, [compiledCommand(), ...words], { cwd: folder });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (until !== undefined && said.includes(until)) child.kill('SIGINT');
      });
    const [code] = (await once(child, 'close')) as [number | null];
    return `${said}(exit ${code})`;
  }

  test('playbill.json is found', async () => {
    const folder = settingsFolder({ horizon: '1h' });
    expect(await runIn(folder, ['config'])).toMatch(/^horizon +1h +playbill\.json:2$/m);
    expect(await runIn(folder, ['status'])).toContain('a tree at out, found nothing');
  });

  test('import and demo have a catalogue of their own', async () => {
    const folder = settingsFolder({ db: 'live.sqlite', out: 'live', horizon: '1h', onPublish: 'touch taken' });
    const venue = '{"table":"venues","row":{"id":1,"name":"Stage","timezone":"Europe/Berlin"}}\n';
    writeFileSync(join(folder, 'rows.ndjson'), venue);
    expect(await runIn(folder, ['import', 'rows.ndjson'])).toMatch(/into data\/catalogue\.sqlite, [^]*\(exit 0\)$/);
    // Nobody has named the file: a build that read it would be refused.
    expect(await runIn(folder, ['build'])).toMatch(/^error settings-unsafe: [^]*\(exit 2\)$/);
    const demo = await runIn(folder, ['demo', '--to', 'demo', '--port', '0'], 'Ctrl-C ends it');
    expect(demo).toMatch(/, horizon 6h; [^]*\(exit 0\)$/);
    expect(readdirSync(folder).toSorted()).toEqual(['data', 'demo', 'playbill.json', 'rows.ndjson']);
  });
});
