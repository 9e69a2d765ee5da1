// A product's name, which opens its details.

import type { VNode } from 'preact';
import { nameOf } from './text/safe-text.ts';

interface ProductButtonProps {
  readonly product: { readonly name: string; readonly slug: string; readonly productId?: number };
  readonly onOpen: (slug: string) => void;
  /** Of a button that arrow keys lead to. */
  readonly stop?: { readonly tabIndex: number; readonly 'data-item': number };
}

export function ProductButton({ product, onOpen, stop }: ProductButtonProps): VNode {
  const name = nameOf(product);
  return (
    <button
      type="button"
      class="quiet"
      aria-haspopup="dialog"
      title={name}
      dir="auto"
      data-product={product.productId}
      {...stop}
      onClick={() => onOpen(product.slug)}
    >
      {name}
    </button>
  );
}
