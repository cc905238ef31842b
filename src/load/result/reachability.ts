import type { LoadEngine } from '../plan/plan.ts';

/** What a run came to, as far as it says whether the target was there. */
export interface Reached {
  engine: LoadEngine;
  baseUrl: string;
  planned: number;
  /** Requests that were written to a connection. */
  sent: number;
  /** By kind. */
  errors: Readonly<Record<string, number>>;
}

/** Errors of a connection that are the fault of the machine of the generator. */
export const EXHAUSTION: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
]);

/** Of an engine that does not tell a connection that broke from one that never was: these never were. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Why nothing can be said of the target, where no request of a run got a connection; null else. */
export function unreachableReason(reached: Reached): string | null {
  const { engine, baseUrl, planned, sent, errors } = reached;
  const kinds = Object.keys(errors).filter((kind) => kind !== 'unsent');
  const never = (kind: string): boolean =>
    engine === 'native' ? !EXHAUSTION.has(kind) : NEVER_CONNECTED.has(kind);
  if (planned === 0 || sent > 0 || kinds.length === 0 || !kinds.every(never)) return null;
  return `TARGET_UNREACHABLE: none of ${planned} requests got a connection to ${baseUrl} (${kinds.sort().join(', ')}); check that it runs and that baseUrl is right.`;
}
