import { type Facts, SHAPES, type Target } from '../contract/target.ts';

/** Facts that checks may know of a target before anything is sent. */
export function factsOf(
  {
    environment,
    signature,
    estimates,
    control,
  }: Pick<Target, 'environment' | 'signature' | 'estimates' | 'control'>,
  run: Pick<Facts, 'metered' | 'asked' | 'waits'>,
): Facts {
  return {
    environment,
    ...signature,
    shapes: SHAPES.filter((shape) => estimates[shape] !== undefined),
    hasControl: control !== undefined,
    ...run,
  };
}
