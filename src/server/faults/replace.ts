import type { ServiceRuleId } from '../../interface/index.ts';
import { Refusal } from '../refusal.ts';

/** Copies the sound object, with some of its methods replaced. */
export function withMethods<T extends object>(sound: T, methods: Partial<T>): T {
  return new Proxy(sound, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A step like the sound one, with another result in place of its refusal by that rule. */
export function inPlaceOfRefusal<A extends readonly unknown[], R>(
  rule: ServiceRuleId,
  step: (...args: A) => R,
  otherwise: (...args: A) => R,
): (...args: A) => R {
  return (...args) => {
    try {
      return step(...args);
    } catch (error) {
      if (error instanceof Refusal && error.detail.rule === rule) return otherwise(...args);
      throw error;
    }
  };
}
