import type { Exchange } from '../../../documents/sealed.ts';
import { inconclusive, type Judgement } from '../../verdict.ts';

/** Exchanges of a run in order of sending, and by how much a clock was set while each was measured, if one was. */
export type Marked = readonly Pick<Exchange, 'id' | 'clockStepMs'>[];

/** Step of a clock that an exchange of a list is marked with, ms; undefined if none is. */
export function stepOf(ids: readonly string[], exchanges: Marked): number | undefined {
  return exchanges.find(({ id, clockStepMs }) => clockStepMs !== undefined && ids.includes(id))
    ?.clockStepMs;
}

/** Takes back a judgement, as a clock was set while it was measured. */
export function takenBack({ exchanges, verdict, reason }: Judgement, stepMs: number): Judgement {
  const seconds = Math.round(stepMs / 1000);
  const found = verdict === 'violated' ? `; what it seemed to be: ${reason}` : '';
  return inconclusive(
    `a clock was set by about ${seconds} s meanwhile, on this machine or on the target, or this machine was suspended: run it again${found}`,
    exchanges,
  );
}

/**
 * Takes back a violation that several exchanges show if a clock was set from the first to the last of them: the time
 * between them is not known.
 *
 * @param exchanges those of the run; a judgement that names none of them rests on all
 */
export function unlessStepped(judgement: Judgement, exchanges: Marked): Judgement {
  if (judgement.verdict !== 'violated') return judgement;
  const places = (judgement.exchanges ?? [])
    .map((id) => exchanges.findIndex((one) => one.id === id))
    .filter((place) => place >= 0);
  const span =
    places.length > 0 ? exchanges.slice(Math.min(...places), Math.max(...places) + 1) : exchanges;
  if (span.length < 2) return judgement;
  const stepMs = span.find((one) => one.clockStepMs !== undefined)?.clockStepMs;
  return stepMs === undefined ? judgement : takenBack(judgement, stepMs);
}
