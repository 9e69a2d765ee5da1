// The HTTP server that the store in memory and the proxy have in common: reads a request whole,
// checks its signature, makes the fault that is planned for it, keeps a log. What a request does is
// not its business.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deliver, performWith, type FaultPlan, type Outcome } from './faults.ts';
import { conditionalOf, errorAnswer, parseTarget, S3Error, type StoreAnswer, type StoreRequest } from './messages.ts';
import { checkBody, verifyRequest } from './signature.ts';
import {
  environmentOf,
  StoreClock,
  type Credentials,
  type LoggedRequest,
  type ObservedStore,
  type RequestHook,
  type StoredObject,
} from './test-store.ts';

export interface ServerSettings {
  readonly bucket: string;
  readonly region: string;
  readonly credentials: Credentials;
  /** The store's clock; the machine's where it is left out. */
  readonly clock?: StoreClock;
  /** How far the clock by which signatures are judged is ahead of the machine's. */
  readonly skewMs?: number;
  readonly faults?: FaultPlan;
  readonly beforeApply?: RequestHook;
  readonly afterApply?: RequestHook;
}

/** Listens on a free port of 127.0.0.1 from `listen` to `close`. */
export abstract class StoreServer implements ObservedStore {
  /** Empty before `listen`, as the environment is. */
  endpoint = '';
  environment: Readonly<Record<string, string>> = {};
  readonly bucket: string;
  readonly region: string;
  readonly credentials: Credentials;
  readonly clock: StoreClock;
  readonly log: LoggedRequest[] = [];
  faults: FaultPlan | null;
  beforeApply: RequestHook | null;
  afterApply: RequestHook | null;
  readonly #settings: ServerSettings;
  readonly #attempts = new Map<string, number>();
  readonly #server = createServer((request, response) => void this.#count(request, response));
  #requestsUnderWay = 0;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    ({ bucket: this.bucket, region: this.region, credentials: this.credentials } = settings);
    this.clock = settings.clock ?? new StoreClock();
    this.faults = settings.faults ?? null;
    this.beforeApply = settings.beforeApply ?? null;
    this.afterApply = settings.afterApply ?? null;
  }

  /** What a request does, and its answer. It is whole and genuine, and may take effect now. */
  protected abstract apply(request: StoreRequest): StoreAnswer | Promise<StoreAnswer>;
  abstract objects(): Promise<ReadonlyMap<string, StoredObject>>;
  abstract put(key: string, bytes: Uint8Array | string, headers?: Readonly<Record<string, string>>): Promise<void>;
  abstract delete(key: string): Promise<void>;

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    this.endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.environment = environmentOf(this.endpoint, this.region, this.credentials);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Ends what connections are idle, and returns once no client is connected and no request is under
   * way. What a killed client had sent has then been carried out, or will never be.
   */
  async disconnectClients(): Promise<void> {
    const connections = promisify(this.#server.getConnections.bind(this.#server));
    do {
      // A connection that was made before the call is accepted in one turn of the event loop, and
      // read in the next.
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
      this.#server.closeIdleConnections();
    } while (this.#requestsUnderWay > 0 || (await connections()) > 0);
  }

  async #count(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#requestsUnderWay += 1;
    try {
      await this.#handle(incoming, response);
    } finally {
      this.#requestsUnderWay -= 1;
    }
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '', headers } = incoming;
    let outcome: Outcome;
    let entry: LoggedRequest | undefined;
    try {
      const parsed = parseTarget(target, headers.host ?? '', this.bucket);
      entry = {
        method,
        key: parsed.key,
        query: parsed.query,
        host: headers.host ?? '',
        conditional: conditionalOf(headers),
        bytes: 0,
        status: null,
      };
      const n = this.log.push(entry);
      const body = await bodyOf(incoming);
      // Its client left in the middle of the body: nothing of it has happened.
      if (body === null) return;
      entry.bytes = body.length;
      outcome = await this.#perform({ ...parsed, method, target, headers, body }, entry, n);
    } catch (error) {
      const known = error instanceof S3Error ? error : new S3Error('InternalError', String(error));
      outcome = { answer: errorAnswer(known), delivery: { kind: 'whole' } };
    }
    if (entry !== undefined) entry.status = outcome.answer?.status ?? null;
    deliver(this.#dated(outcome, method), response, incoming.socket);
  }

  async #perform(request: StoreRequest, entry: LoggedRequest, n: number): Promise<Outcome> {
    const { method, key, query } = request;
    const attempt = (this.#attempts.get(`${method} ${key}`) ?? 0) + 1;
    this.#attempts.set(`${method} ${key}`, attempt);
    if (method === 'PUT' && request.headers['content-length'] === undefined)
      throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.');
    const now = (): number => Date.now() + (this.#settings.skewMs ?? 0);
    await verifyRequest(request, { ...this.#settings, now });
    checkBody(request);
    const fault = this.faults?.({ n, method, key, query, host: entry.host, attempt }) ?? null;
    return performWith(fault, async () => {
      await this.beforeApply?.({ ...entry, n });
      const answer = await this.#answerTo(request);
      await this.afterApply?.({ ...entry, n, status: answer.status });
      return answer;
    });
  }

  async #answerTo(request: StoreRequest): Promise<StoreAnswer> {
    try {
      return await this.apply(request);
    } catch (error) {
      if (error instanceof S3Error) return errorAnswer(error);
      throw error;
    }
  }

  /** The answer with the store's date and its length; without its body where HEAD asked. */
  #dated({ answer, delivery }: Outcome, method: string): Outcome {
    if (answer === null) return { answer, delivery };
    const bodiless = method === 'HEAD' || answer.status === 204 || answer.status === 304;
    const hasLength = answer.status !== 204 && answer.status !== 304 && !('transfer-encoding' in answer.headers);
    const length = hasLength ? { 'content-length': String(answer.body.length) } : {};
    const headers = { date: new Date(this.clock.now()).toUTCString(), ...length, ...answer.headers };
    return { answer: { ...answer, headers, body: bodiless ? Buffer.alloc(0) : answer.body }, delivery };
  }
}

/** The whole body, or null where the client left before its end. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}
