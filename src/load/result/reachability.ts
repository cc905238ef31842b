/** Counts of a run that show whether the target was there. */
export interface Reached {
  baseUrl: string;
  planned: number;
  /** Requests that were written to a connection. */
  sent: number;
  /** Failures by kind. */
  errors: Readonly<Record<string, number>>;
}

/** Connection errors that are the fault of the generator's machine. */
export const EXHAUSTION: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
]);

/** Reason why the target cannot be judged if no request of a run could connect; else null. */
export function unreachableReason(reached: Reached): string | null {
  const { baseUrl, planned, sent, errors } = reached;
  const kinds = Object.keys(errors).filter((kind) => kind !== 'unsent');
  const isOfTarget = kinds.length > 0 && kinds.every((kind) => !EXHAUSTION.has(kind));
  if (planned === 0 || sent > 0 || !isOfTarget) return null;
  return `TARGET_UNREACHABLE: none of ${planned} requests got a connection to ${baseUrl} (${kinds.sort().join(', ')}); check that it runs and that baseUrl is right.`;
}
