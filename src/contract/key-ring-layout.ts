// The layout of a key ring's text: its head, one line per key, its tail. All lines have one width,
// a multiple of LINE_WIDTH with the newline, so that an edge finds a key by binary search. An
// instant is quoted, or null with blanks up to that width. Without zod, and in the syntax of njs.

export const HEAD = '{"schema":1,"keys":{\n';
export const TAIL = '}}\n';
export const LINE_WIDTH = 512;
