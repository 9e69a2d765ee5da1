// What reaches a terminal: tables that fit, colours only where they belong, and nothing from a
// catalogue that a terminal would obey.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import stringWidth from 'fast-string-width';
import { describe, expect, onTestFinished, test } from 'vitest';
import { escapeControls, escapeAllButColours, escapeLine } from '../../src/cli/output/escape.ts';
import { errorMessage, messageText } from '../../src/cli/output/messages.ts';
import { foldedText, stateCell, tableText } from '../../src/cli/output/table.ts';
import { findingText, styled, terminalOn } from '../../src/cli/output/terminal.ts';
import { AppError } from '../../src/errors.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { revokeKey, storeKey } from '../../src/database/write/front-keys.ts';
import { rollBackTree } from '../../src/operations/history.ts';
import { buildTree, catalogueAt, filesOf, instant, pointerOf, temporaryFolder } from '../support/trees.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';
import { compiledCommand } from '../support/compiled.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ESC = '\u001b';
const NASTY = `a${ESC}[2J${ESC}]0;title\u0007\r\u009b31m\u007f\u202eb\u2028c`;
const SHOWN = String.raw`a\u001b[2J\u001b]0;title\u0007\u000d\u009b31m\u007f\u202eb\u2028c`;

describe('escapeControls', () => {
  test.each([
    ['an ordinary name', 'Чайка, ‘Hamlet’ & 夏の夜', 'Чайка, ‘Hamlet’ & 夏の夜'],
    ['everything that a terminal obeys', NASTY, SHOWN],
    ['a line that would forge another', 'x\nerror everything', String.raw`x\u000aerror everything`],
    ['joiners and marks of scripts', 'می\u200cخواهم क्\u200dष \u200f', 'می\u200cخواهم क्\u200dष \u200f'],
    ['what nobody sees', '\u{e0041}\ufeff\u00ad\ud800', String.raw`\udb40\udc41\ufeff\u00ad\ud800`],
    ['a tab', 'a\tb', String.raw`a\u0009b`],
  ])('escapes in one line %s', (_, text, expected) => {
    expect(escapeLine(text)).toBe(expected);
  });

  test('several lines keep their ends and tabs, and JSON stays what it was', () => {
    expect(escapeControls('a\n\tb\n')).toBe('a\n\tb\n');
    const json = JSON.stringify({ name: NASTY });
    expect(escapeControls(json)).not.toMatch(/[\u0080-\u009f\u2028\u202e]/);
    expect(JSON.parse(escapeControls(json))).toEqual({ name: NASTY });
  });

  test('keeps only our own few colours, and only where we colour', () => {
    const text = `${ESC}[31merror${ESC}[0m ${ESC}[8mhidden${ESC}[2J`;
    expect(escapeAllButColours(text)).toBe(`${ESC}[31merror${ESC}[0m \\u001b[8mhidden\\u001b[2J`);
    expect(escapeControls(text)).not.toContain(ESC);
  });

  test('errors and findings are one line each, whatever they quote', () => {
    const finding = { severity: 'warning', code: 'unexpected', place: `x\n${NASTY}`, message: NASTY } as const;
    expect(findingText(finding, { isColoured: false })).toBe(`warning unexpected x\\u000a${SHOWN}: ${SHOWN}`);
    expect(findingText(finding, { isColoured: true }).startsWith(`${ESC}[33mwarning${ESC}[0m unexpected x`)).toBe(true);
    const error = new AppError('usage', `found "${NASTY}\n"`, NASTY);
    const lines = messageText(errorMessage(error)).split('\n');
    expect(lines).toEqual([`error usage: found "${SHOWN}\\u000a"`, `  hint: ${SHOWN}`]);
  });
});

describe('a terminal', () => {
  /**
   * What is written for a line of each kind, with both streams terminals or not, in an environment.
   */
  async function written(isTTY: boolean, environment: Readonly<Record<string, string>> = {}) {
    const [stdout, stderr] = [0, 1].map(() => Object.assign(new PassThrough(), { isTTY, columns: 80 }));
    if (stdout === undefined || stderr === undefined) throw new Error('no streams');
    const terminal = terminalOn(stdout, stderr, (name) => environment[name]);
    terminal.print(`${styled('x', 'bad', terminal)} ${NASTY}`);
    terminal.printExact(NASTY);
    terminal.log(NASTY);
    const bar = terminal.progress('loading');
    bar.show(1, 2);
    bar.end();
    const text = (stream: PassThrough): string => String(stream.read() ?? '');
    return { out: text(stdout), err: text(stderr) };
  }

  test('that is a pipe gets no colour, no bar, and documents byte for byte', async () => {
    expect(await written(false)).toEqual({ out: `x ${SHOWN}\n${NASTY}\n`, err: `${SHOWN}\n` });
    expect(await written(false, { FORCE_COLOR: '1' })).toEqual(await written(false));
  });

  test('gets colours and a bar, and nothing that it would obey', async () => {
    const { out, err } = await written(true);
    expect(out).toBe(`${ESC}[31mx${ESC}[0m ${SHOWN}\n${SHOWN}\n`);
    expect(err.startsWith(`${SHOWN}\n`)).toBe(true);
    expect(err).toContain('loading');
  });

  test.each([
    ['has no colours under NO_COLOR', { NO_COLOR: '1' }, false],
    ['has no colours under NO_COLOR, whatever FORCE_COLOR is', { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['has colours under an empty NO_COLOR', { NO_COLOR: '' }, true],
    ['has no colours where it is dumb', { TERM: 'dumb' }, false],
  ])('%s', async (_, environment, isColoured) => {
    expect((await written(true, environment)).out.startsWith(ESC)).toBe(isColoured);
  });
});

describe('tables', () => {
  const WIDTH = { columns: 80 };
  const header = ['front', 'cards', 'editions', 'next change', 'put', 'kept', 'state'];
  const row = (name: string, state = 'published') => [name, 35, '24+1', '2026-05-01 09:15Z', 25, 0, state];
  const longest = (text: string): number => Math.max(...text.split('\n').map((line) => stringWidth(line)));

  test('have columns that line up, with numbers to the right', () => {
    expect(tableText(header, [row('moscow'), row('kassa')], WIDTH)).toBe(
      [
        'front   cards  editions  next change        put  kept  state',
        'moscow     35  24+1      2026-05-01 09:15Z   25     0  published',
        'kassa      35  24+1      2026-05-01 09:15Z   25     0  published',
      ].join('\n'),
    );
  });

  test('put a name that is too long above its row, uncut', () => {
    const long = 'the-longest-code-that-a-front-can-have.of-sixty-three-characters';
    const text = tableText(header, [row('moscow'), row(long, 'file-size-wrong')], WIDTH);
    expect(text.split('\n').map((line) => line.slice(0, 12))).toEqual([
      'front   card',
      'moscow     3',
      'the-longest-',
      '           3',
    ]);
    expect(text).toContain(`\n${long}\n`);
    expect(longest(text)).toBeLessThanOrEqual(80);
  });

  test('leave the header its width where every name is too long', () => {
    const text = tableText(header, [row('x'.repeat(63)), row('y'.repeat(63))], WIDTH);
    expect(text.split('\n')[1]).toBe('x'.repeat(63));
    expect(longest(text)).toBeLessThanOrEqual(80);
  });

  test('become paragraphs where they are too wide', () => {
    const keys = ['keyid', 'front', 'alg', 'state', 'not before', 'not after'];
    const at = '2026-05-01T09:00:00Z';
    const text = tableText(
      keys,
      [['moscow-2026-05', 'f'.repeat(63), 'ecdsa-p256-sha256', 'not-yet-valid', at, at]],
      WIDTH,
    );
    expect(text).toBe(
      [
        'moscow-2026-05',
        `  front ${'f'.repeat(63)},`,
        '  alg ecdsa-p256-sha256, state not-yet-valid, not before 2026-05-01T09:00:00Z,',
        '  not after 2026-05-01T09:00:00Z',
      ].join('\n'),
    );
  });

  test('line up with names of other scripts, none of which breaks its line', () => {
    const text = tableText(
      ['name', 'n'],
      [
        ['夏の夜の夢', 1],
        ['Чайка', 2],
        ['é\u0301', 3],
        [`x\n${ESC}[2J`, 4],
      ],
      WIDTH,
    );
    expect(text.split('\n').map((line) => stringWidth(line))).toEqual([19, 19, 19, 19, 19]);
    expect(text.split('\n')).toHaveLength(5);
  });

  test('line up whatever the colour of a state, and show colours of a catalogue as text', () => {
    const styles = ['good', undefined, 'bad'] as const;
    const rows = (isColoured: boolean) =>
      styles.map((style, i) => [
        'x'.repeat(i + 1),
        stateCell(`s${'t'.repeat(3 - i)}`, style, { isColoured }),
        `${ESC}[31mn`,
      ]);
    const [plain, coloured] = [false, true].map((is) => tableText(['a', 'state', 'n'], rows(is), WIDTH));
    expect(plain).toBe(
      [
        'a    state  n',
        String.raw`x    sttt   \u001b[31mn`,
        String.raw`xx   stt    \u001b[31mn`,
        String.raw`xxx  st     \u001b[31mn`,
      ].join('\n'),
    );
    expect(coloured).toContain(`x    ${ESC}[32msttt${ESC}[0m   \\u001b[31mn\nxx   stt    `);
    expect(coloured?.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), '')).toBe(plain);
  });

  test('without rows are the header alone', () => {
    expect(tableText(['keyid', 'front'], [], WIDTH)).toBe('keyid  front');
  });

  test('fold the parts of a paragraph only where they must', () => {
    expect(foldedText('  ', ['a', 'b'], WIDTH)).toBe('  a, b');
    expect(foldedText('  ', ['x'.repeat(70), 'y'.repeat(20)], WIDTH)).toBe(`  ${'x'.repeat(70)},\n  ${'y'.repeat(20)}`);
    expect(foldedText('  ', ['x'.repeat(90)], WIDTH)).toBe(`  ${'x'.repeat(90)}`);
  });
});

describe('the command', () => {
  /** The words that run it with all streams on a terminal, and the environment for that. */
  function terminalRun(argv: readonly string[], environment: Readonly<Record<string, string>>, columns: number) {
    const line = [process.execPath, compiledCommand(), ...argv].map((word) => `'${word}'`).join(' ');
    const env: NodeJS.ProcessEnv = { ...process.env, TERM: 'xterm', ...environment };
    if (environment['NO_COLOR'] === undefined) delete env['NO_COLOR'];
    return { words: ['-qec', `stty cols ${columns}; exec ${line}`, '/dev/null'], env };
  }

  /** Runs it on a terminal, and gives what that terminal received. */
  function onTerminal(
    argv: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    columns = 80,
  ): string {
    const { words, env } = terminalRun(argv, environment, columns);
    const { stdout, error } = spawnSync('script', words, { cwd: root, env, encoding: 'utf8' });
    if (error !== undefined) throw error;
    // Whatever happens, nothing has to be restored: neither the cursor nor the wrapping of lines.
    expect(stdout).not.toContain(`${ESC}[?`);
    return stdout;
  }

  test('escapes hostile names from database and tree, and leaves long codes whole', async () => {
    const folder = temporaryFolder();
    const code = 'the-longest-code-that-a-front-can-have-of-sixty-three-charactrs';
    expect(code).toHaveLength(63);
    const rows = smallCatalogue({ fronts: [code, 'b'], productsPerFront: 1, sessionsPerProduct: 2, edition: 'x' });
    for (const { table, row } of rows) if (table === 'products') Object.assign(row, { name: NASTY });
    const database = catalogueAt(`${folder}/nasty.sqlite`, rows);
    const now = '2026-05-01T09:00:00Z';
    await buildTree(database, `${folder}/out`, instant(now));
    mkdirSync(`${folder}/out/public/fronts/b/x`);
    writeFileSync(`${folder}/out/public/fronts/b/error forged\n${ESC}[2J\u009b31m.json`, 'x');

    const built = await playbill(['build', '--db', database, '--out', `${folder}/new`, '--now', now]);
    const table = built.stdout.slice(0, built.stdout.indexOf('\n\n'));
    expect(table).toContain(`\n${code}\n`);
    for (const line of table.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
    expect(built.stderr).toBe('');

    const piped = await playbill(['verify', '--out', `${folder}/out`]);
    expect(piped.stdout).toContain(String.raw`error forged\u000a\u001b[2J\u009b31m.json`);
    expect(piped.stdout).not.toMatch(/^error/m);
    // A document in a pipe is the document; on a terminal it is shown.
    const show = ['show', '--out', `${folder}/out`, '--front', 'b', '--endpoint', 'products', '--at', now];
    expect((await playbillProcess(show)).stdout).toContain('\u009b31m');
    for (const argv of [['verify', '--out', `${folder}/out`], show, ['export', '--db', database]]) {
      const shown = onTerminal(argv);
      expect(shown, argv[0]).toContain(String.raw`\u009b31m`);
      for (const obeyed of ['\u009b', '\u202e', `${ESC}[2J`, `${ESC}]`]) expect(shown, argv[0]).not.toContain(obeyed);
    }
  });

  test('colours findings on a terminal but never under NO_COLOR, and shows its bar on a terminal only', async () => {
    const folder = temporaryFolder();
    const rows = smallCatalogue({ fronts: ['a'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' });
    const database = catalogueAt(`${folder}/a.sqlite`, rows);
    await buildTree(database, `${folder}/out`, instant('2026-05-01T09:00:00Z'));
    writeFileSync(`${folder}/out/public/fronts/a/stranger`, '');
    const verify = ['verify', '--out', `${folder}/out`];
    const shown = onTerminal(verify);
    expect(shown).toContain(`${ESC}[33mwarning${ESC}[0m unexpected`);
    // The bar was there, and gone before anything else was written: what is written behind it would
    // be wiped out with it.
    expect(shown).toContain('verifying');
    expect(shown.indexOf('warning')).toBeGreaterThan(shown.lastIndexOf(`${ESC}[2K`));
    expect(shown.indexOf('Checked')).toBeGreaterThan(shown.lastIndexOf(`${ESC}[2K`));
    const plain = onTerminal(verify, { NO_COLOR: '1' });
    expect(plain).toContain('warning unexpected');
    expect(plain).not.toMatch(new RegExp(`${ESC}\\[\\d*m`));
    const piped = await playbillProcess(verify, { FORCE_COLOR: '1' });
    expect(piped.stdout).not.toContain(ESC);
    expect(piped.stderr).toBe('');
  });

  test('counts the rows of an import and a check, until anything else is written; not under --quiet', async () => {
    const folder = temporaryFolder();
    const rows = Array.from({ length: 3000 }, (_, i) =>
      JSON.stringify({ table: 'venues', row: { id: i + 1, name: 'x', timezone: i === 2500 ? '+3' : 'Europe/Berlin' } }),
    );
    writeFileSync(`${folder}/rows.ndjson`, `${rows.join('\n')}\n`);
    const argvs = [
      ['import', `${folder}/rows.ndjson`, '--db', `${folder}/a.sqlite`, '--replace'],
      ['check-db', '--db', `${folder}/a.sqlite`],
    ];
    for (const argv of argvs) {
      const shown = onTerminal(argv);
      expect(shown).toContain(argv[0] === 'import' ? 'importing 1000 rows' : 'checking 0 rows');
      expect(shown).toContain(argv[0] === 'import' ? 'Imported 3000 rows' : 'zone-unknown');
      expect(shown.search(/error|Imported/)).toBeGreaterThan(shown.lastIndexOf(`${ESC}[2K`));
      expect(onTerminal([...argv, '--quiet'])).not.toMatch(/importing|checking/);
      expect((await playbillProcess(argv)).stderr).toBe('');
    }
  });

  test('colours states on a terminal but never under NO_COLOR: of fronts, releases, changes to come, keys', async () => {
    const folder = temporaryFolder();
    const rows = smallCatalogue({ fronts: ['a'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' });
    const database = catalogueAt(`${folder}/a.sqlite`, rows);
    const out = ['--out', `${folder}/out`];
    await buildTree(database, `${folder}/out`, instant('2026-05-01T09:00:00Z'));
    const key = { keyid: 'k1', front: 'a', alg: 'hmac-sha256', publicKey: null, secretRef: 'S' } as const;
    await storeKey(database, 'a', { ...key, notBefore: null, notAfter: null });
    const status = (at: string): string[] => ['status', ...out, '--at', `2026-05-01T${at}:00Z`];
    const [good, warning, bad] = [32, 33, 31].map((code) => (text: string) => `${ESC}[${code}m${text}${ESC}[0m`);
    if (good === undefined || warning === undefined || bad === undefined) throw new Error('three colours');
    const check = (argv: readonly string[], ...texts: readonly string[]): void => {
      const shown = onTerminal(argv);
      for (const text of texts) expect(shown, argv.join(' ')).toContain(text);
      const plain = onTerminal(argv, { NO_COLOR: '1' });
      expect(plain).not.toContain(ESC);
      expect(plain).toBe(shown.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), ''));
    };
    check(status('09:05'), good('fresh'));
    check(['releases', ...out], good('current'));
    check(['next', ...out, '--at', '2026-05-09T09:00:00Z'], bad('the snapshot has expired'));
    check(['keys', 'list', '--db', database], good('valid'));
    const { validUntil } = pointerOf(filesOf(`${folder}/out`), 'a');
    check(['status', ...out, '--at', new Date(Date.parse(validUntil) - 60_000).toISOString()], warning('expiring'));
    await rollBackTree(`${folder}/out`, 'current');
    check(['status', ...out, '--at', '2026-05-09T09:00:00Z'], `${warning('Held')} at release `, bad('expired'));
    check(['releases', ...out], `${warning('Held')} at release `);
    await revokeKey(database, 'k1', '2026-05-01T09:00:00Z');
    check(['keys', 'list', '--db', database], bad('revoked'));
  });

  test('makes its tables as wide as the terminal', async () => {
    const folder = temporaryFolder();
    const code = 'c'.repeat(63);
    const rows = smallCatalogue({ fronts: [code], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' });
    const database = catalogueAt(`${folder}/a.sqlite`, rows);
    await buildTree(database, `${folder}/out`, instant('2026-05-01T09:00:00Z'));
    const status = ['status', '--out', `${folder}/out`, '--at', '2026-05-01T09:05:00Z'];
    const widthOf = (text: string): number =>
      Math.max(
        ...text.split(/\r?\n/).map((line) => stringWidth(line.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), ''))),
      );
    for (const argv of [status, ['keys', 'list', '--db', database]]) {
      expect(onTerminal(argv, {}, 160), argv[0]).toMatch(new RegExp(`${code} .*(fresh|valid)`));
      expect(widthOf(onTerminal(argv)), argv[0]).toBeLessThanOrEqual(80);
      const { stdout } = await playbill(argv);
      expect(widthOf(stdout), argv[0]).toBeLessThanOrEqual(80);
    }
  });

  /** An import that shows progress before its last line. */
  function importOf(lastLine: string): string[] {
    const folder = temporaryFolder();
    const rows = Array.from({ length: 3000 }, (_, i) => ({ id: i + 1, name: 'x', timezone: 'UTC' }));
    const lines = rows.map((row) => JSON.stringify({ table: 'venues', row }));
    writeFileSync(`${folder}/rows.ndjson`, `${[...lines, lastLine].join('\n')}\n`);
    return ['import', `${folder}/rows.ndjson`, '--db', `${folder}/a.sqlite`];
  }

  test('shows no private key: keys issue wants a file, and issues nothing without', async () => {
    const folder = temporaryFolder();
    const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' });
    const database = catalogueAt(`${folder}/a.sqlite`, rows);
    const at = ['--front', 'alpha', '--db', database, '--out', `${folder}/out`];
    for (const flags of [[], ['--json'], ['--alg', 'ed25519']]) {
      const shown = onTerminal(['keys', 'issue', ...at, ...flags]);
      expect(shown).toContain('error usage: expected a file for the private half of the key, found a terminal');
      expect(shown).not.toMatch(/"(?:privateKey|d)":|PRIVATE KEY/);
    }
    const keys = async (): Promise<unknown> =>
      (JSON.parse((await playbill(['keys', 'list', '--json', '--db', database])).stdout) as { keys: unknown[] }).keys;
    const before = await keys();
    expect(onTerminal(['keys', 'issue', ...at, '--to', `${folder}/key.json`])).toContain(`${folder}/key.json`);
    expect(onTerminal(['keys', 'issue', ...at, '--alg', 'hmac-sha256', '--secret-ref', 'S'])).toContain('Issued ');
    expect(((await keys()) as unknown[]).length).toBe((before as unknown[]).length + 2);
  });

  test('sends no escape code to a dumb terminal', () => {
    const argv = importOf('');
    expect(onTerminal(argv, { TERM: 'dumb' })).not.toContain(ESC);
    expect(onTerminal(['check-db', ...argv.slice(2)], { TERM: 'dumb' })).not.toContain(ESC);
  });

  test('an error under a bar has a line of its own, and leaves the terminal as it was', () => {
    const shown = onTerminal(importOf('{'));
    expect(shown).toMatch(new RegExp(`importing \\d+ rows\\r${ESC}\\[2Kerror import-line-invalid: [^${ESC}]*$`));
  });

  test.each(['Ctrl-C', 'SIGTERM'] as const)('%s under a bar leaves the terminal as it was', async (how) => {
    const database = catalogueAt(`${temporaryFolder()}/endless.sqlite`, []);
    const handle = new Database(database);
    handle.pragma('foreign_keys = OFF');
    handle.exec(`DROP TABLE venues; CREATE VIEW venues AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT i AS id, '' AS name, '' AS city, 'UTC' AS timezone FROM n WHERE i < 0`);
    handle.close();
    const { words, env } = terminalRun(['check-db', '--db', database], {}, 80);
    const child = spawn('script', words, { cwd: root, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'close');
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
    await expect.poll(() => shown).toContain('checking ');
    if (how === 'Ctrl-C') child.stdin.write('\u0003');
    else process.kill(Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')), 'SIGTERM');
    expect(await ended).toEqual([how === 'Ctrl-C' ? 130 : 143, null]);
    expect(shown).not.toContain(`${ESC}[?`);
  });
});
