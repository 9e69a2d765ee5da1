// The threads of one build: this one, and as many helpers as pay. They press ranges of products and put fronts, each taking the next
// one that nobody has, so that bytes never depend on how many there are. A helper has its own connection to the database, and a build
// begins only when all transactions are known to see one state of it (law 6).

import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Instant } from '../catalogue/instant.ts';
import { commitCounter, type CatalogueReader } from '../database/open.ts';
import type { IdRange } from '../database/grouped-rows.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { Press, type Pressed, type PressedRange, type PressOptions } from './press.ts';
import { putFront, type FrontPut, type FrontTask } from '../release/put-front.ts';
import type { GuardOptions } from '../release/guards.ts';
import type { ReleaseStore } from '../release/release-store.ts';
import type { Compression } from '../release/tree-reader.ts';
import type { PressedProducts } from '../snapshot/pressed.ts';

/** What a helper needs to know from the start. */
export interface CrewOptions {
  readonly databasePath: string;
  readonly outPath: string;
  readonly isDryRun: boolean;
  /** In which forms new editions are put beside the plain one. */
  readonly precompress: readonly Compression[];
  readonly press: Omit<PressOptions, 'isShared'>;
  /** Whether there are helpers: what one thread presses the others read. */
  readonly isShared: boolean;
  readonly guards: GuardOptions;
  readonly now: Instant;
  /** The next thing to do that nobody has taken: one number, shared by all threads. */
  readonly next: Int32Array<SharedArrayBuffer>;
}

/** What a helper is asked, and what it answers. Each question is answered in the end by its own name, or by `failed`. */
export type Question =
  | { readonly kind: 'open' | 'restart' | 'load' }
  | { readonly kind: 'press'; readonly ranges: readonly IdRange[] }
  | { readonly kind: 'put'; readonly products: PressedProducts; readonly tasks: readonly FrontTask[] };

export type Answer =
  | { readonly kind: Question['kind'] }
  | { readonly kind: 'range'; readonly index: number; readonly range: PressedRange }
  | { readonly kind: 'front'; readonly put: FrontPut; readonly created: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
    }
  | { readonly kind: 'failed'; readonly error: string };

/** More than there ever is to do. */
const NONE_LEFT = 2 ** 30;

/** How often writers may commit in between before the crew gives up on seeing one state: then one thread builds. */
const TRIES = 20;

/** What is left to do of a list, shared with other threads: each index is given once. */
export async function* untaken(next: Int32Array<SharedArrayBuffer>, total: number): AsyncGenerator<number> {
  for (;;) {
    const index = Atomics.add(next, 0, 1);
    if (index >= total) return;
    yield index;
    // Lets the process hear its signals, and other threads' answers, between two of them.
    await setImmediate();
  }
}

/** Fewer cards than these are rendered before another thread has got going (measured). */
const CARDS_FOR_THREADS = 300_000;

/** How many threads make a build shorter: one for a small catalogue, else as many as the machine has, four at most. */
async function threadsThatPay(
  reader: CatalogueReader,
  { precompress }: Pick<CrewOptions, 'precompress'>,
  cores: number,
): Promise<number> {
  if (cores === 1) return 1;
  // It takes longer than everything else.
  if (precompress.length > 0) return Math.min(cores, 4);
  const some = reader.db.selectFrom('front_products').select('front_id').limit(CARDS_FOR_THREADS).as('some');
  const query = reader.db.selectFrom(some).select((eb) => eb.fn.countAll().as('total'));
  const [[total] = [0]] = await reader.rows(query);
  return Number(total) < CARDS_FOR_THREADS ? 1 : Math.min(cores, 4);
}

export class Crew {
  readonly #reader: CatalogueReader;
  readonly #options: CrewOptions;
  readonly #helpers: readonly Helper[];
  #press: Press | null = null;

  private constructor(reader: CatalogueReader, options: CrewOptions, helpers: readonly Helper[]) {
    this.#reader = reader;
    this.#options = options;
    this.#helpers = helpers;
  }

  /**
   * Begins the transactions that a build reads from, `reader`'s among them: what was committed before is seen, and all see the same.
   * With `threads` null the work to be done decides.
   * @throws AppError database-…
   */
  static async gather(
    reader: CatalogueReader,
    options: Omit<CrewOptions, 'next' | 'isShared'>,
    threads: { readonly wanted: number | null; readonly cores: number },
  ): Promise<Crew> {
    await reader.restart();
    const next = new Int32Array(new SharedArrayBuffer(4));
    const alone = new Crew(reader, { ...options, isShared: false, next }, []);
    const wanted = threads.wanted ?? (await threadsThatPay(reader, options, threads.cores));
    // What a view gives twice is seen by the one who reads it all.
    const helping = options.press.views.has('products') ? 0 : wanted - 1;
    if (helping === 0) return alone;

    const shared: CrewOptions = { ...options, isShared: true, next };
    const helpers = Array.from({ length: helping }, () => new Helper(shared));
    try {
      await Promise.all(helpers.map((helper) => helper.ask({ kind: 'open' })));
      if (await isOneState(reader, helpers, options.databasePath)) return new Crew(reader, shared, helpers);
      await dismissAll(helpers);
      return alone;
    } catch (error) {
      await dismissAll(helpers);
      throw error;
    }
  }

  /** Loads and presses the catalogue. `onRange` hears of each range done. @throws AppError front-unknown, database-… */
  async press(onRange: (done: number, total: number) => void): Promise<Pressed> {
    const { press: pressOptions, isShared, now } = this.#options;
    const loads = this.#helpers.map((helper) => helper.ask({ kind: 'load' }));
    // Heard of below, where they are waited for, and not before.
    for (const load of loads) load.catch(() => undefined);
    const press = await Press.open(this.#reader, { ...pressOptions, isShared }, now);
    this.#press = press;
    const ranges = await press.ranges();
    const rowsOfNone = await press.rowsOfNone();
    const pressed: PressedRange[] = [];
    let done = 0;
    const take = (index: number, range: PressedRange): void => {
      pressed[index] = range;
      onRange(++done, ranges.length);
    };
    Atomics.store(this.#options.next, 0, 0);
    const asked = this.#helpers.map(async (helper, i) => {
      await loads[i];
      await helper.ask({ kind: 'press', ranges }, (answer) => {
        if (answer.kind === 'range') take(answer.index, answer.range);
      });
    });
    await this.#allOrFirstFailure([...asked, this.#pressHere(press, ranges, take)]);
    return press.finish(pressed, rowsOfNone);
  }

  /** Renders fronts and puts their content (put-front.ts). @throws AppError tree-full, tree-not-writable, tree-unreadable */
  async putFronts(
    pressed: Pressed,
    tasks: readonly FrontTask[],
    store: ReleaseStore,
    onFront: (put: FrontPut) => void,
  ): Promise<readonly FrontPut[]> {
    const puts: FrontPut[] = [];
    const take = (put: FrontPut): void => {
      puts.push(put);
      onFront(put);
    };
    // Fronts of a class one after the other: what they have in common is worked out once and then let go of.
    const press = this.#press;
    const inOrder =
      press === null ? tasks : tasks.toSorted((a, b) => press.classIndexOf(a.code) - press.classIndexOf(b.code));
    Atomics.store(this.#options.next, 0, 0);
    const asked = this.#helpers.map((helper) =>
      helper.ask({ kind: 'put', products: pressed.catalogue.products, tasks: inOrder }, (answer) => {
        if (answer.kind !== 'front') return;
        store.adopt(answer.created);
        take(answer.put);
      }),
    );
    await this.#allOrFirstFailure([...asked, this.#putHere(pressed, inOrder, store, take)]);
    return puts;
  }

  /** Ends the helpers, whatever they are at. */
  dismiss(): Promise<void> {
    return dismissAll(this.#helpers);
  }

  /** Waits for all to end, then throws what failed first: nobody is left at work on a tree that its caller is done with. */
  async #allOrFirstFailure(works: readonly Promise<void>[]): Promise<void> {
    const failures: unknown[] = [];
    const note = (error: unknown): void => {
      failures.push(error);
      // Nothing more is begun.
      Atomics.store(this.#options.next, 0, NONE_LEFT);
    };
    await Promise.all(works.map((work) => work.catch(note)));
    if (failures.length > 0) throw failures[0];
  }

  async #pressHere(
    press: Press,
    ranges: readonly IdRange[],
    take: (index: number, range: PressedRange) => void,
  ): Promise<void> {
    for await (const index of untaken(this.#options.next, ranges.length)) {
      const range = ranges[index];
      if (range !== undefined) take(index, await press.range(range));
    }
  }

  async #putHere(
    { catalogue }: Pressed,
    tasks: readonly FrontTask[],
    store: ReleaseStore,
    take: (put: FrontPut) => void,
  ): Promise<void> {
    const { guards, now, next } = this.#options;
    for await (const index of untaken(next, tasks.length)) {
      const task = tasks[index];
      const editions = task === undefined ? undefined : this.#press?.editionsOf(task.code, catalogue);
      if (task !== undefined && editions !== undefined) take(await putFront(task, editions, guards, store, now));
    }
  }
}

/** Begins all transactions anew until nobody has committed in between; false where writers leave no time for it. */
async function isOneState(reader: CatalogueReader, helpers: readonly Helper[], databasePath: string): Promise<boolean> {
  const commits = commitCounter(databasePath);
  try {
    for (let i = 0; i < TRIES; i++) {
      const before = commits.count();
      await reader.restart();
      await Promise.all(helpers.map((helper) => helper.ask({ kind: 'restart' })));
      if (commits.count() === before) return true;
    }
    return false;
  } finally {
    commits.close();
  }
}

async function dismissAll(helpers: readonly Helper[]): Promise<void> {
  await Promise.all(helpers.map((helper) => helper.end()));
}

/** One other thread. */
class Helper {
  readonly #worker: Worker;
  #onAnswer: (answer: Answer) => void = () => undefined;
  #onEnd: (error: unknown) => void = () => undefined;
  /** Why the thread is there no more; null while it is. */
  #end: { readonly error: unknown } | null = null;

  constructor(options: CrewOptions) {
    this.#worker = startThread(options);
    this.#worker.on('message', (answer: Answer) => this.#onAnswer(answer));
    const onEnd = (error: unknown): void => {
      this.#end ??= { error };
      this.#onEnd(this.#end.error);
    };
    this.#worker.on('error', onEnd);
    this.#worker.on('exit', (code) => onEnd(new Error(`a thread of the build ended with ${code}`)));
  }

  /** Asks, hears what comes meanwhile, and returns with the last answer. @throws AppError what failed there */
  async ask(question: Question, onAnswer: (answer: Answer) => void = () => undefined): Promise<void> {
    // It may have ended between two questions.
    if (this.#end !== null) throw this.#end.error;
    const answered = this.#until(question.kind, onAnswer);
    this.#worker.postMessage(question);
    await answered;
  }

  async end(): Promise<void> {
    this.#onEnd = () => undefined;
    await this.#worker.terminate();
  }

  #until(kind: Answer['kind'], onAnswer: (answer: Answer) => void = () => undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onEnd = reject;
      this.#onAnswer = (answer) => {
        if (answer.kind === 'failed') {
          const { error } = answer;
          reject(typeof error === 'string' ? new Error(error) : new AppError(error.code, error.message, error.hint));
        } else if (answer.kind === kind) resolve();
        else onAnswer(answer);
      };
    });
  }
}

/** Starts the other thread's program: compiled where it is installed; from a checkout through tsx, as this one is. */
function startThread(workerData: CrewOptions): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('../press/helper.js', import.meta.url), { workerData });
  const tsx = new URL('./index.mjs', pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api'))).href;
  const entry = JSON.stringify(new URL('./helper.ts', import.meta.url).href);
  const program = `import(${JSON.stringify(tsx)}).then(({ tsImport }) => tsImport(${entry}, ${entry}))`;
  return new Worker(program, { eval: true, workerData });
}
