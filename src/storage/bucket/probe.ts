// Finds out whether a store honours conditional writes, on which everything here relies, and which
// form of conditions it accepts. Runs once per tree, before the first lease, and for
// `status --deep`. A store that ignores conditions could silently lose a release.

import { randomUUID } from 'node:crypto';
import type { AppError } from '../../errors.ts';
import { errorOf } from './response-xml.ts';
import { notConditional, refusal } from './refusals.ts';
import type { Dialect, Requests, Version } from './requests.ts';

const FOLDER = '.probe';

/**
 * If a store lets a second writer win in one of eight races, thirty races catch it in 49 of 50
 * cases.
 */
const RACERS = 8;
const RACES = 30;

const DIALECTS: readonly Dialect[] = ['quoted', 'unquoted'];

/**
 * The form of conditions that a store honours.
 * @throws AppError store-not-conditional, tree-not-writable, and those of buckets
 */
export async function probe(requests: Requests): Promise<Dialect> {
  const folder = `${FOLDER}/${randomUUID()}`;
  const paths = [`${folder}/swap`];
  try {
    const dialect = await trySwap(`${folder}/swap`, requests);
    for (let race = 1; race <= RACES; race += 1) {
      paths.push(`${folder}/race-${race}`);
      await tryRace(`${folder}/race-${race}`, requests);
    }
    return dialect;
  } finally {
    // If the run may write but not remove, a few small objects stay.
    await Promise.all(paths.map((path) => requests.remove(path, async () => undefined).catch(() => undefined)));
  }
}

/** Creates an object and replaces one version of it by another. */
async function trySwap(path: string, requests: Requests): Promise<Dialect> {
  const isWritten = async (text: string, version: Version, dialect: Dialect): Promise<boolean> =>
    (await requests.write({ path, bytes: bytesOf(text) }, version, dialect, async () => undefined)).isWritten;
  if (!(await isWritten('first', null, 'quoted')))
    throw unfit('refuses to create an object under If-None-Match: *', requests);
  if (await isWritten('second', null, 'quoted')) throw unfit('overwrites an object under If-None-Match: *', requests);
  const version = (await requests.read(path))?.version ?? '';
  for (const dialect of DIALECTS) {
    if (!(await isWritten('third', version, dialect))) continue;
    if (await isWritten('fourth', version, dialect)) throw unfit('overwrites another version under If-Match', requests);
    return dialect;
  }
  throw unfit('refuses to overwrite the current version under If-Match', requests);
}

/** Creates one object several times at once: at most one attempt may succeed. */
async function tryRace(path: string, requests: Requests): Promise<void> {
  const attempts = Array.from({ length: RACERS }, (_, i) => requests.attempt(path, bytesOf(`racer ${i}`), null));
  let winners = 0;
  for (const response of await Promise.all(attempts)) {
    // A missing response or a failure proves nothing.
    if (response !== null && response.status < 300 && errorOf(response) === null) winners += 1;
    if (response?.status === 403) throw refusal(response, 'write', path, requests.connection);
  }
  if (winners > 1)
    throw unfit(`lets ${winners} of ${RACERS} writers create one object under If-None-Match: *`, requests);
}

function unfit(found: string, { server, connection }: Requests): AppError {
  return notConditional(found, server, connection);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
