import { autocannonEngine } from './autocannon/engine.ts';
import type { Engine } from './engine.ts';
import { ENGINE_NAMES, type EngineName } from './names.ts';
import { nativeEngine } from './native/engine.ts';

const ENGINES: Readonly<Record<EngineName, Engine>> = {
  native: nativeEngine,
  autocannon: autocannonEngine,
};

/** The engine of a name; undefined for an unknown one. */
export function engineNamed(name: string = ENGINE_NAMES[0]): Engine | undefined {
  return Object.hasOwn(ENGINES, name) ? ENGINES[name as EngineName] : undefined;
}

/** The flag that chooses one of the engines that pass a test, for messages: `--engine NAME`. */
export function engineFlag(passes: (engine: Engine) => boolean): string {
  return `--engine ${ENGINE_NAMES.filter((name) => passes(ENGINES[name])).join(' or ')}`;
}
