// Converts integer minor units to the JSON number of `priceFrom`. Works on digits, because
// floating-point division is not exact.

/**
 * `amountMinor / 10^exponent` as the shortest exact decimal, a JSON number: 123410 with 2 →
 * `1234.1`, 50000 with 2 → `500`.
 */
export function formatAmount(amountMinor: number, exponent: number): string {
  if (exponent === 0) return String(amountMinor);
  const digits = String(amountMinor).padStart(exponent + 1, '0');
  const fraction = digits.slice(-exponent).replace(/0+$/, '');
  const whole = digits.slice(0, -exponent);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
