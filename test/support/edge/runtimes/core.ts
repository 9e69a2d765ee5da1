// The pure core, without any server: a request's lines become the rule's request, the answer
// becomes what a server would have sent.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profileOf } from '../../../../src/edge/rule/profiles.ts';
import { respond } from '../../../../src/edge/rule/respond.ts';
import { fieldsAmong, type RuleRequest } from '../../../../src/edge/rule/request.ts';
import { rfc9421 } from '../../../../src/edge/rule/rfc9421.ts';
import { authorize } from '../../../../src/edge/rule/rule.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { pointerPath } from '../../../../src/edge/rule/tree.ts';
import { webCryptoKeyStore } from '../../../../src/edge/web-crypto/key-store.ts';
import type { RawResponse } from '../messages.ts';
import type { World } from '../world.ts';
import type { StartRuntime } from './runtime.ts';

export const startCore: StartRuntime = async (world) => ({
  name: 'core',
  now: () => world.now,
  send: (lines) => answerLines(world, lines),
  stop: async () => undefined,
});

/** The rule's request in the lines of one. */
export function requestOfLines(lines: readonly string[]): RuleRequest {
  const [method = '', written = ''] = (lines[0] ?? '').split(' ');
  const fields = lines.slice(1).map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), withoutBlanks(line.slice(colon + 1))] as const;
  });
  const hosts = fields.filter(([name]) => name === 'host').map(([, value]) => value);
  const [, authority = hosts.join(', '), target = written] = /^http:\/\/([^/]*)(.*)$/i.exec(written) ?? [];
  return { method, scheme: 'http', authority, target, ...fieldsAmong(fields) };
}

async function answerLines(world: World, lines: readonly string[]): Promise<RawResponse> {
  const request = requestOfLines(lines);
  const settings = DEFAULT_SETTINGS;
  const keys = webCryptoKeyStore(world.keyRing, (name) => world.secrets[name] ?? null);
  const read = async (path: string): Promise<Buffer | null> =>
    readFile(join(world.root, 'public', path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
  const store = {
    encodings: ['br', 'gzip'] as const,
    open: read,
    readPointer: async (front: string) => (await read(pointerPath(front)))?.toString() ?? null,
  };
  const target = await authorize(request, keys, profileOf(world.profiles, rfc9421), settings, world.now);
  const { decision, headers, content } = await respond(request, target, store, settings.maxAge, world.now);
  const isEmpty = request.method === 'HEAD' || content === null;
  return { status: decision.status, headers, content: isEmpty ? Buffer.alloc(0) : Buffer.from(content) };
}

/**
 * Without blanks around it. By a regular expression that ends in `$` it would take the square of
 * the blanks inside.
 */
const withoutBlanks = (value: string): string => /[^ \t](?:.*[^ \t])?/s.exec(value)?.[0] ?? '';
