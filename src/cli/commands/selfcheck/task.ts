import type { Outcome } from './side.ts';
import { SIDES } from './sides.ts';

/** A subject to be judged: one of a side with that rule broken, or a sound one for null. */
export interface Task {
  readonly side: string;
  readonly fault: string | null;
  readonly seed: number;
}

/** Result of a task; not ok if the checker itself crashed. */
export type TaskAnswer =
  | { readonly ok: true; readonly outcomes: readonly Outcome[]; readonly durationMs: number }
  | { readonly ok: false; readonly message: string };

/** Judges the subject of a task; never rejects. */
export async function judgeTask({ side, fault, seed }: Task): Promise<TaskAnswer> {
  const start = performance.now();
  try {
    const open = SIDES[side];
    if (!open) throw new Error(`there is no side ${side}`);
    const outcomes = await (await open()).judge(fault, seed);
    return { ok: true, outcomes, durationMs: Math.round(performance.now() - start) };
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}
