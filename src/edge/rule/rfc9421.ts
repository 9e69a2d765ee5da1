// The signature profile `rfc9421`: HTTP Message Signatures (RFC 9421) cut down to what edge.md
// allows, in canonical serialisation only, so that a label's raw text is what was signed. It
// refuses component parameters, other derived components and other parameters. Of Structured Fields
// (RFC 8941) it knows just enough to find its own label among others.

import { COVERED_MAX, MALFORMED, MISSING, type SignedRequest, type SignatureProfile } from './profile.ts';
import type { Reason } from './refusal-codes.ts';
import type { SettingsFile } from './settings.ts';
import {
  authorityOf,
  combined,
  type FieldLine,
  targetPath,
  targetQuery,
  type RuleRequest,
  type SignedParts,
} from './request.ts';

const AUTHORITY = '@authority';
/** The derived components that a signature may cover (RFC 9421, 2.2). */
const DERIVED: { readonly [name: string]: (request: SignedParts) => string } = {
  '@method': (request) => request.method,
  [AUTHORITY]: authorityOf,
  '@path': (request) => targetPath(request.target),
  '@query': (request) => targetQuery(request.target),
  '@scheme': (request) => request.scheme,
};

/**
 * The members of a dictionary: the text between commas outside strings. A string without an end
 * takes the rest, so that nothing is searched for its end a second time: that took seconds for a
 * header of a few kilobytes.
 */
const MEMBERS = /(?:"(?:[^"\\]|\\.)*"|[^",])+|".*/g;
const LABEL = /^[a-z*][a-z\d_.*-]*=/;
/**
 * Our application's tag (RFC 9421, 2.3), also where it is not written canonically: malformed is not
 * the same as unsigned.
 */
const TAGGED = /; *tag="x-front"/;
/**
 * Component names in quotes: lower case, and no parameters but that of `@query-param`, without
 * which that means nothing.
 */
const COMPONENTS = /"@query-param";name="[^"\\]*"|"@?[a-z\d!#$%&'*+.^_`|~-]+"/g;
/**
 * Other derived components that a request can have (RFC 9421, 2.2): right elsewhere, so that their
 * client learns what to cover here.
 */
const ELSEWHERE = /^@(target-uri|request-target|query-param)/;
/**
 * A parameter that we know: an integer within 15 digits (RFC 8941, 3.3.1), or a string of printable
 * ASCII (3.3.3).
 */
const PARAMETER = /^;(?:(created|expires)=(0|-?[1-9]\d{0,14})|(keyid|alg|nonce|tag)="((?:[ !#-[\]-~]|\\["\\])*)")/;
/**
 * A byte sequence (RFC 8941, 3.3.5) in the one base64 that its bytes have: padded, unused bits
 * zero.
 */
const BYTES = /^:((?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/][AQgw]==|[A-Za-z\d+/]{2}[AEIMQUYcgkosw048]=)?):$/;

/** What a signature must cover, in the order in which we propose it. */
export const requiredComponents = (settings: { readonly requiresAuthority: boolean }): readonly string[] =>
  ['@method', AUTHORITY, '@path', 'x-front'].filter((name) => settings.requiresAuthority || name !== AUTHORITY);

/** RFC 9421, 5.1: the signature that this rule would like to see. */
const challenge = (settings: SettingsFile): readonly FieldLine[] => [
  ['WWW-Authenticate', 'Signature'],
  ['Accept-Signature', `sig=("${requiredComponents(settings).join('" "')}");created;tag="x-front"`],
];

/**
 * Malformed comes before missing, so that a torn header is never called unsigned. But without a
 * label of ours, Signature belongs to somebody else: before RFC 9421 it had another form.
 */
const readSignedRequest = (request: RuleRequest, settings: SettingsFile): SignedRequest | Reason => {
  const inputs = splitMembers(request, 'signature-input', 2048);
  if (!inputs) return MALFORMED;
  // Two members with our tag, or two with our label, stay joined by a comma, which is nowhere
  // allowed below.
  const ours = inputs.filter((member) => TAGGED.test(behindList(member))).join();
  if (!ours) return MISSING;
  const signatures = splitMembers(request, 'signature', 1024);
  const label = LABEL.exec(ours)?.[0];
  if (!signatures || !label) return MALFORMED;
  const input = membersOf(inputs, label);
  const components = readComponents(input);
  const parameters = readParameters(behindList(input));
  if (!components || !parameters || input !== ours.slice(label.length)) return MALFORMED;

  const encoded = membersOf(signatures, label);
  if (!encoded) return MISSING;
  const signature = BYTES.exec(encoded)?.[1];
  if (signature === undefined) return MALFORMED;

  // Before the names that are not allowed: a client that covers @target-uri instead should learn
  // what to cover.
  const isCovered = requiredComponents(settings).every((name) => components.includes(name));
  if (!isCovered || components.some((name) => ELSEWHERE.test(name))) return 'signature-component-missing';
  if (components.some((name) => name.startsWith('@') && !DERIVED[name])) return MALFORMED;
  const created = parameters['created'];
  const keyid = parameters['keyid'];
  if (!created || keyid === undefined) return 'signature-parameter-missing';
  return {
    keyid,
    alg: parameters['alg'],
    created: +created,
    expires: +(parameters['expires'] ?? Infinity),
    signature,
    readBase: () => {
      const values = components.map((name) => componentValue(request, name));
      const base = signatureBase(components, values, input);
      if (/[^ -~\n]/.test(base)) return MALFORMED;
      return values.includes(null) ? 'signature-component-missing' : { base };
    },
  };
};

/**
 * The raw members of a signature header, of all its lines (RFC 8941, 4.2); null when it is
 * malformed, too long, or has more than four.
 */
const splitMembers = (request: RuleRequest, name: string, lengthMax: number): readonly string[] | null => {
  // `field` first: without such a header, njs need not sort the lines.
  const text = request.field(name) === null ? '' : request.lines(name).join(', ');
  if (text.length > lengthMax) return null;
  const members = (text.match(MEMBERS) ?? []).map((member) => member.trim());
  // The members do not add up to the text where a string has no end, a member is empty, or blanks
  // are not canonical.
  return members.length < 5 && members.join(', ') === text ? members : null;
};

/**
 * The raw value of a label (given with its equals sign); empty without such a member, joined by a
 * comma when there are two.
 */
const membersOf = (members: readonly string[], label: string): string =>
  members
    .filter((member) => member.startsWith(label))
    .join()
    .slice(label.length);

/** The parameters of a label's raw text, behind its list of components. */
const behindList = (input: string): string => input.slice(input.indexOf(')') + 1);

/**
 * The names in `("a" "b")`, each once, not too many; null when it is anything else, such as a
 * component with parameters.
 */
const readComponents = (input: string): readonly string[] | null => {
  const list = input.slice(0, input.indexOf(')') + 1);
  const quoted: readonly string[] = list.match(COMPONENTS) ?? [];
  if (quoted.length > COVERED_MAX) return null;
  const isList = list === `(${quoted.join(' ')})` && quoted.every((name, i) => quoted.indexOf(name) === i);
  return isList ? quoted.map((name) => name.slice(1, -1)) : null;
};

/**
 * The raw parameters in `;name=value;…` by name; null for one that is unknown, twice there, or of
 * another type.
 */
const readParameters = (text: string): { readonly [name: string]: string } | null => {
  const parameters: { [name: string]: string } = {};
  let rest = text;
  while (rest) {
    const match = PARAMETER.exec(rest);
    const name = match?.[1] ?? match?.[3];
    if (!match || !name || name in parameters) return null;
    parameters[name] = match[2] ?? match[4] ?? '';
    rest = rest.slice(match[0].length);
  }
  return parameters;
};

/**
 * A derived component or a field (RFC 9421, 2.1): undefined when the profile does not allow it,
 * null when the request lacks it.
 */
export const componentValue = (request: SignedParts, name: string): string | null | undefined =>
  name.startsWith('@') ? DERIVED[name]?.(request) : combined(request.lines(name));

/**
 * The signature base (RFC 9421, 2.5): one line per covered component, then the parameters, which
 * are the label's raw text.
 */
export const signatureBase = (
  names: readonly string[],
  values: readonly (string | null | undefined)[],
  parameters: string,
): string => names.map((name, i) => `"${name}": ${values[i] ?? ''}\n`).join('') + `"@signature-params": ${parameters}`;

export const rfc9421: SignatureProfile = { challenge, readSignedRequest };
