import type { Attempt, Fields, Form } from '../form.ts';
import type { Limit } from '../style.ts';
import type { Difference } from './odd-style.ts';

/** A service that refuses some requests for a reason of its own. */
export const refusing = (refuses: NonNullable<Form['refuses']>): Difference => ({
  oddities: { refuses },
});

/** Refuses token requests by their fields, which are in the order of the body. */
export const ofToken = (
  why: string,
  isRefused: (fields: Fields, r: Attempt) => boolean,
): Difference => refusing((r) => r.endpoint === 'token' && isRefused(r.fields, r) && why);

/** Refuses estimates by their query. */
export const ofEstimate = (
  why: string,
  isRefused: (query: Record<string, string>) => boolean,
): Difference =>
  refusing(
    (r) => r.endpoint === 'estimate' && isRefused(r.fields as Record<string, string>) && why,
  );

/** Changes each record. */
export const recording = (records: NonNullable<Form['records']>): Difference => ({
  oddities: { records },
});

/** Sets fields of each record. */
export const setting = (fields: Fields): Difference =>
  recording((record) => void Object.assign(record, fields));

/** Refuses the request of one number. */
export const once = (status: number, at: number, more: Partial<Limit> = {}): Difference => ({
  limit: { status, isOver: (number) => number === at, ...more },
});

/** Refuses each nth request. */
export const each = (status: number, nth: number, more: Partial<Limit> = {}): Difference => ({
  limit: { status, isOver: (number) => number % nth === 0, ...more },
});

/** Refuses a share of the requests at random. */
export const byChance = (status: number, share: number, more: Partial<Limit> = {}): Difference => ({
  limit: { status, isOver: (_number, _recentMs, _nowMs, chance) => chance.draw() < share, ...more },
});

/** A limit of the requests in a second. */
export const perSecond = (status: number, most: number, more: Partial<Limit> = {}): Difference => ({
  limit: { status, isOver: (_number, recentMs) => recentMs.length >= most, ...more },
});

/** A limit of the requests in each second of a clock, which all begin anew with it. */
export const eachSecond = (status: number, most: number): Difference => ({
  limit: {
    status,
    isOver: (_number, recentMs, nowMs) =>
      recentMs.filter((atMs) => Math.floor(atMs / 1_000) === Math.floor(nowMs / 1_000)).length >=
      most,
  },
});
