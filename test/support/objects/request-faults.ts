// A request of a run answered badly, once or each time it is made: how the run must end, what a
// reader must see of it, and that the next run finishes. On whichever store; what is expected is
// the same on all.

import { expect } from 'vitest';
import { AppError, type ErrorCode } from '../../../src/errors.ts';
import { expectSameFiles, type BucketTree } from './bucket-tree.ts';
import { faultAt, type ChosenRequest } from './chosen-requests.ts';
import type { Fault } from './faults.ts';
import type { Scenario } from './fault-scenarios.ts';
import type { ObservedStore } from './test-store.ts';

export interface RequestFault {
  readonly name: string;
  readonly fault: Fault;
  /** Whether a request can be answered so. */
  readonly suits: (method: string) => boolean;
}

const any = (): boolean => true;
const hasBody = (method: string): boolean => method === 'GET' || method === 'LIST';

export const RESET: RequestFault = { name: 'the connection is reset', fault: { kind: 'reset' }, suits: any };
export const ANSWER_LOST: RequestFault = {
  name: 'it is done, and the answer lost',
  fault: { kind: 'answer-dropped' },
  suits: any,
};
export const STATUS_500: RequestFault = { name: '500', fault: { kind: 'status', status: 500 }, suits: any };

/** Faults after which it is known at once that there was one. */
export const FAULTS: readonly RequestFault[] = [
  RESET,
  ANSWER_LOST,
  { name: '409', fault: { kind: 'status', status: 409 }, suits: any },
  { name: '429 with Retry-After', fault: { kind: 'status', status: 429, retryAfterSeconds: 0 }, suits: any },
  STATUS_500,
  { name: '503', fault: { kind: 'status', status: 503 }, suits: any },
  { name: '400 RequestTimeout', fault: { kind: 'refusal', code: 'RequestTimeout' }, suits: any },
  // Of an object's content nobody can tell.
  { name: '200 with an `<Error>`', fault: { kind: 'error-in-200' }, suits: (method) => /^(PUT|LIST)$/.test(method) },
];

/** Faults that a repetition mends, or that are none. */
export const PASSING_FAULTS: readonly RequestFault[] = [
  { name: 'a body that comes slowly', fault: { kind: 'slow-body', pieces: 3, gapMs: 1 }, suits: hasBody },
  { name: 'a body cut off halfway', fault: { kind: 'cut-body' }, suits: hasBody },
];

/** A second of silence each. */
export const SILENCES: readonly RequestFault[] = [
  { name: 'no answer at all', fault: { kind: 'hang' }, suits: any },
  { name: 'a body that never ends', fault: { kind: 'endless-body' }, suits: hasBody },
];

export function methodOf({ name }: ChosenRequest): string {
  return name.slice(0, name.indexOf(' '));
}

/**
 * The run with one request of its answered so once: it makes that request again, and ends as if
 * nothing had been.
 */
export async function expectMended(
  scenario: Scenario,
  request: ChosenRequest,
  { name, fault }: RequestFault,
  tree: BucketTree,
  store: ObservedStore,
): Promise<void> {
  const what = `${scenario.name}, ${request.name} #${request.occurrence}, ${name}`;
  await tree.reset(scenario.base);
  let faults = 0;
  const plan = faultAt(request, fault);
  store.faults = (planned) => {
    const planted = plan(planned);
    if (planted !== null) faults += 1;
    return planted;
  };
  const thrown = await scenario.run().catch((error: unknown) => error);
  store.faults = null;
  expect(thrown instanceof Error ? thrown : null, what).toBe(null);
  expect(faults, what).toBe(1);
  expectSameFiles(await tree.files(), scenario.expected, what);
}

/**
 * The run with one request of its answered so each time it is made: it gives up with a code, unless
 * the request was one that it can do without; a reader sees whole snapshots; and the next run, once
 * the lease is over, ends in the same tree as one that nothing disturbed.
 */
export async function expectContained(
  scenario: Scenario,
  request: ChosenRequest,
  { name, fault }: RequestFault,
  tree: BucketTree,
  store: ObservedStore,
): Promise<void> {
  const what = `${scenario.name}, ${request.name} #${request.occurrence}, always ${name}`;
  await tree.reset(scenario.base);
  store.faults = faultAt(request, fault, true);
  const thrown = await scenario.run().catch((error: unknown) => error);
  store.faults = null;
  expect(endingOf(thrown), what).toBe(expectedEnding(scenario, request, fault));
  await tree.judge(scenario.before, scenario.after);
  store.clock.advance(LEASE_OVER_MS);
  await scenario.run();
  expectSameFiles(await tree.files(), scenario.expected, what);
}

/** Longer than any lease may be. */
export const LEASE_OVER_MS = 3_700_000;

function endingOf(thrown: unknown): ErrorCode | 'done' | Error {
  if (thrown instanceof AppError) return thrown.code;
  return thrown instanceof Error ? thrown : 'done';
}

function expectedEnding(scenario: Scenario, request: ChosenRequest, { kind }: Fault): ErrorCode | 'done' {
  const { requests } = scenario;
  const position = requests.indexOf(request);
  // Only the end of the lease follows; where that cannot be written, the next run waits for it.
  if (position === requests.length - 1 && request.name.endsWith('/.lock')) return 'done';
  // The release is published; that nothing is pruned is a finding.
  const published = requests.findIndex((one) => one.name.startsWith('PUT') && one.name.endsWith('/releases/current'));
  if (scenario.name.includes('publish') && position > published) return 'done';
  // What is there is what was to be written.
  if (methodOf(request) === 'PUT' && kind === 'answer-dropped') return 'done';
  return kind === 'reset' || kind === 'answer-dropped' ? 'store-unreachable' : 'store-busy';
}
