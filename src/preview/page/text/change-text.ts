// How much a number has changed, in few characters.

/**
 * `+3.3 %`, `−50 %`; `× 100` and `÷ 100` from a fourth and four times on; `same`; '' if one is
 * missing.
 */
export function changeText(was: number | undefined, is: number | undefined): string {
  if (was === undefined || is === undefined) return '';
  if (was === is) return 'same';
  if (was === 0 || is === 0) return was === 0 ? 'was free' : 'now free';
  const factor = is / was;
  if (factor >= 4) return `× ${rounded(factor)}`;
  if (factor <= 1 / 4) return `÷ ${rounded(1 / factor)}`;
  return `${factor > 1 ? '+' : '−'}${rounded(Math.abs(factor - 1) * 100)} %`;
}

/** Two digits, or the whole number if it has more. */
function rounded(value: number): string {
  return String(value >= 10 ? Math.round(value) : Number(value.toPrecision(2)));
}
