// `playbill diff`: shows what differs between two releases and why; with --until, what the clock
// will change in one.

import { Option } from 'commander';
import { Zone } from '../../catalogue/calendar.ts';
import { formatInstant, parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { ForecastResultJson } from '../../contract/results/diff.ts';
import { AppError } from '../../errors.ts';
import type { FrontForecast } from '../../release/status/forecast.ts';
import type { FrontDiff } from '../../release/diff/release-diff.ts';
import type { ReleaseView } from '../../release/tree/release-view.ts';
import { DURATION_MAX_SECONDS } from '../arguments.ts';
import { frontLines, MARKDOWN_STYLE, partLines, TERMINAL_STYLE, type ReportStyle } from '../output/diff.ts';
import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import { MOMENT_FORMS } from '../moment.ts';
import type { FlagsOf, PlaybillCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { zoneTimeText } from '../output/text.ts';
import { countText } from '../../count-text.ts';
import { durationText } from '../output/terminal.ts';

type DiffFlags = FlagsOf<typeof declareDiff>;

function declareDiff(program: PlaybillCommand) {
  return program
    .command('diff')
    .summary('show what differs between two releases and why, or what the clock will change in one')
    .description(
      'Compares the products documents of two releases, each as of its own now: fronts, products, fields, order, categories, ' +
        'groups, tags and badges. Separates changes by the clock from changes of the data: the editions of the older release ' +
        'say what it would show by now. With --until, compares the editions of one release instead: what will change next, and ' +
        "when, in each front's wall time. Reads only the tree, and writes nothing.",
    )
    .operand(
      '[before]',
      'at least four digits of an id, `current`, `current~1` for the one below it in `releases`, or another tree: a folder or s3://bucket/prefix',
    )
    .operand(
      '[after]',
      'likewise; default for both: current~1 and current; --until takes only one, by default `current`',
    )
    .outFlag('the tree that keeps the releases')
    .flag('--front <code...>', 'only these fronts')
    .instantFlag('--until', `show what the clock will change until then; ${MOMENT_FORMS}`)
    .instantFlag('--from', 'with --until: the start (default: the current time)')
    .flag('--brief', 'only count changes, by kind')
    .flag('--exit-zero', 'exit 0 even if they differ, for a step that only reports')
    .jsonFlag()
    .typedFlag<{ readonly markdown?: true }>(
      new Option('--markdown', 'print Markdown, for a ticket or a pull request').conflicts('json'),
    ).helpBelow(`
Signs: + added, - gone, ~ changed (old → new), > moved to another place. Only products with a card are compared.
If the name of a folder is current or looks like an id, put ./ before it.

Examples:
  playbill diff                                             current~1 with current
  playbill diff 0123456789abcdef current                    what has changed since that release
  playbill diff out /srv/other --front moscow               two trees
  playbill diff --until 2026-05-02T00:00:00+03:00 --brief   what will midnight change?
  playbill diff current /srv/test --markdown > diff.md      for a ticket

Exit codes: 0 no differences, a forecast printed, or --exit-zero, 1 they differ, 2 wrong usage, no such release, or a
damaged file, ${TRY_AGAIN}.`);
}

export function addDiffCommand(program: PlaybillCommand): void {
  declareDiff(program).runs(runDiff);
}

async function runDiff(
  before: string | undefined,
  after: string | undefined,
  flags: DiffFlags,
  context: CommandContext,
): Promise<number> {
  const { diff, openNamedRelease } = await import('../../operations/diff.ts');
  const style = { ...(flags.markdown === true ? MARKDOWN_STYLE : TERMINAL_STYLE), isBrief: flags.brief === true };
  if (flags.until !== undefined) {
    if (after !== undefined) throw usage('--until takes one release, found two');
    return runForecast(await openNamedRelease(before ?? 'current', flags.out), flags.until, style, flags, context);
  }
  if (flags.from !== undefined) throw usage('--from needs --until');
  if (before !== undefined && after === undefined)
    throw usage('expected two releases, none, or --until, found one release');
  const old = await openNamedRelease(before ?? 'current~1', flags.out);
  const now = await openNamedRelease(after ?? 'current', flags.out);
  const frontCodes = flags.front ?? null;
  if (flags.json === true) {
    const json = await diff(old, now, frontCodes);
    context.terminal.print(JSON.stringify(json));
    return json.isDifferent && flags.exitZero !== true ? EXIT.findings : EXIT.done;
  }
  const { diffReleases } = await import('../../release/diff/release-diff.ts');
  const diffs = diffReleases(old, now, frontCodes);
  const tally = { same: 0, different: 0 };
  await context.terminal.printAll(endedLines(diffLines(old, now, diffs, style, tally)));
  return tally.different > 0 && flags.exitZero !== true ? EXIT.findings : EXIT.done;
}

function usage(message: string): AppError {
  return new AppError('usage', message, 'see playbill diff --help');
}

async function* diffLines(
  before: ReleaseView,
  after: ReleaseView,
  diffs: AsyncGenerator<FrontDiff>,
  style: ReportStyle,
  tally: { same: number; different: number },
): AsyncGenerator<string> {
  yield style.note(`before: release ${before.id} as of ${before.manifest.now}`);
  yield style.note(`after: release ${after.id} as of ${after.manifest.now}`);
  let horizonNeeded = 0;
  for await (const one of diffs) {
    if (one.state === 'changed') horizonNeeded = Math.max(horizonNeeded, one.diff.horizonNeededSeconds ?? 0);
    tally[one.state === 'same' ? 'same' : 'different'] += 1;
    if (one.state === 'changed') yield* frontLines(one.diff, style);
    else if (one.state !== 'same') yield style.front(one.front, `front ${one.state}, ${countText(one.cards, 'card')}`);
  }
  if (horizonNeeded > 0 && horizonNeeded <= DURATION_MAX_SECONDS) {
    const isForward = before.manifest.now <= after.manifest.now;
    const [older, newer, { manifest }] = isForward ? ['before', 'after', before] : ['after', 'before', after];
    const [built, needed] = [manifest.horizonSeconds, horizonNeeded].map(durationText);
    const reach = `--horizon ${needed} would have reached ${newer}'s now, and separated clock and data`;
    yield style.note(`note: ${older} was built with --horizon ${built}; ${reach}`);
  }
  const { same, different } = tally;
  const fronts = countText(same + different, 'front');
  const verb = different === 1 ? 'differs' : 'differ';
  yield style.note(different === 0 ? `No differences in ${fronts}` : `${different} of ${fronts} ${verb}`);
}

async function runForecast(
  release: ReleaseView,
  until: Instant,
  style: ReportStyle,
  flags: DiffFlags,
  context: CommandContext,
): Promise<number> {
  const from = flags.from ?? context.now();
  const [fromText, untilText] = [formatInstant(from), formatInstant(until)];
  if (until <= from) throw usage(`--until ${untilText} is not after --from ${fromText}`);
  const { forecast } = await import('../../release/status/forecast.ts');
  const forecasts = forecast(release, flags.front ?? null, fromText, untilText);
  if (flags.json === true) {
    const fronts: ForecastResultJson['fronts'] = [];
    for await (const { steps, ...front } of forecasts) {
      const zone = new Zone(front.timezone);
      fronts.push({ ...front, steps: steps.map((step) => ({ ...step, wallTime: offsetTimeOf(step.at, zone) })) });
    }
    const json: ForecastResultJson = { release: release.id, from: fromText, until: untilText, fronts };
    context.terminal.print(JSON.stringify(json));
    return EXIT.done;
  }
  await context.terminal.printAll(endedLines(forecastLines(release, forecasts, fromText, untilText, style)));
  return EXIT.done;
}

async function* forecastLines(
  release: ReleaseView,
  forecasts: AsyncGenerator<FrontForecast>,
  from: string,
  until: string,
  style: ReportStyle,
): AsyncGenerator<string> {
  // A snapshot may stay right beyond the horizon, until the next change. A horizon that reaches
  // `until` is always enough.
  const needed = (parseInstant(until) ?? 0) - (parseInstant(release.manifest.now) ?? 0);
  const remedy = needed > DURATION_MAX_SECONDS ? '' : `: build with --horizon ${durationText(needed)} or more`;
  yield style.note(`release ${release.id}, from ${from} until ${until}`);
  for await (const { front, timezone, validUntil, cards, steps } of forecasts) {
    const zone = new Zone(timezone);
    const reach = until < validUntil ? '' : `; known only until ${zoneTimeText(validUntil, zone)}${remedy}`;
    const what = steps.length === 0 ? 'nothing changes' : `${countText(steps.length, 'edition')} to come`;
    yield style.front(front, `${countText(cards, 'card')}, ${what} (times in ${timezone})${reach}`);
    for (const { at, changes } of steps) yield* partLines(zoneTimeText(at, zone), changes, style);
  }
}

/** In wall time with the offset, as documents print a session's start. */
function offsetTimeOf(text: string, zone: Zone): string {
  const instant = parseInstant(text);
  return instant === undefined ? text : zone.format(instant);
}

async function* endedLines(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
