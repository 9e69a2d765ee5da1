// Renders the texts that targets write. A text is a file of its own kind in the folder `templates`
// of its target. It has places, `{{name}}`, and parts that are left out unless something is true:
// `{{#name}} … {{/name}}`. There is nothing else: what needs more is computed by the target.

import { readFileSync } from 'node:fs';

/** A truth is for a part, anything else for a place. */
export type Values = Readonly<Record<string, string | number | boolean>>;

/** From here, and from the compiled command's `chunks`, which are as deep. */
const FOLDER = new URL('../edge/targets/', import.meta.url);

/**
 * The text of a file with its values: `TARGET/FILE`, or `FILE` where targets share it. A mark of a
 * part that has a line to itself takes the line along. Throws Error for a name without a value.
 */
export function rendered(path: string, values: Values = {}): string {
  const valueOf = (name: string): string | number | boolean => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: expected a value of "${name}", found none`);
    return value;
  };
  const PART = /\{\{#(\w+)\}\}([^]*?)\{\{\/\1\}\}/g;
  let text = readFileSync(new URL(path.replace(/^(.*\/)?/, '$1templates/'), FOLDER), 'utf8');
  text = text.replaceAll(/^[ \t]*(\{\{[#/]\w+\}\})\n/gm, '$1');
  // A part may contain parts of other names.
  while (PART.test(text)) text = text.replaceAll(PART, (_, name: string, part: string) => (valueOf(name) ? part : ''));
  return text.replaceAll(/\{\{(.*?)\}\}/g, (_, name: string) => String(valueOf(name)));
}

/** The same without the line break at its end, to stand within another text. */
export const renderedPart = (path: string, values?: Values): string => rendered(path, values).replace(/\n$/, '');
