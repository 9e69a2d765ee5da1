// `playbill keys issue|list|revoke`. A private key is output once, to a file or to stdout, and
// stored nowhere else.

import { resolve } from 'node:path';
import type { Allowed } from '../../contract/manifest.ts';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { AllowableGuard } from '../../contract/allowable-guards.ts';
import type { KeysResultJson } from '../../contract/results/keys.ts';
import type { KeysGuard } from '../../contract/results/parts.ts';
import { AppError, shellWord } from '../../errors.ts';
import type { Revoked } from '../../operations/keys.ts';
import type { Revocation } from '../../operations/publish-keys.ts';
import { DEFAULT_MAX_SHRINK, secretRefArgument } from '../arguments.ts';
import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import type { PlaybillCommand } from '../command.ts';
import { stateCell, tableText } from '../output/table.ts';
import { valueInFile } from '../settings/in-force.ts';
import { SETTINGS } from '../settings/settings.ts';
import { notifyOfKeys, type ChangeHookFlags } from '../on-publish.ts';
import type { CommandContext } from '../context.ts';
import { errorMessage, findingMessage, type Message } from '../output/messages.ts';
import { keysGuardText } from '../output/releases.ts';

const EXIT_CODES = `Exit codes: 0 done, 2 wrong usage or unreadable input, 4 done, but the key ring keeps keys that the catalogue has lost,
5 another run is changing the key ring, 6 the catalogue has the change and the tree does not, ${TRY_AGAIN}.`;

const HELP = `
Examples:
  playbill keys issue --front moscow --to moscow.key.json
  playbill keys list
  playbill keys revoke moscow-2026-05

${EXIT_CODES}`;

export function addKeysCommand(program: PlaybillCommand): void {
  const keys = program
    .command('keys')
    .summary('issue, list and revoke the keys that requests are signed with')
    .description('A key is for one front. The catalogue stores only its public half or the name of its secret.')
    .helpBelow(HELP);
  addIssue(keys);
  addList(keys);
  addRevoke(keys);
}

function addIssue(keys: PlaybillCommand): void {
  keys
    .command('issue')
    .summary('make a key pair, or name a secret, and bind it to a front')
    .description(
      'Stores the public half in the catalogue and in the key ring of the tree, and outputs the private half once, to a file or to stdout. ' +
        'To replace a key without downtime: issue a new one, change the client, then revoke the old one.',
    )
    .requiredFlag('--front <code>', 'the front that the key is for')
    .flag(
      '--keyid <id>',
      'the name of the key in requests (default: the front and the month, such as moscow-2026-05, then moscow-2026-05-2)',
    )
    .flag(
      '--alg <name>',
      'ecdsa-p256-sha256 (default) needs no secret at the edge; hmac-sha256 needs a secret there; ed25519 also needs none, but not every runtime supports it',
      ['ecdsa-p256-sha256', 'hmac-sha256', 'ed25519'],
    )
    .profileFlag('how the client signs: signed-headers needs hmac-sha256')
    .flag(
      '--secret-ref <name>',
      "hmac only: the name of the secret in the edge's own store; Playbill never asks for the secret itself",
      secretRefArgument,
    )
    .flag('--to <file>', 'write the key to a new file that only you can read')
    .instantFlag('--not-before', 'valid from')
    .instantFlag('--not-after', 'valid until')
    .dbFlag('the catalogue')
    .outFlag('the tree whose key ring is replaced, if there is one')
    .allowFlag()
    .onChangeFlags()
    .jsonFlag('print only the key; with --to, without the private half')
    .helpBelow(`
Examples:
  playbill keys issue --front moscow --to moscow.key.json
  playbill keys issue --front moscow --alg hmac-sha256 \\
    --secret-ref PLAYBILL_MOSCOW
  playbill keys issue --front moscow --profile signed-headers \\
    --secret-ref PLAYBILL_MOSCOW

${EXIT_CODES}`)
    .writes()
    .runs(async (flags, context) => {
      const { terminal, now } = context;
      const isListed = flags.profile === 'signed-headers';
      const alg = flags.alg ?? (isListed ? 'hmac-sha256' : 'ecdsa-p256-sha256');
      const isHmac = alg === 'hmac-sha256';
      const invalid = (message: string) => new AppError('key-invalid', message, 'see: playbill keys issue --help');
      if (isListed && !isHmac) throw invalid(`--profile signed-headers needs --alg hmac-sha256, found ${alg}`);
      if (flags.notBefore !== undefined && flags.notAfter !== undefined && flags.notAfter <= flags.notBefore)
        throw invalid('expected --not-after to be later than --not-before, found a key that is never valid');
      if (isHmac !== (flags.secretRef !== undefined))
        throw invalid(isHmac ? 'hmac-sha256 needs --secret-ref, the name of a secret' : `${alg} takes no --secret-ref`);
      if (flags.to === undefined && !isHmac && terminal.isTerminal) {
        const found = 'expected a file for the private half of the key, found a terminal, which keeps what it shows';
        throw new AppError('usage', found, 'add --to key.json, or send stdout to another program');
      }
      const { issueKey } = await import('../../operations/keys.ts');
      await checkAddress(flags.out);
      const takenKeyids = new Set(Object.keys((await ringOf(flags.out))?.keys ?? {}));
      const unset = { keyid: null, secretRef: null, notBefore: null, notAfter: null, to: null, takenKeyids };
      const issued = await issueKey(flags.db, { ...unset, ...flags, alg }, now());
      const { keyid, front, secretRef } = issued;
      if (flags.to === undefined) {
        terminal.print(JSON.stringify(issued));
        if (flags.json !== true)
          terminal.log(`Issued ${keyid} (${alg}) for ${front}. ${isHmac ? '' : ONLY_COPY}${KEEP_IT}`);
      } else if (flags.json === true) {
        terminal.print(JSON.stringify({ ...issued, privateKey: null, privatePem: null }));
      } else terminal.print(`Issued ${keyid} (${alg}) for ${front}: ${flags.to}`);
      if (secretRef !== null) terminal.log(secretText(secretRef, context));
      return (await enforce(flags, context)).exitCode;
    });
}

/** What to do with the secret of a new key: at the edge of the settings, or at any. */
function secretText(secretRef: string, { settings }: CommandContext): string {
  const target = valueInFile(SETTINGS.target, settings);
  const steps = {
    nginx: `add ${secretRef} to playbill-secrets.js, then nginx -s reload`,
    worker: `set an environment variable; on Cloudflare: wrangler secret put ${secretRef}`,
    authorizer: 'set an environment variable of the service, then restart it',
    'lambda-edge': 'cannot have secrets and refuses such keys',
  };
  const kind = target === undefined || target in steps ? target : 'worker';
  const lines = Object.entries(steps).filter(([name]) => kind === undefined || name === kind);
  return `Make a secret of 32 random bytes, give it to the client, and set it at the edge under the name ${secretRef}:
  openssl rand -base64 32
Each edge needs the secret before it reads the key ring:
${lines.map(([name, step]) => `  ${name.padEnd(6)}  ${step}`).join('\n')}`;
}

const ONLY_COPY = 'This is the only copy of the private half. ';
const KEEP_IT = `Keep it in a file that only you can read, such as --to FILE writes:
sign --key and the client read that file.`;

const STYLES = { valid: 'good', 'not-yet-valid': 'warning', expired: 'warning', revoked: 'bad' } as const;

function addList(keys: PlaybillCommand): void {
  keys
    .command('list')
    .summary('list all keys and their state')
    .dbFlag('the catalogue')
    .jsonFlag()
    .helpBelow(`
Example:
  playbill keys list --json | jq -r '.keys[] | select(.state == "valid").keyid'

Exit codes: 0 done, 2 wrong usage or unreadable input, ${TRY_AGAIN}.`)
    .runs(async (flags, { terminal, now }) => {
      const { keysOf } = await import('../../operations/keys.ts');
      const json = await keysOf(flags.db, now());
      const header = ['keyid', 'front', 'alg', 'state', 'dates'];
      const rows = json.keys.map((key) => [
        key.keyid,
        key.front,
        key.alg,
        stateCell(key.state, STYLES[key.state], terminal),
        datesText(key),
      ]);
      terminal.print(flags.json === true ? JSON.stringify(json) : tableText(header, rows, terminal));
    });
}

/** When a key is valid, to the minute, or since when it is revoked. */
function datesText({ notBefore, notAfter, revokedAt }: KeysResultJson['keys'][number]): string {
  const until = revokedAt === null ? notAfter : null;
  const dates = Object.entries({ from: notBefore, until, 'revoked from': revokedAt });
  const texts = dates.flatMap(([word, instant]) =>
    instant === null ? [] : [`${word} ${instant.replace('T', ' ').replace(/:00Z$/, 'Z')}`],
  );
  return texts.join(', ') || '-';
}

function addRevoke(keys: PlaybillCommand): void {
  keys
    .command('revoke')
    .summary('revoke a key, and say what to type for each kind of edge')
    .description(
      'Updates the key ring of the tree at once, even while a build is running. Edges with a copy of the key ring refuse the key when they get ' +
        'the new one; the command prints what to type for that.',
    )
    .operand('<keyid>', 'the key')
    .instantFlag('--at', 'when the revocation takes effect (default: now)')
    .dbFlag('the catalogue')
    .outFlag('the tree whose key ring is replaced, if there is one')
    .allowFlag()
    .onChangeFlags()
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill keys revoke moscow-2026-05
  playbill keys revoke moscow-2026-05 --on-change ./deploy-worker.sh

--on-change runs only if the key ring of the tree changed. It gets the same JSON
as --on-publish of build, with isKeyRingChanged and no paths. A failure is only
a warning: the key ring has been published.

${EXIT_CODES}`)
    .writes()
    .runs(async (keyid, flags, context) => {
      const { terminal, now } = context;
      const { revoke } = await import('../../operations/keys.ts');
      await checkAddress(flags.out);
      const revoked = { keyid, ...(await revoke(flags.db, keyid, await ringOf(flags.out), flags.at ?? now())) };
      const { revokedAt, isInCatalogue } = revoked;
      const isJson = flags.json === true;
      const text = `Revoked ${keyid}, effective ${revokedAt}`;
      if (isInCatalogue && !isJson) terminal.print(text);
      const { exitCode, guards } = await enforce(flags, context, revoked);
      if (isJson) terminal.print(JSON.stringify({ keyid, revokedAt, guards }));
      else if (!isInCatalogue)
        terminal.print(`${text}, in the key ring of ${flags.out}: the catalogue has no such key`);
      return exitCode;
    });
}

/** Refuses an invalid tree address before the catalogue is changed. @throws AppError usage */
async function checkAddress(out: string): Promise<void> {
  const { checkTreeAddress } = await import('../../operations/publish-keys.ts');
  checkTreeAddress(out);
}

/**
 * The published key ring. null also if it cannot be read: then publishing the change fails as well,
 * and that is reported.
 */
async function ringOf(out: string): Promise<KeyRing | null> {
  const { publishedKeyRing } = await import('../../operations/publish-keys.ts');
  try {
    return await publishedKeyRing(out);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

interface EnforceFlags extends ChangeHookFlags {
  readonly db: string;
  readonly out: string;
  readonly allow?: readonly AllowableGuard[];
}

function changeStands(problem: string): Pick<Message, 'message' | 'hint'> {
  return {
    message: `${problem}; the new key ring of the tree is published nevertheless`,
    hint: 'no later run repeats it: do by hand what it would have done',
  };
}

/**
 * Publishes a change of keys if there is a tree, then runs the hook and says how edges get the new
 * key ring. If the catalogue has the change, it has been printed, and a failure here is only logged
 * and returned as the exit code.
 */
async function enforce(
  flags: EnforceFlags,
  context: CommandContext,
  revoked: (Revocation & Revoked) | null = null,
): Promise<{ readonly exitCode: number; readonly guards: readonly KeysGuard[] }> {
  const { db, out, allow = [], onChange } = flags;
  const { terminal, now } = context;
  const maxShrink = valueInFile(SETTINGS.maxShrink, context.settings) ?? DEFAULT_MAX_SHRINK;
  const { databaseText } = await import('../../database/open.ts');
  const { hasTree, publishKeys } = await import('../../operations/publish-keys.ts');
  try {
    if (!(await hasTree(out))) {
      terminal.log({
        level: 'warning',
        message: `there is no tree at ${out}, so no edge can see the change yet`,
        hint: [
          'name the tree with --out to publish it now; otherwise the next build does. Then:',
          ...edgesText(out, context).split('\n'),
        ],
      });
      return { exitCode: EXIT.done, guards: [] };
    }
    const settings = { guards: { maxShrink, allow, force: false }, frontCodes: null };
    const { plan, guards, findings, releaseId, asOf } = await publishKeys(db, out, settings, now(), revoked);
    for (const finding of findings) terminal.log(findingMessage(finding));
    for (const guard of guards) terminal.log({ level: 'warning', place: 'keys', message: keysGuardText(guard) });
    terminal.log(`The key ring of ${out} is published. ${edgesText(out, context)}`);
    const isChanged = plan.some(({ action }) => action !== 'keep');
    if (onChange !== undefined && !(isChanged && releaseId !== null))
      terminal.log(
        `--on-change is not run: ${isChanged ? 'the tree has no release' : 'the key ring was already up to date'}`,
      );
    const problem = await notifyOfKeys(plan, allowedKeys(guards), releaseId, flags, context, asOf ?? now());
    if (problem !== null) terminal.log({ level: 'warning', code: 'on-change-failed', ...changeStands(problem) });
    return { exitCode: guards.some(({ isOverridden }) => !isOverridden) ? EXIT.guarded : EXIT.done, guards };
  } catch (error) {
    if (!(error instanceof AppError) || revoked?.isInCatalogue === false) throw error;
    terminal.log(errorMessage(error));
    terminal.log({
      level: 'warning',
      message: `The catalogue has the change, but the key ring of ${out} does not: once the tree can be written, run: playbill build --db ${shellWord(databaseText(db))} --out ${shellWord(out)}`,
    });
    // Not 2, which says that nothing was written. `keys revoke` again would publish the change.
    const isRepeatable = revoked !== null;
    const isMended = error.exitCode === EXIT.locked || (error.exitCode === EXIT.tryAgain && isRepeatable);
    return { exitCode: isMended ? error.exitCode : EXIT.notWritten, guards: [] };
  }
}

function allowedKeys(guards: readonly KeysGuard[]): Allowed {
  return guards.some(({ isOverridden }) => isOverridden) ? [{ code: 'keys-vanished', fronts: null }] : [];
}

/**
 * What to do once the tree has a new key ring: for the edge of the settings, or for each kind. None
 * needs a reload or a deployment.
 */
function edgesText(out: string, { settings }: CommandContext): string {
  const assets = `wrangler kv key put --remote --binding KEYRING keyring.json --path ${shellWord(`${resolve(out)}/edge/keyring.json`)}`;
  const target = valueInFile(SETTINGS.target, settings);
  const isAssets = target === 'cloudflare' && !(valueInFile(SETTINGS.origin, settings) ?? '').includes('://');
  if (isAssets) return `In ${valueInFile(SETTINGS.to, settings) ?? 'edge-cloudflare'}, run:\n  ${assets}`;
  if (target !== undefined) {
    const when = target === 'nginx' ? 'at the next request' : 'within a minute';
    return `The edge (${target}) uses it ${when}; if it reads a copy of the tree, copy edge/keyring.json there`;
  }
  return `Edges that read the tree itself, in a folder or a bucket, use it within a minute. For others:
  copy    if an edge reads a copy of the tree, or a URL: copy edge/keyring.json there
  assets  if Cloudflare has the tree as assets: in the folder that edge build wrote, run
          ${assets}`;
}
