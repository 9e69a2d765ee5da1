// Exit codes (product.md, Commands). Scripts rely on them: they never change. Those of errors stand
// in errors.ts.

export const EXIT = {
  done: 0,
  findings: 1,
  usage: 2,
  someFailed: 3,
  guarded: 4,
  locked: 5,
  notWritten: 6,
  rowsLeftOut: 7,
  bug: 70,
  tryAgain: 75,
} as const;

/** What the help of commands that open a catalogue or a tree says of exit code 75. */
export const TRY_AGAIN = '75 the database or the store is busy or does not answer: try again';
