// The folder that `edge build --target lambda-edge` writes, on a CloudFront made from its
// documentation, with the function in a process of Node. Only one thing in the folder is changed:
// the function reads a bucket on loopback.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleEdge } from '../../../../src/edge/targets/bundle.ts';
import type { SiblingEncoding } from '../../../../src/edge/rule/encoding.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { signatureV4Headers } from '../../../../src/edge/remote-tree/signature-v4.ts';
import type { MemoryStore } from '../../objects/memory-store.ts';
import { CloudFront, type AskOrigin, type Invoke } from '../cloudfront/cloudfront.ts';
import { sendLines } from '../messages.ts';
import { startFolderBucket } from '../private-bucket.ts';
import type { World } from '../world.ts';
import { type Runtime, writeFolder } from './runtime.ts';
import { lambdaEdgeFiles } from '../target-files.ts';

export interface LambdaEdgeRuntime extends Runtime {
  readonly store: MemoryStore;
  readonly cloudFront: CloudFront;
  /** What the function has logged. */
  readonly log: readonly string[];
  /** Calls the function with an event. */
  readonly invoke: Invoke;
}

export interface LambdaEdgeOptions {
  readonly pointerSeconds?: number;
  /** Instead of one that shows the world's folder. `stop` closes it. */
  readonly store?: MemoryStore;
  /** Variables of the function's environment. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly region?: string;
  readonly encodings?: readonly SiblingEncoding[];
  /** Changes a file of the folder, for a test. */
  readonly edit?: (name: string, text: string) => string;
}

/**
 * What Lambda does: it calls the handler, passes on its result, and stops it after 5 s, the limit
 * at viewer events.
 */
const LOOP = `import { handler } from './index.mjs';
process.on('message', async ({ id, event }) => {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('the function takes more than 5 s')), 5000);
  });
  try {
    process.send({ id, result: (await Promise.race([handler(event), late])) ?? null });
  } catch (error) {
    process.send({ id, error: String(error) });
  } finally {
    clearTimeout(timer);
  }
});
process.send('ready');
`;

/** Starts the store, the function and CloudFront. */
export async function startLambdaEdge(world: World, options: LambdaEdgeOptions = {}): Promise<LambdaEdgeRuntime> {
  const store = options.store ?? (await startFolderBucket(world));
  const { accessKeyId, secretAccessKey } = store.credentials;
  const files = lambdaEdgeFiles({
    bundle: await bundleEdge('lambda-edge'),
    keyRing: world.keyRing,
    settings: DEFAULT_SETTINGS,
    origin: `s3://${store.bucket}/shows`,
    originEndpoint: null,
    originRegion: options.region ?? store.region,
    encodings: options.encodings ?? ['br', 'gzip'],
    pointerSeconds: options.pointerSeconds ?? 5,
    profiles: world.profiles,
  });
  const host = `${store.bucket}.s3.${options.region ?? store.region}.amazonaws.com`;
  const folder = writeFolder(
    files.map(([name, text]) => {
      const edited = options.edit?.(name, text) ?? text;
      return [
        name,
        name === 'index.mjs' ? edited.replace(`https://${host}`, `${store.endpoint}/${store.bucket}`) : edited,
      ];
    }),
  );
  const credentials = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...options.credentials,
  };
  const log: string[] = [];
  const { invoke, stop } = await startFunction(folder, { AWS_REGION: 'us-east-1', ...credentials }, log);
  const askOrigin: AskOrigin = async (domain, method, path) => {
    if (domain !== host) throw new Error(`no such origin: ${domain}`);
    const url = new URL(`${store.endpoint}/${store.bucket}${path}`);
    const headers = Object.fromEntries(
      await signatureV4Headers(
        method,
        url,
        { accessKeyId, secretAccessKey, sessionToken: null },
        store.region,
        Date.now() / 1000,
      ),
    );
    return fetchRaw(url, method, headers);
  };
  const template = files.find(([name]) => name === 'distribution.json')?.[1] ?? '';
  const cloudFront = new CloudFront(options.edit?.('distribution.json', template) ?? template, invoke, askOrigin);
  const server = createServer(
    { requireHostHeader: false },
    (request, response) => void serve(cloudFront, request, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    name: 'lambda_edge',
    store,
    cloudFront,
    log,
    invoke,
    now: () => Math.floor(Date.now() / 1000),
    send: async (lines) => {
      const answer = await sendLines(port, lines);
      if (cloudFront.violations.length > 0) throw new Error(cloudFront.violations.splice(0).join('\n'));
      return answer;
    },
    stop: async () => {
      server.close();
      await stop();
      await store.close();
    },
  };
}

async function startFunction(
  folder: string,
  env: NodeJS.ProcessEnv,
  log: string[],
): Promise<{ readonly invoke: Invoke; readonly stop: () => Promise<void> }> {
  writeFileSync(join(folder, 'loop.mjs'), LOOP);
  const child = fork(join(folder, 'loop.mjs'), { env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  child.stderr?.on('data', (chunk) => log.push(String(chunk)));
  const ended = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`the function does not start: ${log.join('')}`))),
  ]);
  ended.catch(() => undefined);
  const waiting = new Map<number, (message: { readonly result?: unknown; readonly error?: string }) => void>();
  child.on('message', (message: { readonly id: number; readonly result?: unknown; readonly error?: string }) => {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let count = 0;
  return {
    invoke: (file, event) => {
      if (file !== 'index.mjs') throw new Error(`no such function: ${file}`);
      const id = (count += 1);
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ result, error }) => (error === undefined ? resolve(result) : reject(new Error(error))));
        child.send({ id, event });
      });
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** With node:http, since fetch would undo the encoding that CloudFront passes on. */
async function fetchRaw(url: URL, method: string, headers: Record<string, string>): ReturnType<AskOrigin> {
  const asked = sendRequest(url, { method, headers });
  asked.end();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (response === undefined) throw new Error('no answer');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: linesOf(response.rawHeaders), content: Buffer.concat(chunks) };
}

const linesOf = (raw: readonly string[]): readonly (readonly [string, string])[] =>
  raw.flatMap((name, i) =>
    i % 2 === 0 ? [[name, (raw[i + 1] ?? '').replaceAll(/^[ \t]+|[ \t]+$/g, '')] as const] : [],
  );

async function serve(cloudFront: CloudFront, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  const { method = '', url = '', rawHeaders } = request;
  const answer = await cloudFront.answer(method, url, linesOf(rawHeaders), Date.now() / 1000);
  const isBare = method === 'HEAD' || answer.status === 304;
  const rest = answer.headers.filter(([name]) => !/^(content-length|connection|transfer-encoding)$/i.test(name));
  const length = isBare ? [] : ['Content-Length', String(answer.content.length)];
  response.writeHead(answer.status, [...rest.flat(), ...length]);
  response.end(isBare ? undefined : answer.content);
}
