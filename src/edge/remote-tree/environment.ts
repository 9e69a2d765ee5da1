// What a host passes to the rule beside a request: secrets, credentials and bindings, by name.

/** Some runtimes pass none. */
export type Environment = Readonly<Record<string, unknown>>;

/** A binding that is a text; null for any other, which cannot be a secret. */
export const textOrNull = (binding: unknown): string | null => (typeof binding === 'string' ? binding : null);
