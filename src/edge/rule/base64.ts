// Base64 (RFC 4648, 4) of bytes, by a function that all runtimes share.

/** The canonical text of some bytes, padded. */
export function base64OfBytes(bytes: Uint8Array): string {
  let raw = '';
  for (let i = 0; i < bytes.length; i++) raw += String.fromCharCode(bytes[i] ?? 0);
  return btoa(raw);
}
