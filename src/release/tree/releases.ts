// The releases that a tree keeps, and the words that stand for one. Their names say everything that
// is needed, so that no manifest is read.

import { formatInstant } from '../../catalogue/instant.ts';
import { byNewest, type DatedRelease, type Release } from '../../contract/release-name.ts';
import { AppError } from '../../errors.ts';
import { RELEASES_FOLDER, treeFileOf } from '../../render/paths.ts';
import type { TreeFiles } from './files.ts';
import { nothingPublished, orThrow } from './found.ts';
import { readCurrent } from './read.ts';

/** How many releases a hint names. */
const RELEASES_NAMED = 10;

/** What is in `releases/`, with readable content or not. */
export interface KeptReleases {
  /** Newest first. */
  readonly releases: readonly DatedRelease[];
  /** Those of earlier versions, by id. */
  readonly older: readonly Release[];
  /** The paths of all parts of manifests. */
  readonly parts: ReadonlySet<string>;
  /** Whether there is a hold, readable or not. */
  readonly isHeld: boolean;
}

/** Lists `releases/`. @throws AppError tree-unreadable */
export async function keptReleases(files: TreeFiles): Promise<KeptReleases> {
  const releases = new Map<string, Release>();
  const parts = new Set<string>();
  let isHeld = false;
  for (const path of await files.list(RELEASES_FOLDER)) {
    // If a folder has the name of a manifest, the list has the files in it.
    const file = treeFileOf(path.split('/', 2).join('/'));
    if (file?.kind === 'manifest') releases.set(file.release.name, file.release);
    else if (file?.kind === 'part') parts.add(path);
    else if (file?.kind === 'hold') isHeld = true;
  }
  const all = [...releases.values()];
  return {
    releases: all.filter(isDated).sort(byNewest),
    older: all.filter((release) => !isDated(release)),
    parts,
    isHeld,
  };
}

function isDated(release: Release): release is DatedRelease {
  return release.now !== null;
}

/**
 * What stands for a release: its name; the first four or more digits of its id; `current`;
 * `current~1` for the one below it in `playbill releases`.
 */
export const RELEASE_WORD = /^(?:current(?:~(\d{1,4}))?|(?:\d{8}T\d{6}Z-)?[0-9a-f]{4,})$/;

/**
 * The release that a word stands for.
 * @throws AppError release-unknown, nothing-published
 */
export async function resolveRelease(word: string, files: TreeFiles): Promise<Release> {
  if (word === 'current') return currentOf(files);
  const { releases, older } = await keptReleases(files);
  const all = [...releases, ...older];
  const parts = RELEASE_WORD.exec(word);
  const matching = parts?.[1]
    ? await releasesBefore(Number(parts[1]), all, files)
    : all.filter(({ id, name }) => parts !== null && (id.startsWith(word) || name === word));
  const [release, another] = matching;
  if (release !== undefined && another === undefined) return release;
  if (parts?.[1] && all.length === 1) {
    throw new AppError(
      'release-unknown',
      `expected a release before the current one in ${files.root}, found that it keeps only one release`,
      'publish another when something has changed: playbill build',
    );
  }
  const [expected, lead, candidates] =
    another === undefined ? ['a', 'kept releases', all] : ['one', 'it matches', matching];
  const digits = /^[0-9a-f]{1,3}$/.test(word) ? 'type at least four digits of an id; ' : '';
  throw new AppError(
    'release-unknown',
    `expected ${expected} release that ${files.root} keeps, found ${JSON.stringify(word)}`,
    all.length === 0
      ? 'no release is kept; publish with: playbill build'
      : `${digits}${lead}: ${releasesText(candidates)}`,
  );
}

function releasesText(releases: readonly Release[]): string {
  const named = releases
    .slice(0, RELEASES_NAMED)
    .map(({ id, now }) => (now === null ? id : `${id} (${formatInstant(now)})`));
  return `${named.join(', ')}${releases.length > RELEASES_NAMED ? ' …; for all of them: playbill releases' : ''}`;
}

async function currentOf(files: TreeFiles): Promise<Release> {
  const current = await readCurrent(files);
  if (!current.ok && current.why === 'missing') throw nothingPublished('a current release', files.root);
  return orThrow(current, 'tree-unreadable', files.root);
}

/**
 * The releases that `current~steps` may stand for: several if they are for one instant, none if
 * there are not so many before the current one.
 */
async function releasesBefore(steps: number, all: readonly Release[], files: TreeFiles): Promise<readonly Release[]> {
  const current = await currentOf(files);
  if (steps === 0) return all.filter(({ name }) => name === current.name);
  const before = all
    .filter(isDated)
    .filter(({ name, now }) => name !== current.name && now <= (current.now ?? Number.NEGATIVE_INFINITY));
  return before.filter(({ now }) => now === before[steps - 1]?.now);
}
