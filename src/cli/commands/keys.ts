// `playbill keys issue|list|revoke`: onboards a client. A private key is given out once, to a file or printed, and kept nowhere.

import type { KeysResultJson } from '../../contract/results.ts';
import { PROFILE_NAMES } from '../../edge/rule/profile.ts';
import { AppError, shellWord } from '../../errors.ts';
import { secretRefArgument } from '../arguments.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import type { PlaybillCommand } from '../command.ts';
import { stateCell, tableText } from '../output/table.ts';
import { notifyOfPublish, type PublishHook } from '../on-publish.ts';
import type { CommandContext } from '../context.ts';
import { errorText } from '../output/terminal.ts';

const EXIT_CODES = `Exit codes: 0 done, 2 wrong usage or unreadable input, 5 another run is changing the key ring,
6 the tree could not be written.`;

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
    .description(
      'A key speaks for one front. The catalogue holds its public half, or the name of a secret; never more.',
    )
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
      'Stores the public half, puts the key into force in the tree, and gives out the private half: once, into a file or printed. With ' +
        'two live keys a client changes over without a gap: issue the new one, change the client, revoke the old one.',
    )
    .requiredFlag('--front <code>', 'the front that the key speaks for')
    .flag(
      '--keyid <id>',
      'its name in requests (default: the front and the month, such as moscow-2026-05, then moscow-2026-05-2)',
    )
    .flag(
      '--alg <name>',
      'ecdsa-p256-sha256 (the default) needs no secret at the edge; hmac-sha256 runs everywhere; ed25519 where the runtime has it',
      ['ecdsa-p256-sha256', 'hmac-sha256', 'ed25519'],
    )
    .presetFlag(
      '--profile <name>',
      'how the client signs: signed-headers takes hmac-sha256 alone',
      PROFILE_NAMES[0],
      PROFILE_NAMES,
    )
    .flag(
      '--secret-ref <name>',
      "hmac only: the name of the secret in the edge's own store; the secret itself is never asked for",
      secretRefArgument,
    )
    .flag('--to <file>', 'write the key there, readable for you alone; never over a file that is there')
    .instantFlag('--not-before', 'valid from')
    .instantFlag('--not-after', 'valid until')
    .dbFlag('the catalogue')
    .outFlag('the tree whose key ring is replaced, if there is one')
    .onChangeFlags()
    .jsonFlag('print the key alone; with --to, all of it but the private half')
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
      if (isListed && !isHmac) {
        const message = `--profile signed-headers needs --alg hmac-sha256, found ${alg}`;
        throw new AppError('key-invalid', message, 'see: playbill keys issue --help');
      }
      if (flags.notBefore !== undefined && flags.notAfter !== undefined && flags.notAfter <= flags.notBefore) {
        const message = 'expected --not-after to be later than --not-before, found a key that is never valid';
        throw new AppError('key-invalid', message, 'see: playbill keys issue --help');
      }
      if (isHmac !== (flags.secretRef !== undefined)) {
        const message = isHmac
          ? 'hmac-sha256 needs --secret-ref, the name of a secret'
          : `${alg} takes no --secret-ref`;
        throw new AppError('key-invalid', message, 'see: playbill keys issue --help');
      }
      const { issueKey } = await import('../../operations/keys.ts');
      await checkAddress(flags.out);
      const unset = { keyid: null, secretRef: null, notBefore: null, notAfter: null, to: null };
      const issued = await issueKey(flags.db, { ...unset, ...flags, alg }, now());
      const { keyid, front, secretRef } = issued;
      if (flags.to === undefined) {
        terminal.print(JSON.stringify(issued));
        if (flags.json !== true) terminal.log(`Issued ${keyid} (${alg}) for ${front}. ${ONLY_COPY}`);
      } else if (flags.json === true) {
        terminal.print(JSON.stringify({ ...issued, privateKey: null, privatePem: null }));
      } else terminal.print(`Issued ${keyid} (${alg}) for ${front}: ${flags.to}`);
      if (secretRef !== null) {
        terminal.log(secretText(secretRef));
      }
      return enforce(flags, context);
    });
}

/** Where a secret has to be, before any reload or deployment. */
function secretText(secretRef: string): string {
  return `Give the client the secret, and the edge the same under the name ${secretRef}: 32 random bytes, say from
  openssl rand -base64 32
Each edge needs it before it reads the key ring:
  nginx   a line for ${secretRef} in playbill-secrets.json. An edge that was built before any key
          had a secret reads none: playbill edge build --target nginx, then install that
  worker  an environment variable; on Cloudflare a secret: wrangler secret put ${secretRef}
  authorizer  an environment variable of its service, then a restart
lambda-edge has no secrets and refuses such keys`;
}

const ONLY_COPY = `What is printed is what sign --key and the client read, and the only copy of its private half:
keep it in a file that only you can read, as --to FILE makes it.`;

const STYLES = { valid: 'good', 'not-yet-valid': 'warning', expired: 'warning', revoked: 'bad' } as const;

function addList(keys: PlaybillCommand): void {
  keys
    .command('list')
    .summary('all keys, and whether they are valid now')
    .dbFlag('the catalogue')
    .jsonFlag('print them for machines')
    .helpBelow(`
Example:
  playbill keys list --json | jq -r '.keys[] | select(.state == "valid").keyid'

Exit codes: 0 done, 2 wrong usage or unreadable input.`)
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
      terminal.print(flags.json === true ? JSON.stringify(json) : tableText(header, rows));
    });
}

/** When a key is valid, to the minute; of a revoked one from when on it is not. */
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
    .summary('end a key, and say what to type for each kind of edge')
    .description(
      'The key ring of the tree has the revocation at once, whatever build is running. Edges that keep their keys refuse the key when ' +
        'they read the key ring again: what to type for that is printed.',
    )
    .operand('<keyid>', 'the key')
    .instantFlag('--at', 'revoked from then on (default: the current time)')
    .dbFlag('the catalogue')
    .outFlag('the tree whose key ring is replaced, if there is one')
    .onChangeFlags()
    .jsonFlag('print what was done for machines')
    .helpBelow(`
Examples:
  playbill keys revoke moscow-2026-05
  playbill keys revoke moscow-2026-05 --on-change ./deploy-worker.sh

--on-change gets what --on-publish of build gets, with isKeyRingChanged and no
paths, and only if the key ring of the tree changed. Where it fails, that is a
warning: the key ring is in force all the same.

${EXIT_CODES}`)
    .writes()
    .runs(async (keyid, flags, context) => {
      const { terminal, now } = context;
      const { revoke } = await import('../../operations/keys.ts');
      await checkAddress(flags.out);
      const revokedAt = await revoke(flags.db, keyid, flags.at ?? now());
      const json = { keyid, revokedAt };
      terminal.print(flags.json === true ? JSON.stringify(json) : `Revoked ${keyid} from ${revokedAt} on`);
      return enforce(flags, context);
    });
}

/** Refuses a tree that cannot be one, while the catalogue is as it was. @throws AppError usage */
async function checkAddress(out: string): Promise<void> {
  const { checkTreeAddress } = await import('../../operations/publish-keys.ts');
  checkTreeAddress(out);
}

interface EnforceFlags {
  readonly db: string;
  readonly out: string;
  readonly onChange?: PublishHook;
  readonly onChangeTimeout: number;
}

const CHANGE_STANDS = `the key ring of the tree is in force all the same
  hint: no later run repeats it: do by hand what it would have done`;

/**
 * Puts a change of keys into force, where there is a tree already, and says how edges come to know of it, or notifies them. The catalogue
 * has it by now and its result is printed, so a failure is logged beside the result, and is the exit code.
 */
async function enforce({ db, out, onChange, onChangeTimeout }: EnforceFlags, context: CommandContext): Promise<number> {
  const { terminal, now } = context;
  const { databaseText } = await import('../../operations/database-text.ts');
  const { hasTree, publishKeys } = await import('../../operations/publish-keys.ts');
  try {
    if (await hasTree(out)) {
      const { plan, releaseId, asOf } = await publishKeys(db, out);
      terminal.log(`The key ring of ${out} is in force. ${edgesText(out)}`);
      const hook = { onPublish: onChange, onPublishTimeout: onChangeTimeout };
      const isChanged = plan.some(({ action }) => action !== 'keep');
      if (onChange !== undefined && !(isChanged && releaseId !== null))
        terminal.log(
          `--on-change is not run: ${isChanged ? 'the tree has no release' : 'the key ring was so already'}`,
        );
      for (const { message } of await notifyOfPublish(plan, releaseId, hook, context, asOf ?? now()))
        terminal.log(`warning on-change-failed: ${message}; ${CHANGE_STANDS}`);
    } else {
      terminal.log(`warning: there is no tree at ${out}, so no edge can learn of the change yet
  hint: name the tree with --out to do it now; otherwise the next build does it
Then: ${edgesText(out)}`);
    }
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    terminal.log(
      `${errorText(error)}\nThe catalogue has the change, but the key ring of ${out} is not in force yet: as soon as that can be written, run: playbill build --db ${shellWord(databaseText(db))} --out ${shellWord(out)}`,
    );
    return exitCodeOf(error.code);
  }
}

/** What to type for each kind of edge, once a tree has a new key ring. */
function edgesText(out: string): string {
  return `Edges that read the tree itself know it at once, those over a bucket within a minute. Others go on with the keys that they know until:
  copy    edge/keyring.json is copied to where nginx or serve reads a copy of the tree
  worker  built with --key-ring: edge/keyring.json is copied to that URL or binding
          with a URL or a folder alone: playbill edge build --target worker --out ${shellWord(out)}
          with the target and options that it was built with; then deploy that folder as its README says`;
}
