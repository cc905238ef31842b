import { ENGINE_NAMES, type EngineName } from '../options.ts';
import { autocannonEngine } from './autocannon/engine.ts';
import type { Engine } from './engine.ts';
import { nativeEngine } from './native/engine.ts';

const ENGINES: Readonly<Record<EngineName, Engine>> = {
  native: nativeEngine,
  autocannon: autocannonEngine,
};

/** The engine of a name. */
export const engineNamed = (name: EngineName): Engine => ENGINES[name];

/** Names of the engines that pass a test, for messages. */
export function engineNames(passes: (engine: Engine) => boolean): string {
  return ENGINE_NAMES.filter((name) => passes(ENGINES[name])).join(' or ');
}
