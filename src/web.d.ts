// TextEncoder and TextDecoder, the only APIs beyond the language that the pure folders use. Their
// tsconfig includes this file and sets `types: []`, so that console, process and Buffer do not
// type-check there.

declare class TextEncoder {
  encode(text?: string): Uint8Array;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: Uint8Array): string;
}
