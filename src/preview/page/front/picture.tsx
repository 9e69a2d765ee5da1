// A card's picture with its credit. If the page may not load pictures, or this one fails, a drawn
// poster.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ProductCard } from '../../../contract/documents.ts';
import { PICTURES_PATH } from '../../messages.ts';
import { httpsUrl, shown } from '../text/safe-text.ts';
import { Poster } from './poster.tsx';

/**
 * Whether this page may load pictures. The server's Content-Security-Policy depends on the path.
 */
export const HAS_PICTURES = location.pathname === PICTURES_PATH;

export function Picture({ card }: { readonly card: ProductCard }): VNode {
  const [failed, setFailed] = useState<string | null>(null);
  const url = httpsUrl(card.imageUrl);
  const alt = shown(card.altText ?? '');
  return (
    <figure class="picture">
      {HAS_PICTURES && url !== null && failed !== url ? (
        <img
          src={url}
          alt={alt}
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          onError={() => setFailed(url)}
        />
      ) : (
        <div class="drawn" {...(alt === '' ? {} : { role: 'img', 'aria-label': alt, title: alt })}>
          <Poster card={card} />
        </div>
      )}
      {card.copyright !== null && <Credit text={card.copyright} url={httpsUrl(card.copyrightUrl)} />}
    </figure>
  );
}

function Credit({ text, url }: { readonly text: string; readonly url: string | null }): VNode {
  const credit = /^\s*©/.test(text) ? shown(text) : `© ${shown(text)}`;
  return (
    <figcaption dir="auto" title={credit}>
      {url === null ? (
        credit
      ) : (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {credit}
        </a>
      )}
    </figcaption>
  );
}
