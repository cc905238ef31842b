/** Copies the sound object, with some of its methods replaced. */
export function withMethods<T extends object>(sound: T, methods: Partial<T>): T {
  return new Proxy(sound, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
