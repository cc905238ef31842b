import { FareproofError } from '../../../interface/errors.ts';
import { type Judgement, untestable } from '../../verdict.ts';

/** The rest of a check has to wait for a time that this run does not wait for. */
export class PendingUntil extends FareproofError {
  /** Milliseconds since the epoch. */
  readonly untilMs: number;

  constructor(untilMs: number) {
    super('PENDING', `pending until ${isoUp(untilMs)}`);
    this.untilMs = untilMs;
  }
}

/** What a rule comes to whose time has not come: untestable, until then. */
export function pending({ message, untilMs }: PendingUntil): Judgement {
  const remedy = '`check --resume DIR` after that, or `check --wait`';
  return { ...untestable(message, remedy), pendingUntil: isoUp(untilMs) };
}

/** Judges what may be pending while other rules of the same check are not. */
export async function orPending(judging: () => Promise<Judgement>): Promise<Judgement> {
  try {
    return await judging();
  } catch (error) {
    if (error instanceof PendingUntil) return pending(error);
    throw error;
  }
}

/** ISO 8601 in UTC with whole seconds, rounded up so that the time has come by then. */
function isoUp(atMs: number): string {
  return `${new Date(Math.ceil(atMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}
