// PostgreSQL's wire protocol as far as a server in front of PGlite needs it: where one message ends
// and the next begins, what a client asks for when it connects, and errors (PostgreSQL's
// documentation, "Frontend/Backend Protocol", Message Formats).

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;

/** The first message of a connection, which alone has no type. */
export type FirstMessage =
  | { readonly kind: 'encryption-wanted' | 'cancel'; readonly length: number }
  | { readonly kind: 'startup'; readonly length: number; readonly parameters: ReadonlyMap<string, string> };

/** The first message, or null where its end has not come yet. */
export function firstMessageIn(bytes: Buffer): FirstMessage | null {
  if (bytes.length < 8) return null;
  const length = bytes.readInt32BE(0);
  if (bytes.length < length) return null;
  const code = bytes.readInt32BE(4);
  if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'encryption-wanted', length };
  if (code === CANCEL_REQUEST) return { kind: 'cancel', length };
  const words = bytes.toString('utf8', 8, length).split('\0');
  const parameters = new Map<string, string>();
  for (let i = 0; i + 1 < words.length && words[i] !== ''; i += 2) parameters.set(words[i] ?? '', words[i + 1] ?? '');
  return { kind: 'startup', length, parameters };
}

/**
 * How many bytes at the beginning are whole messages; and whether the last of these says goodbye,
 * which counts no longer.
 */
export function wholeMessagesIn(bytes: Buffer): { readonly length: number; readonly isLast: boolean } {
  let end = 0;
  while (end + 5 <= bytes.length) {
    const next = end + 1 + bytes.readInt32BE(end + 1);
    if (next > bytes.length) break;
    if (bytes[end] === TERMINATE) return { length: end, isLast: true };
    end = next;
  }
  return { length: end, isLast: false };
}

const TERMINATE = 'X'.charCodeAt(0);

/**
 * The settings in `options` of a startup message: `-c name=value` or `--name=value`; a backslash
 * stands before a blank that is meant.
 */
export function settingsIn(options: string): [name: string, value: string][] {
  const words = [...options.matchAll(/(?:\\.|[^\s\\])+/g)].map(([word]) => word.replaceAll(/\\(.)/g, '$1'));
  const settings: [string, string][] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const text = word === '-c' ? words[++i] : /^(?:-c|--)(?<setting>.+)$/s.exec(word)?.groups?.['setting'];
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text ?? '') ?? [];
    if (name === '') throw new Error(`expected -c name=value in the options, found ${word}`);
    settings.push([name.replaceAll('-', '_'), value]);
  }
  return settings;
}

export function message(type: string, ...parts: readonly string[]): Buffer {
  const body = Buffer.from(parts.map((part) => `${part}\0`).join(''));
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** The error with which a server ends a connection. */
export function fatalError(code: string, text: string): Buffer {
  return message('E', 'SFATAL', 'VFATAL', `C${code}`, `M${text}`, '');
}
