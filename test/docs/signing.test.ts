// Every program of data/signing.md, sent to the rule: each gets the document. Interpreters and
// compilers are Debian's.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

async function answerOf(
  language: keyof typeof LANGUAGES,
  secret: string,
  profile: ProfileName = 'rfc9421',
): Promise<{ status: number; stdout: string }> {
  const blocks = [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))];
  const isOf = (text: string): boolean => /x-api-key/i.test(text) === (profile === 'signed-headers');
  const program = blocks
    .map(([, text = '']) => text)
    .find((text) => text.includes('https://cdn.example') && isOf(text));
  const { file, argv } = LANGUAGES[language];
  const source = program?.replace('https://cdn.example', `http://127.0.0.1:${server.port}`) ?? '';
  expect(source, 'the guide has a program that asks this server').toContain(`127.0.0.1:${server.port}/products/`);
  writeFileSync(join(folder, file), source);
  const [command, ...words] = argv;
  const env = { ...process.env, PLAYBILL_MOSCOW: secret, GOCACHE: join(folder, 'go-cache'), GOFLAGS: '-mod=mod' };
  const child = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const stdout = await text(child.stdout);
  const status =
    child.exitCode ?? (await new Promise<number>((done) => child.once('close', (code) => done(code ?? 1))));
  return { status, stdout };
}

test.each(['sh', 'python', 'php', 'go'] as const)('the program in %s gets the document', async (language) => {
  const { text: document } = await showDocument('moscow', 'products', DirectoryReader.open(out), instant(NOW));
  expect(await answerOf(language, SECRET)).toEqual({ status: 0, stdout: document });
});

test.each(['sh', 'python', 'php'] as const)('the program in %s is refused with another secret', async (language) => {
  expect((await answerOf(language, 'another')).stdout).not.toContain('productCards');
});

test.each(['sh', 'python'] as const)('under signed-headers, the program in %s gets the document', async (language) => {
  const { text: document } = await showDocument('moscow', 'products', DirectoryReader.open(out), instant(NOW));
  expect(await answerOf(language, SECRET, 'signed-headers')).toEqual({ status: 0, stdout: document });
  expect((await answerOf(language, 'another', 'signed-headers')).stdout).not.toContain('productCards');
});
