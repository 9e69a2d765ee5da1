// Classes of fronts: those that share zone, weekend and currency, so that a product is pressed once for all of them.

import type { Front, FrontClass } from '../catalogue/front.ts';

/** Groups fronts by what their cards depend on besides products. */
export function classify(fronts: readonly Front[]): {
  classes: readonly FrontClass[];
  classIndexOf: (front: Front) => number;
} {
  const classes: FrontClass[] = [];
  const indexes = new Map<string, number>();
  const keyOf = ({ zone, weekendDays, currency, currencyExponent }: FrontClass): string =>
    [zone.name, weekendDays, currency, currencyExponent].join(' ');
  for (const front of fronts) {
    if (indexes.has(keyOf(front))) continue;
    indexes.set(keyOf(front), classes.length);
    classes.push(front);
  }
  return { classes, classIndexOf: (front) => indexes.get(keyOf(front)) ?? -1 };
}

/** The classes whose fronts show each product. Equal sets are one object: there are few of them and many products. */
export function classesShowing(
  fronts: readonly Front[],
  classIndexOf: (front: Front) => number,
): Map<number, ReadonlySet<number>> {
  const shown = new Map<number, ReadonlySet<number>>();
  const kept = new Map<string, ReadonlySet<number>>();
  for (const front of fronts) {
    const classIndex = classIndexOf(front);
    for (const { productId } of front.shelf) {
      const known = shown.get(productId);
      if (known?.has(classIndex) === true) continue;
      const indexes = [...(known ?? []), classIndex].sort((a, b) => a - b);
      const key = indexes.join(' ');
      const set = kept.get(key) ?? new Set(indexes);
      kept.set(key, set);
      shown.set(productId, set);
    }
  }
  return shown;
}
