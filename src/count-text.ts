// A number with its noun, in messages and on pages alike.

/** `1 front`, `2 fronts`. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
