// Base64 (RFC 4648, 4) of bytes, by a function that all runtimes share.

/** The canonical text of some bytes, padded. */
export const base64OfBytes = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
