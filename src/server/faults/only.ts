import type { FaultDefinition } from './fault.ts';
import type { Replacements, ServiceParts } from './parts.ts';
import type { RequestInHand } from './request-in-hand.ts';

/** Selects the requests for which a fault is there. */
export type Condition = (request: RequestInHand) => boolean;

/** The same fault, for some requests only; its parts are functions and objects, not numbers. */
export function only(
  { how, replace, breaks }: FaultDefinition,
  where: string,
  condition: Condition,
): FaultDefinition {
  const conditional = Object.entries(replace).map(([name, makeBroken]) => [
    name,
    (sound: ServiceParts[keyof ServiceParts], inHand: RequestInHand) =>
      switching(sound, (makeBroken as Make)(sound, inHand), () => condition(inHand)),
  ]);
  const limited = Object.fromEntries(conditional) as Replacements;
  return { how: `${where}: ${how}`, replace: limited, breaks };
}

type Make = (sound: unknown, inHand: RequestInHand) => unknown;
type Call = (...args: unknown[]) => unknown;

/** A part that is the broken one whenever the condition is true, else the sound one. */
function switching(sound: unknown, broken: unknown, isBroken: () => boolean): unknown {
  if (typeof sound === 'function') {
    return (...args: unknown[]) => ((isBroken() ? broken : sound) as Call)(...args);
  }
  return new Proxy(sound as object, {
    get: (_, name) => {
      const part = (isBroken() ? broken : sound) as object;
      const value: unknown = Reflect.get(part, name);
      return typeof value === 'function' ? (value.bind(part) as unknown) : value;
    },
  });
}
