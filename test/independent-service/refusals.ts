import type { Attempt } from './form.ts';
import { Refused } from './state.ts';

/** @throws Refused unless the condition holds, or a form forgives */
export function need(holds: boolean, why: string, r: Attempt, at = ''): void {
  if (!holds && !r.service.form.forgives?.(why, r, at)) throw new Refused(why);
}

/** @throws Refused where a form refuses what is right */
export function refuseRight(r: Attempt): void {
  const why = r.service.form.refuses?.(r);
  if (why) throw new Refused(why);
}
