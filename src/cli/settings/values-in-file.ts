// What a file of settings says, or everything that is wrong in it, each with its line.

import { dirname, join } from 'node:path';
import type * as z from 'zod';
import { AppError } from '../../errors.ts';
import { nearNames } from '../../suggestions.ts';
import { KEPT_MAX } from '../arguments.ts';
import { hookArgument, type Hook } from '../hook-argument.ts';
import type { FileValue, SettingJson } from './applied-settings.ts';
import { JsonFault, jsonWithLines, type ParsedJson } from './json-with-lines.ts';
import { ALL_SETTINGS, flagOf, type Setting } from './settings.ts';

/** Of a value that is wrong, so much is repeated. */
const FOUND_MAX = 60;

/** What is wrong at a line of the file. */
interface Fault {
  readonly line: number;
  readonly message: string;
  readonly hint: string;
}

/**
 * The values in the text of the file at `path`, to whose folder its paths are relative.
 * @throws AppError settings-invalid
 */
export async function valuesInFile(
  path: string,
  text: string,
  toolVersion: string,
): Promise<ReadonlyMap<Setting, FileValue>> {
  const faults: Fault[] = [];
  const values = new Map<Setting, FileValue>();
  try {
    const json = jsonWithLines(text);
    const lineOf = (key: string): number => json.lines.get(key) ?? 1;
    for (const key of json.repeated)
      faults.push({ line: lineOf(key), message: `expected ${key} once, found it twice`, hint: 'remove one of them' });
    faults.push(...(await shapeFaults(json, toolVersion)));
    const wrong = new Set(faults.map(({ line }) => line));
    for (const setting of ALL_SETTINGS) {
      const found = valueAt(setting.key, json.value);
      if (found === undefined || wrong.has(lineOf(setting.key))) continue;
      const line = lineOf(setting.key);
      const read = readValue(setting, found as SettingJson, dirname(path));
      if ('message' in read) faults.push({ line, ...read });
      else values.set(setting, { line, ...read });
    }
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const hint = 'the file is JSON: keys and texts in double quotes, no comma after the last, no comments';
    throw new AppError('settings-invalid', `${path}:${error.line}: ${error.message}`, hint, error);
  }
  const [first, ...others] = faults.toSorted((a, b) => a.line - b.line);
  if (first === undefined) return values;
  const details = others.map(({ line, message, hint }) => `${path}:${line}: ${message} (${hint})`);
  throw new AppError('settings-invalid', `${path}:${first.line}: ${first.message}`, first.hint, undefined, details);
}

function valueAt(key: string, value: unknown): unknown {
  const [name = '', ...rest] = key.split('.');
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = (value as Readonly<Record<string, unknown>>)[name];
  return rest.length === 0 ? inner : valueAt(rest.join('.'), inner);
}

/** Keys that are unknown, and values of another kind. */
async function shapeFaults({ value, lines }: ParsedJson, toolVersion: string): Promise<Fault[]> {
  const { fileSchema } = await import('./file-schema.ts');
  const parsed = fileSchema().safeParse(value);
  const issues: readonly z.core.$ZodIssue[] = parsed.error?.issues ?? [];
  return issues.flatMap((issue): Fault[] => {
    const names = issue.path.filter((part) => typeof part === 'string');
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => {
        const place = [...names, key].join('.');
        return { line: lines.get(place) ?? 1, ...unknownKey(place, toolVersion) };
      });
    const key = names.join('.');
    const text = JSON.stringify(key === '' ? value : valueAt(key, value));
    const found = hasSecret(text) ? 'another value' : text.slice(0, FOUND_MAX);
    const setting = ALL_SETTINGS.find((one) => one.key === key);
    const expected = setting === undefined ? (key === '$schema' ? 'text' : 'an object') : formText(setting);
    const hint = setting === undefined ? 'for example { "guards": { "maxShrink": "20%" } }' : exampleText(setting);
    const message = `${key === '' ? '' : `${key}: `}expected ${expected}, found ${found}`;
    return [{ line: lines.get(key) ?? 1, message, hint }];
  });
}

function unknownKey(place: string, toolVersion: string): { readonly message: string; readonly hint: string } {
  const candidates = ALL_SETTINGS.map(({ key }) => ({ name: key, title: key.replace(/^.*\./, '') }));
  const [near] = [...nearNames(place, candidates), ...nearNames(place.replace(/^.*\./, ''), candidates)];
  const message = `expected a key of the settings, found "${place}"`;
  const version = `a later version than ${toolVersion} may know it`;
  if (near === undefined) return { message, hint: `remove it (${version}); all keys: playbill config` };
  const [group, name] = near.name.split('.');
  return {
    message,
    hint: `did you mean "${name ?? group}"${name === undefined ? '' : ` in "${group}"`}? (${version})`,
  };
}

function formText({ form, rule, min = 0, members = [] }: Setting): string {
  const choices = (typeof rule === 'object' ? rule : members).join(', ');
  if (form === 'switch') return 'true or false';
  if (form === 'number') return `a whole number from ${min} to ${KEPT_MAX}`;
  if (form === 'list') return `a list of ${choices}`;
  return choices === '' ? 'text' : `one of ${choices}`;
}

/** `for example "horizon": "24h"`. */
function exampleText({ key, example }: Setting): string {
  return `for example ${JSON.stringify(key.replace(/^.*\./, ''))}: ${JSON.stringify(example)}`;
}

/** The value of the flag for what stands in the file. */
function readValue(setting: Setting, json: SettingJson, folder: string): Omit<FileValue, 'line'> | Omit<Fault, 'line'> {
  const texts = [json].flat().filter((one) => typeof one === 'string');
  if (texts.some(hasSecret))
    return {
      message: `${setting.key}: expected no secret in the file, found what looks like a password or a token`,
      hint: SECRET_HINTS.get(setting.key) ?? 'put it into an environment variable, and name that here',
    };
  if (typeof json === 'string' && json.trim() === '' && setting.preset !== '')
    return { message: `${setting.key}: expected text, found ""`, hint: exampleText(setting) };
  const placed =
    typeof json === 'string' && setting.isPath?.(json) === true && !json.startsWith('/') ? join(folder, json) : json;
  const flag = flagOf(setting);
  try {
    return { json: placed, value: valueOf(setting, placed, flag, folder) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { message: `${setting.key}: ${error.message.replace(`${flag}: `, '')}`, hint: exampleText(setting) };
  }
}

function valueOf({ rule, form }: Setting, json: SettingJson, flag: string, folder: string): unknown {
  if (typeof rule !== 'function') return json;
  // What is a list in the file is typed with commas, unless the flag takes several arguments.
  const text = form === 'list' ? [json].flat().join(',') || 'none' : String(json);
  const value = rule(text, flag);
  return rule === hookArgument ? { ...(value as Hook), folder } : value;
}

/** Matches a secret in an address or a command, but not the name of a variable that holds one. */
const SECRETS = [
  /:\/\/[^\s/?#@:]*:[^\s/?#@]*@/,
  // Those of AWS may contain slashes.
  /^s3:\/\/[^\s@:]*:[^\s@]*@/i,
  /(?:^|[?&\s])[^?&\s]*(?:token|secret|passwo?r?d|signature|api[-_]?key|access[-_]?key)[^?&\s=]*\s*=(?!\s*["']?\$)/i,
];

function hasSecret(text: string): boolean {
  const plain = text.replaceAll(/%([2-7][0-9a-f])/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  return SECRETS.some((secret) => secret.test(plain));
}

const SECRET_HINTS: ReadonlyMap<string, string> = new Map([
  ['db', 'put the password into PGPASSWORD or ~/.pgpass'],
  ['out', 'put credentials where S3 tools look for them, as AWS_SECRET_ACCESS_KEY'],
]);
