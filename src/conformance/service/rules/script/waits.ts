import { BAN_MS, DURATION_WORDS } from '../../../../interface/limits.ts';
import { Inconclusive, PendingUntil, Untestable } from '../../contract/judge.ts';
import { clearOfMidnight, DAY_MS, HOUR_MS, MINUTE_MS, nextMidnight, SECOND_MS } from '../days.ts';
import type { Course } from './course.ts';

/** Time around a ban's end in which the clocks of both sides may disagree, ms. */
const LAST_MOMENT_MS = 2_000;

/** Time that passes until a moment. */
export interface Wait {
  /**
   * Moment from which the time is counted: the first step, the last answer, the first refusal beyond an
   * allowance, a part of the life of a token from 0 to 1, or the next midnight of a zone, by its offset from
   * UTC in hours.
   */
  readonly since:
    | 'start'
    | 'answer'
    | 'ban'
    | { readonly token: string; readonly part: number }
    | { readonly zone: number };
  /** Negative before that moment. */
  readonly plusMs: number;
  /** Time from then on that is to lie within one day, ms. */
  readonly clearMs?: number | undefined;
}

export const afterMs = (plusMs: number): Wait => ({ since: 'answer', plusMs });
export const atMs = (plusMs: number): Wait => ({ since: 'start', plusMs });
export const A_MINUTE: Wait = afterMs(MINUTE_MS + SECOND_MS);
/** Allowances are full again. */
export const NEXT_DAY: Wait = afterMs(25 * HOUR_MS);

/** Time since a ban began. Before its end, nothing can be shown once it is over. */
export const sinceBan = (plusMs: number, clearMs?: number): Wait => ({
  since: 'ban',
  plusMs,
  clearMs,
});

export const partOfLife = (token: string, part: number, plusMs: number = 0): Wait => ({
  since: { token, part },
  plusMs,
});
export const beforeMidnight = (zone: number, ms: number): Wait => ({
  since: { zone },
  plusMs: -ms,
});
export const endOf = (token: string, plusMs: number): Wait => partOfLife(token, 1, plusMs);
/** Times before and after the end of a token at which it is probed, ms; the clocks of both sides may disagree. */
export const BEFORE_MS: number = 9 * SECOND_MS;
export const beforeEnd = (token: string): Wait => endOf(token, -BEFORE_MS);
export const afterEnd = (token: string): Wait => endOf(token, 10 * SECOND_MS);

/** Checks for a wait for another time of the day, which no sequence of requests contains. */
export const isLong = ({ since, plusMs }: Wait): boolean =>
  since === 'start' || (since === 'answer' && plusMs > 10 * MINUTE_MS);

/**
 * Lets the time of a wait pass.
 *
 * @throws Inconclusive, Untestable or PendingUntil where nothing can be shown then
 */
export async function pass({ since, plusMs, clearMs }: Wait, course: Course): Promise<void> {
  const { ctx, last, startMs } = course;
  // A resumed run waits for the same time.
  if (since === 'start') await ctx.reach((startMs ?? ctx.now()) + plusMs);
  else if (since === 'answer') await ctx.reach((last?.answeredAtMs ?? ctx.now()) + plusMs);
  else if (since === 'ban') await passInBan(plusMs, clearMs, course);
  else if ('zone' in since) await ctx.reach(nextMidnight(ctx.now(), since.zone) + plusMs);
  else await passInLife(since, plusMs, course);
}

async function passInBan(
  plusMs: number,
  clearMs: number | undefined,
  { ctx, ban }: Course,
): Promise<void> {
  if (ban === null)
    throw new Inconclusive('no ban to watch: the request beyond the allowance was not refused');
  if (plusMs >= BAN_MS) return void (await ctx.reach(ban.answeredAtMs + plusMs));
  await ctx.reach(ban.sentAtMs + plusMs);
  if (clearMs !== undefined) await clearOfMidnight(ctx, clearMs);
  const endsMs = ban.sentAtMs + BAN_MS;
  if (ctx.now() <= endsMs - LAST_MOMENT_MS) return;
  throw new Untestable(
    `its ${DURATION_WORDS.ban} were over at ${new Date(endsMs).toISOString().slice(0, 19)}Z, before it was probed again`,
    'a new run that is resumed in time, or that waits',
  );
}

/** Longest time within the life of a token that is waited for where the clock cannot be moved, ms. */
const LONGEST_WAIT_MS = 7 * DAY_MS;

async function passInLife(
  { token, part }: { readonly token: string; readonly part: number },
  plusMs: number,
  course: Course,
): Promise<void> {
  const answer = course.tokens.get(token)?.answer;
  const lifeMs = (answer?.expiresInSeconds ?? 0) * 1000;
  if (!answer || lifeMs === 0) return course.miss('no token with expires_in_second could be had');
  const isBefore = plusMs < 0 || part < 1;
  const fromMs = (isBefore ? answer.sentAtMs : answer.answeredAtMs) + lifeMs * part;
  const dueMs = fromMs + Math.max(plusMs, -lifeMs / 4);
  if (!course.ctx.facts.hasControl && dueMs - course.ctx.now() > LONGEST_WAIT_MS)
    throw new Untestable(
      `its tokens live ${Math.round(lifeMs / DAY_MS)} days, longer than a run waits`,
      'a control API',
    );
  try {
    await course.ctx.reach(dueMs);
  } catch (error) {
    // A run that is resumed later finds the token at its end only by chance.
    if (!(error instanceof PendingUntil)) throw error;
    throw new Untestable(
      `its tokens live ${lifeMs / 1000} s, and this run does not wait`,
      'a control API, or a run that waits',
    );
  }
}
