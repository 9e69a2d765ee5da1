// Every program of data/signing.md, sent to the rule: each gets the document. Interpreters and
// compilers are Debian's.

import { spawn } from 'node:child_process';
import { createHash, createHmac, createPublicKey, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signRequest } from '../../src/client/signature.ts';
import { PROFILE_NAMES, type ProfileName } from '../../src/edge/rule/profile.ts';
import { issueKey } from '../../src/operations/keys.ts';
import { publishKeys } from '../../src/operations/publish-keys.ts';
import { showDocument } from '../../src/release/status/show.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile, KEY_SETTINGS } from '../support/trees.ts';

const guide = readFileSync(new URL('../../data/signing.md', import.meta.url), 'utf8');
const folder = temporaryFolderOfFile();
const out = join(folder, 'out');
const SECRET = 'a secret of 32 bytes, said aloud';
let server: Awaited<ReturnType<typeof startNodeServer>>;

const LANGUAGES = {
  sh: { file: 'sign.sh', argv: ['sh', 'sign.sh'] },
  python: { file: 'sign.py', argv: ['/usr/bin/python3', 'sign.py'] },
  php: { file: 'sign.php', argv: ['php', 'sign.php'] },
  go: { file: 'sign.go', argv: ['go', 'run', 'sign.go'] },
} as const;

beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['moscow'], productsPerFront: 2, sessionsPerProduct: 1, edition: 'x' });
  const database = catalogueAt(join(folder, 'catalogue.sqlite'), rows);
  await buildTree(database, out, instant(NOW));
  const key = { front: 'moscow', notBefore: null, notAfter: null };
  const hmac = { keyid: 'moscow-2026-05', alg: 'hmac-sha256', secretRef: 'PLAYBILL_MOSCOW', to: null } as const;
  await issueKey(database, { ...key, ...hmac }, instant(NOW));
  const ecdsa = { keyid: 'moscow-ec', alg: 'ecdsa-p256-sha256', secretRef: null } as const;
  await issueKey(database, { ...key, ...ecdsa, to: join(folder, 'moscow.key.json') }, instant(NOW));
  await publishKeys(database, out, KEY_SETTINGS, instant(NOW));
  const world = { root: out, now: 0, secrets: { PLAYBILL_MOSCOW: SECRET }, profiles: PROFILE_NAMES };
  server = await startNodeServer(world, { clock: () => Date.now() / 1000, at: instant(NOW) });
});

afterAll(() => server.stop());

/** The guide's program in a language, for a profile. */
function programIn(language: keyof typeof LANGUAGES, profile: ProfileName): string {
  const blocks = [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))];
  const isOf = (text: string): boolean => /x-api-key/i.test(text) === (profile === 'signed-headers');
  const texts = blocks.map(([, text = '']) => text);
  return texts.find((text) => text.includes('https://cdn.example') && isOf(text)) ?? '';
}

/** Runs a program; its status, and what it printed. */
async function ran(language: keyof typeof LANGUAGES, source: string, secret: string) {
  const { file, argv } = LANGUAGES[language];
  writeFileSync(join(folder, file), source);
  const [command, ...words] = argv;
  const env = { ...process.env, PLAYBILL_MOSCOW: secret, GOCACHE: join(folder, 'go-cache'), GOFLAGS: '-mod=mod' };
  const child = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const stdout = await text(child.stdout);
  const status =
    child.exitCode ?? (await new Promise<number>((done) => child.once('close', (code) => done(code ?? 1))));
  return { status, stdout };
}

async function answerOf(
  language: keyof typeof LANGUAGES,
  secret: string,
  profile: ProfileName = 'rfc9421',
): Promise<{ status: number; stdout: string }> {
  const source = programIn(language, profile).replace('https://cdn.example', `http://127.0.0.1:${server.port}`);
  expect(source, 'the guide has a program that asks this server').toContain(`127.0.0.1:${server.port}/products/`);
  return ran(language, source, secret);
}

test.each(['sh', 'python', 'php', 'go'] as const)('the program in %s gets the document', async (language) => {
  const { text: document } = await showDocument('moscow', 'products', DirectoryReader.open(out), instant(NOW));
  expect(await answerOf(language, SECRET)).toEqual({ status: 0, stdout: document });
});

test.each(['sh', 'php'] as const)('the program in %s is refused with another secret', async (language) => {
  expect((await answerOf(language, 'another')).stdout).not.toContain('productCards');
});

test.each(['sh', 'python'] as const)('under signed-headers, the program in %s gets the document', async (language) => {
  const { text: document } = await showDocument('moscow', 'products', DirectoryReader.open(out), instant(NOW));
  expect(await answerOf(language, SECRET, 'signed-headers')).toEqual({ status: 0, stdout: document });
  expect((await answerOf(language, 'another', 'signed-headers')).stdout).not.toContain('productCards');
});

describe('the test vectors', () => {
  const SECRET_OF_VECTORS = 'test-secret';
  const CREATED = 1_777_626_000;
  const [, base = '', headers = ''] =
    /^```text\n("@method"[^]*?)\n```$[^]*?^\*\*Test vector\.\*\*[^]*?^```text\n([^]*?)\n```$/m.exec(guide) ?? [];
  const [, lines = '', ofLines = ''] =
    /^```text\n(GET\n[^]*?)\n```$[^]*?^`X-API-Signature: ([0-9a-f]{64})`/m.exec(guide) ?? [];
  const hmac = (content: string) => createHmac('sha256', SECRET_OF_VECTORS).update(content);
  const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');
  const headersOf = (content: string): string =>
    `X-Front: moscow\nSignature-Input: sig=${content.slice(content.indexOf('params": ') + 9)}\nSignature: sig=:${hmac(content).digest('base64')}:`;

  test('rfc9421: the lines, their digest and the headers, with a nonce and without', () => {
    expect(headers).toBe(headersOf(base));
    expect(guide).toContain(`is \`${sha256(base)}\``);
    const withNonce = base.replace(';tag=', ';nonce="0123456789abcdef";tag=');
    expect(guide).toContain(
      `it is \`${sha256(withNonce)}\`, and\nthe signature \`${hmac(withNonce).digest('base64')}\``,
    );
  });

  test('signed-headers: the lines, with a query and without', () => {
    expect(ofLines).toBe(hmac(lines).digest('hex'));
    expect(guide).toContain(`\n\`${hmac(lines.replace('a=1&b=2', '')).digest('hex')}\``);
  });

  test('the client gives them', async () => {
    const key = { keyid: 'moscow-2026-05', secret: SECRET_OF_VECTORS };
    const request = { method: 'GET', front: 'moscow', created: CREATED, key } as const;
    const signed = await signRequest({ ...request, url: 'https://cdn.example/products/' });
    const text = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
    expect(text.join('\n')).toBe(headers);
    const url = 'https://cdn.example/products/?b=2&a=1';
    const listed = await signRequest({ ...request, url, profile: 'signed-headers' });
    expect(listed['X-API-Signature']).toBe(ofLines);
  });

  /** The page's program at the vector's instant, printing what it would send. */
  function fixed(language: keyof typeof LANGUAGES, profile: ProfileName, changes: readonly Change[]): string {
    return changes.reduce(
      (source, [from, to]) => {
        expect(source).toContain(from);
        return source.replace(from, () => to);
      },
      programIn(language, profile),
    );
  }
  type Change = readonly [from: string, to: string];
  const TIME = '2026-05-01T09:00:00.000Z';
  const PRINT_PYTHON: Change = [
    'print(urlopen(Request(url, headers=headers)).read().decode(), end="")',
    'print("\\n".join(f"{name}: {value}" for name, value in headers.items()))',
  ];
  const PRINT_SH: Change = ['curl -sS --fail-with-body -H ', "printf '%s\\n' -H "];

  test.each<[language: 'sh' | 'php', changes: readonly Change[]]>([
    ['sh', [['$(date +%s)', String(CREATED)], PRINT_SH]],
    [
      'php',
      [
        ['time()', String(CREATED)],
        [
          "echo file_get_contents($url, false, stream_context_create(['http' => ['header' => $headers]]));",
          'echo implode("\\n", $headers);',
        ],
      ],
    ],
  ])('the program in %s prints the headers', async (language, changes) => {
    const { status, stdout } = await ran(language, fixed(language, 'rfc9421', changes), SECRET_OF_VECTORS);
    const printed = stdout.split('\n').filter((line) => /^(X-Front|Signature)/.test(line));
    expect([status, printed.join('\n')]).toEqual([0, headers]);
  });

  test.each<[language: 'sh' | 'python', changes: readonly Change[]]>([
    ['sh', [['$(date -u +%Y-%m-%dT%H:%M:%S.000Z)', TIME], PRINT_SH]],
    ['python', [['datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"', `"${TIME}"`], PRINT_PYTHON]],
  ])('under signed-headers, the program in %s does, too', async (language, changes) => {
    const signed = async (more: readonly Change[]): Promise<string | undefined> => {
      const source = fixed(language, 'signed-headers', [...changes, ...more]);
      const { stdout } = await ran(language, source, SECRET_OF_VECTORS);
      return /^x-api-signature: (\w+)$/im.exec(stdout)?.[1];
    };
    expect(await signed([])).toBe(hmac(lines.replace('a=1&b=2', '')).digest('hex'));
    // The program for the shell is for a URL without a query.
    if (language === 'python') expect(await signed([['/products/"', '/products/?b=2&a=1"']])).toBe(ofLines);
  });

  test.each<[language: 'python' | 'go', changes: readonly Change[]]>([
    [
      'python',
      [
        ['int(time.time())', String(CREATED)],
        ['issued["keyid"]\n', '"moscow-2026-05"\n'],
        [
          'print(urlopen(Request(url, headers=headers)).read().decode(), end="")',
          'import hashlib\nprint(hashlib.sha256(text.encode()).hexdigest(), signature, end="")',
        ],
      ],
    ],
    [
      'go',
      [
        ['time.Now()', `time.Unix(${CREATED}, 0)`],
        [
          'answer := must(http.DefaultClient.Do(request))',
          'fmt.Printf("%x %s", digest, base64.StdEncoding.EncodeToString(signature))\n\treturn\n\tanswer := must(http.DefaultClient.Do(request))',
        ],
        ['issued.Keyid)\n', '"moscow-2026-05")\n'],
      ],
    ],
  ])('the program in %s signs the text of the vector', async (language, changes) => {
    const { status, stdout } = await ran(language, fixed(language, 'rfc9421', changes), '');
    const [digest, signature = ''] = stdout.split(' ');
    expect([status, digest]).toEqual([0, sha256(base)]);
    const { privatePem } = JSON.parse(readFileSync(join(folder, 'moscow.key.json'), 'utf8')) as { privatePem: string };
    const key = { key: createPublicKey(privatePem), dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', Buffer.from(base), key, Buffer.from(signature, 'base64'))).toBe(true);
  });
});
