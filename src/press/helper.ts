// What runs in a helper thread of a build (crew.ts): answers one question after the other.

import { parentPort, workerData } from 'node:worker_threads';
import { untaken, type Answer, type CrewOptions, type Question } from './crew.ts';
import { openCatalogue, type CatalogueReader } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { Press } from './press.ts';
import { putFront } from '../release/put-front.ts';
import { DirectoryStore } from '../storage/directory-store.ts';
import { dryRunStore } from '../storage/dry-run-store.ts';
import { precompressingStore } from '../storage/precompressing-store.ts';

// As the crew has sent them.
const options = workerData as CrewOptions;
const { next, now } = options;
let reader: CatalogueReader | null = null;
let press: Press | null = null;

function answer(what: Answer): void {
  parentPort?.postMessage(what);
}

async function work(question: Question): Promise<void> {
  switch (question.kind) {
    case 'open':
      reader = await openCatalogue(options.databasePath);
      return;
    case 'restart':
      await reader?.restart();
      return;
    case 'load':
      if (reader === null) throw new Error('asked to load before the database was opened');
      press = await Press.open(reader, { ...options.press, isShared: true }, now);
      return;
    case 'press': {
      if (press === null) throw new Error('asked to press before the catalogue was loaded');
      for await (const index of untaken(next, question.ranges.length)) {
        const range = question.ranges[index];
        if (range === undefined) continue;
        answer({ kind: 'range', index, range: await press.range(range) });
      }
      return;
    }
    case 'put': {
      const directory = new DirectoryStore(options.outPath);
      const store = options.isDryRun ? dryRunStore(directory) : precompressingStore(directory, options.precompress);
      const catalogue = press?.catalogueOf(question.products);
      for await (const index of untaken(next, question.tasks.length)) {
        const task = question.tasks[index];
        if (press === null || catalogue === undefined)
          throw new Error('asked to put fronts before the products were pressed');
        if (task === undefined) continue;
        const put = await putFront(task, press.editionsOf(task.code, catalogue), options.guards, store, now);
        answer({ kind: 'front', put, created: directory.release() });
      }
    }
  }
}

parentPort?.on('message', (question: Question) => {
  work(question).then(
    () => answer({ kind: question.kind }),
    (error: unknown) => {
      if (error instanceof AppError) {
        const { code, message, hint } = error;
        answer({ kind: 'failed', error: { code, message, hint } });
      } else answer({ kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    },
  );
});
