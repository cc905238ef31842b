import type { Attempt, Form, ServiceState } from '../form.ts';

/** Memory of the broken parts of a service, by service. */
const memories = new WeakMap<ServiceState, Map<string, unknown>>();

const memory = ({ service }: { readonly service: ServiceState }): Map<string, unknown> => {
  const own = memories.get(service) ?? new Map<string, unknown>();
  memories.set(service, own);
  return own;
};

/** Value that is remembered under a key; `first` if there is none. */
export function memoryOf<T>(r: { readonly service: ServiceState }, key: string, first: T): T {
  const own = memory(r);
  if (!own.has(key)) own.set(key, first);
  return own.get(key) as T;
}

export function remember(r: { readonly service: ServiceState }, key: string, value: unknown): void {
  memory(r).set(key, value);
}

/** Times at which something was noted, ms since the epoch, by service. */
const notes = new WeakMap<ServiceState, Map<unknown, number>>();

export function notesOf(service: ServiceState): Map<unknown, number> {
  const own = notes.get(service) ?? new Map<unknown, number>();
  notes.set(service, own);
  return own;
}

/** Notes a key of each estimate that is served. */
export const notesServed = (keyOf: (r: Attempt) => unknown): Form => ({
  records: (_one, r) => {
    notesOf(r.service).set(keyOf(r), r.service.now());
  },
});

export const wasNoted = (r: Attempt, key: unknown, withinMs: number): boolean =>
  r.service.now() - (notesOf(r.service).get(key) ?? Number.NEGATIVE_INFINITY) < withinMs;
