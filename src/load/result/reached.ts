import { explainFailure, remedyOfFailure } from '../../interface/index.ts';

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
const EXHAUSTION: ReadonlySet<string> = new Set([
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
  if (sent > 0 || !isOfTarget) return null;
  const [code = ''] = kinds.sort();
  const failure = explainFailure(Object.assign(new Error(code), { code }));
  const remedy = remedyOfFailure(failure, { baseUrl, hasCertificate: false });
  return `TARGET_UNREACHABLE: none of ${planned} requests got a connection to ${baseUrl} (${kinds.join(', ')}). ${remedy}`;
}

/** Sentences on what this machine had too little of for its connections; usually none. */
export function exhaustionReasons(errors: Reached['errors']): string[] {
  const kinds = Object.keys(errors).filter((kind) => EXHAUSTION.has(kind));
  return kinds.length === 0
    ? []
    : [
        `This machine had no file or port left for another connection (${kinds.sort().join(', ')}): ask for fewer connections, or raise its limits (ulimit -n).`,
      ];
}
