// Draws a poster in place of a picture: a few large shapes in two inks. The card's first group
// determines the colours, so that a season looks alike; the slug determines the pattern. The same
// card always has the same poster.

import type { VNode } from 'preact';
import type { ProductCard } from '../../../contract/documents.ts';

/** Paper, ink, second ink. */
const COLOURS = [
  ['#f0dfc0', '#8a1f17', '#d98e2b'],
  ['#dfe6e4', '#1f4a5a', '#d1603d'],
  ['#ece2cf', '#2f5d50', '#c9a227'],
  ['#ead9d2', '#5b2a4a', '#d97b5b'],
  ['#dde1ec', '#27304f', '#b5495b'],
  ['#e9e4cf', '#6b5b1e', '#3f7d6e'],
  ['#f1dccb', '#a8482c', '#2b4c66'],
  ['#dce5d6', '#35532c', '#c46a2f'],
] as const;

const [WIDTH, HEIGHT] = [640, 360];

type Inks = readonly [paper: string, ink: string, other: string];
/** `share(n)` is a number from 0 to 1, derived from the slug. */
type Pattern = (inks: Inks, share: (of: number) => number) => VNode;

const disc = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

const times = (count: number, draw: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => draw(i)).join('');

const PATTERNS: readonly Pattern[] = [
  // A sun over a horizon.
  ([, ink, other], share) => {
    const [x, r] = [160 + share(1) * 320, 80 + share(2) * 60];
    return (
      <>
        <path fill={other} d={disc(x, 210 - share(3) * 60, r)} />
        <path fill={ink} d={`M0 ${230 + share(4) * 40}H640V360H0z`} />
      </>
    );
  },
  // Curtains.
  ([, ink, other], share) => {
    const count = 5 + Math.round(share(1) * 3);
    const wide = WIDTH / count;
    return (
      <>
        <path fill={ink} d={times(count, (i) => `M${i * wide} 0h${wide * 0.62}v360h${-wide * 0.62}z`)} />
        <path
          fill={other}
          d={times(count, (i) => `M${i * wide} 0a${wide / 2} ${60 + share(2) * 50} 0 0 0 ${wide} 0z`)}
        />
      </>
    );
  },
  // A stage light.
  ([, ink, other], share) => {
    const x = 120 + share(1) * 400;
    return (
      <>
        <path fill={other} d={`M${x} -20L${x - 190 - share(2) * 60} 360H${x + 190 + share(3) * 60}z`} />
        <path fill={ink} d={`M${x - 130} 360a130 ${120 + share(4) * 30} 0 0 1 260 0z${disc(x, 160, 48)}`} />
      </>
    );
  },
  // Rings.
  ([paper, ink, other], share) => {
    const [x, y] = [200 + share(1) * 240, 120 + share(2) * 120];
    const rings = [250, 196, 142, 88, 38];
    return (
      <>
        {rings.map((r, i) => (
          <path key={r} fill={[ink, paper, other, paper, ink][i]} d={disc(x, y, r)} />
        ))}
      </>
    );
  },
  // A field of dots, growing.
  ([, ink, other], share) => {
    const [row, column] = [Math.floor(share(1) * 5), share(2) < 0.5 ? -1 : Math.floor(share(2) * 8)];
    const dots = (isOther: boolean): string =>
      times(40, (i) => {
        const [x, y] = [i % 8, Math.floor(i / 8)];
        const isChosen = column < 0 ? y === row : x === column;
        return isChosen === isOther ? disc(40 + x * 80, 36 + y * 72, 10 + x * 2.6) : '';
      });
    return (
      <>
        <path fill={ink} d={dots(false)} />
        <path fill={other} d={dots(true)} />
      </>
    );
  },
  // Waves.
  ([, ink, other], share) => {
    const wave = (y: number): string => `M-80 ${y}${times(5, () => 'q40 -52 80 0t80 0')}V420H-80z`;
    const top = 110 + share(1) * 60;
    return (
      <>
        <path fill={other} d={disc(110 + share(2) * 420, 92, 56)} />
        <path fill={ink} d={wave(top)} />
        <path fill={other} d={wave(top + 78)} />
        <path fill={ink} d={wave(top + 140)} />
      </>
    );
  },
  // Steps.
  ([, ink, other], share) => {
    const isUp = share(1) < 0.5;
    return (
      <>
        <path fill={ink} d={times(6, (i) => `M${(isUp ? i : 5 - i) * 107} 360v${-50 - i * 50}h108V360z`)} />
        <path fill={other} d={disc(isUp ? 150 : 490, 96, 48 + share(2) * 26)} />
      </>
    );
  },
  // Diamonds.
  ([, ink, other], share) => {
    const skipped = Math.floor(share(1) * 12);
    const diamond = (i: number): string => {
      const [x, y] = [(i % 6) * 128 - 32 + (i >= 6 ? 64 : 0), i >= 6 ? 260 : 100];
      return `M${x} ${y - 100}l62 100l-62 100l-62 -100z`;
    };
    return (
      <>
        <path fill={ink} d={times(12, (i) => (i === skipped ? '' : diamond(i)))} />
        <path fill={other} d={diamond(skipped)} />
      </>
    );
  },
];

export function Poster({ card }: { readonly card: ProductCard }): VNode {
  const seed = hashOf(card.slug);
  const [paper, ink, other] = COLOURS[hashOf(card.groups[0]?.slug ?? card.slug) % COLOURS.length] ?? COLOURS[0];
  const draw = PATTERNS[(seed >>> 3) % PATTERNS.length];
  // Half of the posters are mirrored, half have their inks swapped, so that a few patterns look
  // like many posters.
  const inks = (seed & 1) === 0 ? ([paper, ink, other] as const) : ([paper, other, ink] as const);
  const share = (of: number): number => ((hashOf(`${card.slug} ${of}`) >>> 4) % 1000) / 1000;
  return (
    <svg
      class="poster"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
      focusable="false"
    >
      <rect width={WIDTH} height={HEIGHT} fill={paper} />
      <g transform={(seed & 2) === 0 ? '' : `matrix(-1 0 0 1 ${WIDTH} 0)`}>{draw?.(inks, share)}</g>
    </svg>
  );
}

/** FNV-1a, 32 bits, with a final mix so that similar slugs get very different values. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < Math.min(text.length, 100); i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
