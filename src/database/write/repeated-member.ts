// Finds a member that an object has twice. JSON.parse keeps the last of them and says nothing.

/**
 * The first name that an object in a JSON text, at any depth, has twice; null where none has.
 * `parsed`: the value of the text.
 */
export function repeatedMember(text: string, parsed: unknown): string | null {
  // A quote before a colon ends a name, or stands in a string: there are at least as many as members.
  // As many as the value has, and none was lost.
  return (text.match(/"\s*:/g)?.length ?? 0) === membersIn(parsed) ? null : searched(text);
}

/** However deep it is nested. */
function membersIn(value: unknown): number {
  let total = 0;
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const values: readonly unknown[] = Object.values(next);
    if (!Array.isArray(next)) total += values.length;
    for (const member of values) open.push(member);
  }
  return total;
}

function searched(text: string): string | null {
  /** The names so far in each object or array that is open here. */
  const open: Set<string>[] = [];
  let lastString = '';
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') {
      lastString = text.slice(i, endOfString(text, i));
      i += lastString.length - 1;
    } else if (character === ':') {
      // Outside of strings it follows a name, which may be written with escapes.
      const name = lastString.includes('\\') ? String(JSON.parse(lastString)) : lastString.slice(1, -1);
      if (open.at(-1)?.has(name) === true) return name;
      open.at(-1)?.add(name);
    } else if (character === '{' || character === '[') open.push(new Set());
    else if (character === '}' || character === ']') open.pop();
  }
  return null;
}

/** The position after the closing quote of the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let i = from + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i + 1;
}
