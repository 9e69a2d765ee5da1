// A request as the rule sees it, whatever the runtime: the request line, undecoded, and the lines
// of any field, in order. Repeated fields stay visible wherever the runtime shows them.

/** One field line: name in lower case, value without outer blanks (RFC 9110, 5.5). */
export type FieldLine = readonly [name: string, value: string];

export interface RuleRequest {
  readonly method: string;
  /**
   * `http` or `https`: what the client used, for `@scheme` and for the default port in the
   * authority.
   */
  readonly scheme: string;
  /**
   * That of the request line where it has one, else the Host header or `:authority`, as received;
   * empty without any.
   */
  readonly authority: string;
  /**
   * Path and query as on the request line: decoded or normalised, `//x/` and `/%75x/` would be
   * other paths.
   */
  readonly target: string;
  /**
   * The values of a field's lines (name in lower case), in order and without outer blanks. A
   * function, since sorting them costs njs.
   */
  readonly lines: (name: string) => readonly string[];
  /**
   * The value of a field that the rule judges (x-front, if-none-match, accept-encoding) or that the
   * fast path matches: its lines with a comma between them, as the runtime joins them; null without
   * a line. In njs it costs a fraction of `lines`.
   */
  readonly field: (name: string) => string | null;
}

/** What the text of a signature may be made of. */
export type SignedParts = Omit<RuleRequest, 'field'>;

/**
 * `lines` and `field` of a request over the list of all its field lines, whose names may be in
 * upper case.
 */
export const fieldsAmong = (fields: readonly FieldLine[]): Pick<RuleRequest, 'lines' | 'field'> => {
  const lines = linesAmong(() => fields);
  return { lines, field: (name) => combined(lines(name)) };
};

/**
 * `lines` over field lines that are read, and sorted by name, when a name is first looked up. To
 * search them all for each name would take the square of what a client sends: 280 ms in njs for 8
 * kB that nobody had signed. So would an object with the names as its properties, since a client
 * can find names that have one hash in njs.
 */
export const linesAmong = (readLines: () => readonly FieldLine[]): RuleRequest['lines'] => {
  let fields: readonly FieldLine[] | null = null;
  /** `name:100000`: a name, and the number of its line in a fixed width. A colon is in no name. */
  let sorted: readonly string[] = [];
  return (name) => {
    if (!fields) {
      fields = readLines();
      sorted = fields.map((line, i) => line[0].toLowerCase() + ':' + (FIRST_LINE + i)).sort();
    }
    const key = name + ':';
    const values: string[] = [];
    for (let i = firstFrom(sorted, key); (sorted[i] ?? '').startsWith(key); i++) {
      const line = fields[+(sorted[i] ?? '').slice(key.length) - FIRST_LINE];
      if (line) values.push(line[1]);
    }
    return values;
  };
};

const FIRST_LINE = 100_000;

/** The index of the first of sorted texts that is not before a text. */
const firstFrom = (sorted: readonly string[], text: string): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Lines of a field as RFC 9110, 5.2 combines them; null without a line. */
export const combined = (lines: readonly string[]): string | null => (lines.length ? lines.join(', ') : null);

/** The target up to the first question mark. */
export const targetPath = (target: string): string => target.split('?', 1)[0] ?? '';

/**
 * The target from the first question mark on; without one it is `?`, as RFC 9421, 2.2.7 wants
 * `@query`.
 */
export const targetQuery = (target: string): string => target.slice(targetPath(target).length) || '?';

/** The authority in lower case and without its scheme's default port (RFC 9421, 2.2.3). */
export const authorityOf = (request: SignedParts): string =>
  request.authority.toLowerCase().replace(request.scheme === 'https' ? /:443$/ : /:80$/, '');
