// The length of a text in UTF-8, without encoding it.

/** How many bytes a text takes in UTF-8; a lone surrogate counts as the replacement character, which the encoder writes for it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) bytes += unit < 0x800 ? 1 : 2;
    // A surrogate pair takes four bytes; three were counted for its first unit.
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (isPair) i += 1;
  }
  return bytes;
}
