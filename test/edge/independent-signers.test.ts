// Four libraries that others have written sign requests by RFC 9421, each by its own reading of the
// RFC, and real servers accept them: the canonical form that the rule insists on is what signers
// write. Their cryptography is that of Node.js.

import { sign as signByLto } from '@ltonetwork/http-message-signatures';
import {
  convertSignatureParamsDictionary,
  RFC9421SignatureBaseFactory,
} from '@misskey-dev/node-http-message-signatures';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PrivateJwk } from '../../src/edge/web-crypto/key-pair.ts';
import { RUNTIMES } from '../support/edge/runtimes/all.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { algorithmOf, rawSignature, signBy, type SignatureLines } from '../support/edge/signers.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

interface Signing {
  readonly target: string;
  readonly keyid: string;
  readonly key: PrivateJwk | string;
  readonly created: number;
}
type Sign = (signing: Signing) => Promise<SignatureLines>;

const HOST = 'edge.test';
const COMPONENTS = ['@method', '@authority', '@path', 'x-front'] as const;

const byLibrary =
  (name: 'http-message-sig' | 'http-message-signatures'): Sign =>
  ({ target, ...options }) => {
    const message = { method: 'GET', host: HOST, target, fields: [['X-Front', 'moscow']] } as const;
    const unset = { expires: null, alg: null, nonce: null };
    return signBy(name, message, { ...options, ...unset, label: 'sig', components: COMPONENTS });
  };

const lto: Sign = async ({ target, keyid, key, created }) => {
  const headers: Record<string, string> = { 'X-Front': 'moscow' };
  const signer = { keyid, alg: algorithmOf(key), sign: (data: string) => rawSignature(key, Buffer.from(data)) };
  const components = [...COMPONENTS];
  const message = { method: 'GET', url: `http://${HOST}${target}`, headers };
  await signByLto(message, { components, signer, created: new Date(created * 1000), tag: 'x-front' });
  return { input: headers['Signature-Input'] ?? '', signature: headers['Signature'] ?? '' };
};

const misskey: Sign = async ({ target, keyid, key, created }) => {
  const input = convertSignatureParamsDictionary({
    sig: [COMPONENTS.map((name) => [name, {}]), { created, keyid, tag: 'x-front' }],
  });
  const headers = { host: HOST, 'x-front': 'moscow', 'signature-input': input };
  const base = new RFC9421SignatureBaseFactory({ method: 'GET', url: target, headers }, 'http').generate('sig');
  const signature = Buffer.from(rawSignature(key, Buffer.from(base))).toString('base64');
  return { input, signature: `sig=:${signature}:` };
};

const SIGNERS: readonly (readonly [string, Sign])[] = [
  ['http-message-sig', byLibrary('http-message-sig')],
  ['http-message-signatures', byLibrary('http-message-signatures')],
  ['@ltonetwork/http-message-signatures', lto],
  ['@misskey-dev/node-http-message-signatures', misskey],
];

describe.each(RUNTIMES)('$name', ({ start }) => {
  let world: World;
  let runtime: Runtime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000));
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());

  async function statusOf(sign: Sign, keyid: string, signed: string, sent: string): Promise<number> {
    const key = world.signingKeys.get(keyid) ?? '';
    const { input, signature } = await sign({ target: signed, keyid, key, created: runtime.now() });
    const lines = [`GET ${sent} HTTP/1.1`, `Host: ${HOST}`, 'X-Front: moscow'];
    return (await runtime.send([...lines, `Signature-Input: ${input}`, `Signature: ${signature}`])).status;
  }

  test.each(SIGNERS)('%s is accepted, and for nothing but what it signed', async (_, sign) => {
    // nginx has no Ed25519 (keys.http.txt).
    for (const keyid of ['moscow-1', 'moscow-hmac', ...(runtime.name === 'nginx' ? [] : ['moscow-ed25519'])]) {
      expect(await statusOf(sign, keyid, '/products/?note=1', '/products/'), keyid).toBe(200);
      expect(await statusOf(sign, keyid, '/products/', '/fronts/categories/'), keyid).toBe(401);
    }
  });
});
