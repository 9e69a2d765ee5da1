// The shape of playbill.json, made from the list of settings.

import * as z from 'zod';
import { ALL_SETTINGS, type Setting } from './settings.ts';

/** `$schema` is for editors; any value will do. */
export function fileSchema(): z.ZodType {
  const groups: Record<string, Record<string, z.ZodType>> = {};
  for (const setting of ALL_SETTINGS) {
    const [group = '', name = ''] = setting.key.includes('.') ? setting.key.split('.') : ['', setting.key];
    (groups[group] ??= {})[name] = valueSchema(setting).optional();
  }
  const { '': ungrouped, ...others } = groups;
  const objects = Object.entries(others).map(([name, shape]) => [name, z.strictObject(shape).optional()] as const);
  return z.strictObject({ $schema: z.string().optional(), ...ungrouped, ...Object.fromEntries(objects) });
}

function valueSchema(setting: Setting): z.ZodType {
  const { text, example, pattern, preset } = setting;
  const examples = { description: text, examples: [example] };
  if (setting.form === 'switch') return z.boolean().meta(examples);
  if (setting.form === 'number')
    return z
      .int()
      .min(setting.min ?? 0)
      .meta({ ...examples, default: Number(preset) });
  const choices = setting.members ?? (typeof setting.rule === 'object' ? (setting.rule as readonly string[]) : null);
  const one = choices === null ? z.string() : z.enum(choices);
  if (setting.form === 'list') return z.array(one).meta(examples);
  const known = preset === undefined || preset === '' ? {} : { default: preset };
  return one.meta({ ...examples, ...known, ...(pattern === undefined ? {} : { pattern }) });
}
