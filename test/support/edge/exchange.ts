// One exchange of a transcript against one runtime: fills in what the transcript leaves open,
// signs, sends, compares.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Runtime } from './runtimes/runtime.ts';
import { type SignedMessage, signBy, SIGNERS, signListed, signRaw } from './signers.ts';
import type { Exchange, Expectation } from './transcript.ts';
import { headerValues, type RawResponse } from './messages.ts';
import { editionContent, resolvePlaceholder, type World } from './world.ts';

const DEFAULT_COMPONENTS = ['@method', '@authority', '@path', 'x-front'];

/**
 * Runs an exchange, once per independent signer when a library signs it. Returns how many requests
 * were sent.
 */
export async function runExchange(exchange: Exchange, runtime: Runtime, world: World): Promise<number> {
  const isSigned = exchange.request.some((line) => line.startsWith('Sign: '));
  const signers = isSigned ? SIGNERS : SIGNERS.slice(0, 1);
  for (const signer of signers) {
    const lines = await prepareLines(exchange.request, runtime.now(), world, signer);
    const answer = await runtime.send(lines);
    const isHead = exchange.request[0]?.startsWith('HEAD ') ?? false;
    compare(answer, exchange.limits.get(runtime.name) ?? exchange.expected, isHead, world);
  }
  return signers.length;
}

/** The request's lines as they go out. `now`: what the client's clock says. */
export async function prepareLines(
  written: readonly string[],
  now: number,
  world: World,
  signer: (typeof SIGNERS)[number] = 'http-message-sig',
): Promise<readonly string[]> {
  const lines = written.map((line) => fillIn(line, now, world));
  const message = messageOf(lines.filter((line) => !/^Sign(?:-Raw \S+|-Headers)?: /.test(line)));
  const filled: string[] = [];
  for (const line of lines) {
    const raw = /^Sign-Raw (\S+): (.+)$/.exec(line);
    if (line.startsWith('Sign: '))
      filled.push(...(await signedLines(line.slice('Sign: '.length), message, now, world, signer)));
    else if (line.startsWith('Sign-Headers: '))
      filled.push(...listedLines(line.slice('Sign-Headers: '.length), message, now, world));
    else if (raw !== null) filled.push(...rawLines(raw[1] ?? '', raw[2] ?? '', message, world));
    else filled.push(line);
  }
  return filled;
}

function fillIn(line: string, now: number, world: World): string {
  return line
    .replaceAll(/\{now([+-]\d+)?\}/g, (_, offset: string | undefined) => String(now + Number(offset ?? 0)))
    .replaceAll(/\{(\S+) x (\d+)\}/g, (_, text: string, count: string) => text.repeat(Number(count)))
    .replaceAll(/\{(\w+ [a-z0-9 -]+)\}/g, (whole, name: string) => resolvePlaceholder(world, name) ?? whole)
    .replaceAll('{tab}', '\t')
    .replaceAll('{byte ff}', '\u{ff}');
}

function messageOf(lines: readonly string[]): SignedMessage {
  const [method = '', target = ''] = (lines[0] ?? '').split(' ');
  const fields = lines.slice(1).map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return { method, target, fields, host: fields.find(([name]) => name === 'Host')?.[1] ?? '' };
}

/**
 * `Sign: keyid=moscow-1 created=-300 …`: what a library signs. Overrides replace what the request
 * really has.
 */
async function signedLines(
  directive: string,
  message: SignedMessage,
  now: number,
  world: World,
  signer: (typeof SIGNERS)[number],
): Promise<readonly string[]> {
  const given = wordsOf(directive);
  const keyid = given.get('keyid') ?? '';
  const key = world.signingKeys.get(given.get('key') ?? keyid);
  if (key === undefined) throw new Error(`no key to sign with: ${directive}`);
  const front = given.get('front');
  const { input, signature } = await signBy(
    signer,
    {
      method: given.get('method') ?? message.method,
      host: given.get('host') ?? message.host,
      target: given.get('target') ?? message.target,
      fields:
        front === undefined
          ? message.fields
          : [...message.fields.filter(([name]) => name !== 'X-Front'), ['X-Front', front]],
    },
    {
      label: given.get('label') ?? 'sig',
      keyid,
      key,
      components: given.get('cover')?.split(',') ?? DEFAULT_COMPONENTS,
      created: now + Number(given.get('created') ?? 0),
      expires: given.has('expires') ? now + Number(given.get('expires')) : null,
      alg: given.get('alg') ?? null,
      nonce: given.get('nonce') ?? null,
    },
  );
  return [`Signature-Input: ${input}`, `Signature: ${signature}`];
}

const wordsOf = (directive: string): ReadonlyMap<string, string> =>
  new Map(directive.split(' ').map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));

/**
 * `Sign-Headers: keyid=moscow-hmac created=-300 …`: the headers of the other profile. A header's
 * name replaces what is signed of it.
 */
function listedLines(directive: string, message: SignedMessage, now: number, world: World): readonly string[] {
  const given = wordsOf(directive);
  const keyid = given.get('keyid') ?? '';
  const secret = world.signingKeys.get(given.get('key') ?? keyid);
  if (typeof secret !== 'string') throw new Error(`no secret to sign with: ${directive}`);
  const created = new Date((now + Number(given.get('created') ?? 0)) * 1000);
  const sent = [
    ['X-API-Key', keyid],
    ['X-API-Timestamp', given.get('timestamp') ?? created.toISOString()],
    ['X-API-Signed-Headers', given.get('list') ?? 'x-api-key;x-api-signed-headers;x-api-timestamp;x-front'],
  ] as const;
  const fields = [...message.fields, ...sent].map(
    ([name, value]) => [name, given.get(name.toLowerCase()) ?? value] as const,
  );
  const { method, target } = message;
  const signed = { method: given.get('method') ?? method, target: given.get('target') ?? target, fields };
  return [...sent, ['X-API-Signature', signListed(signed, secret)] as const].map(
    ([name, value]) => `${name}: ${value}`,
  );
}

/**
 * `Sign-Raw moscow-1: a=…, sig=<<("@method" …);…>>`: the text between << and >> is signed as it
 * stands, whatever it is.
 */
function rawLines(keyid: string, text: string, message: SignedMessage, world: World): readonly string[] {
  const marked = /^(.*?)([^ ,=]*)=<<(.*)>>(.*)$/.exec(text);
  const key = world.signingKeys.get(keyid);
  if (marked === null || key === undefined) throw new Error(`nothing to sign, or nothing to sign with: ${text}`);
  const [, before = '', label = '', parameters = '', after = ''] = marked;
  const signature = signRaw(message, key, parameters);
  return [`Signature-Input: ${before}${label}=${parameters}${after}`, `Signature: ${label}=:${signature}:`];
}

/** Compares an answer with what was expected, and with what holds for every answer of the rule. */
export function compare(answer: RawResponse, expected: Expectation, isHead: boolean, world: World): void {
  const text = answer.content.toString('utf8');
  const code = /"code":"([a-z-]+)"/.exec(text)?.[1] ?? null;
  expect({ status: answer.status, code }).toEqual({ status: expected.status, code: isHead ? null : expected.code });
  for (const [name, value] of expected.headers)
    expect(headerValues(answer, name), name).toEqual([fillIn(value, 0, world)]);
  for (const name of expected.absent) expect(headerValues(answer, name), name).toEqual([]);
  if (isHead || answer.status === 304) expect(text).toBe('');
  if (expected.status >= 400) compareRefusal(answer, expected, isHead, world);
  if (expected.edition !== null && !isHead) {
    const encoding = headerValues(answer, 'Content-Encoding').join();
    const plain =
      encoding === 'gzip'
        ? gunzipSync(answer.content)
        : encoding === 'br'
          ? brotliDecompressSync(answer.content)
          : answer.content;
    expect(plain.equals(editionContent(world, expected.edition)), `the bytes of ${expected.edition}`).toBe(true);
  }
}

function compareRefusal(answer: RawResponse, expected: Expectation, isHead: boolean, { profiles }: World): void {
  // A status without a code is a server's own answer, given before any rule was asked.
  const { code } = expected;
  if (code === null && !isHead) return;
  expect(headerValues(answer, 'Content-Type')).toEqual(['application/problem+json']);
  expect(headerValues(answer, 'Cache-Control')).toEqual(['no-store']);
  for (const name of ['ETag', 'Vary', 'Last-Modified', 'Catalogue-As-Of', 'Content-Encoding'])
    expect(headerValues(answer, name), name).toEqual([]);
  const challenges = [headerValues(answer, 'WWW-Authenticate').length, headerValues(answer, 'Accept-Signature').length];
  const proposed = answer.status === 401 ? [1, profiles.includes('rfc9421') ? 1 : 0] : [0, 0];
  expect(challenges, 'a challenge comes with a 401 and with nothing else').toEqual(proposed);
  if (code === null) return;
  const problem = {
    type: `urn:playbill:${code}`,
    title: code.replaceAll('-', ' '),
    status: expected.status,
    code: code,
  };
  const content = expected.content ?? `${JSON.stringify(problem)}\n`;
  expect(answer.content.toString('utf8')).toBe(content);
}
