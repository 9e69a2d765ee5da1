// An object with some of its members replaced, for interfaces that have many: a store that writes
// nothing, a reader that counts. Methods of the wrapped object still run on the object itself,
// which a copy or an heir would not allow where its class has private fields. Members are only read:
// nothing can be set through it.

/** What `overrides` has, and for the rest `inner`. */
export function wrap<T extends object>(inner: T, overrides: Partial<T>): T {
  return new Proxy(inner, {
    get: (_, key): unknown => {
      if (Object.hasOwn(overrides, key)) return Reflect.get(overrides, key);
      const member: unknown = Reflect.get(inner, key);
      return typeof member === 'function' ? member.bind(inner) : member;
    },
  });
}
