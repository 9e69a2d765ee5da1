// Chooses black or white text for a badge, whichever is readable on its colour (WCAG 2.2, relative
// luminance and contrast ratio).

/** Relative luminance, 0 to 1, of `#RRGGBB`. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio of two colours, 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [a, b] = [luminanceOf(one), luminanceOf(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Black or white. The contrast is at least 4.58 on any colour `#RRGGBB`. */
export function readableOn(colour: string): '#000000' | '#ffffff' {
  return contrastOf(colour, '#000000') >= contrastOf(colour, '#ffffff') ? '#000000' : '#ffffff';
}
