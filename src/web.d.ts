// The one thing beyond the language that the pure folders use: TextEncoder, which every runtime of the web has.
// Seen only by their own tsconfig, whose `types` is empty, so that console, process and Buffer do not type-check there.

declare class TextEncoder {
  encode(text?: string): Uint8Array;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: Uint8Array): string;
}
