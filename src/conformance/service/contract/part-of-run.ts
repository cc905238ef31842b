import type { Part, PartBatch } from '../../../documents/exchange.ts';

/** Text that identifies the request of a part, the same in each run: whatever batch a check runs in. */
export function keyOf({ batch, check, attempt = 1, step, number, form, repeat }: Part): string {
  const sender = check === undefined ? [batch?.id, step] : [check, attempt];
  return JSON.stringify([...sender, number, form, repeat]);
}

/** The part without the number of its request. */
export type Sender = Omit<Part, 'number' | 'form' | 'repeat'>;

/** An attempt of a check, or a batch's requests around checks. */
export interface SentBy extends Pick<Part, 'check' | 'attempt'> {
  readonly batch?: Pick<PartBatch, 'id'> | undefined;
}

/** Checks whether a part is of that sender. */
export function isOf(part: Part, { batch, check, attempt = 1 }: SentBy): boolean {
  return check === undefined
    ? part.check === undefined && part.batch?.id === batch?.id
    : part.check === check && (part.attempt ?? 1) === attempt;
}
