import { ALLOWANCE_PER_DAY, ordinalWord } from '../../../interface/limits.ts';
import type { Caller } from '../contract/check.ts';
import { Inconclusive } from '../contract/judge.ts';
import { describeAnswer, type TokenAnswer } from '../contract/messages.ts';

/** Kinds of token requests whose allowance probes use up. */
type Kind = 'platform' | 'user';

/** Answers to successive requests of one kind, until one is not accepted. */
export interface Used {
  readonly kind: Kind;
  readonly accepted: number;
  readonly last: TokenAnswer;
}

/** Sends up to `count` requests of one kind. */
export async function use(caller: Caller, kind: Kind, count: number): Promise<Used> {
  for (let number = 1; ; number++) {
    const purpose = `${kind} token request ${number} of ${count}`;
    const fields = await fieldsOf(caller, kind);
    const last = await caller.token({ purpose, fields, wellFormed: true });
    const isAccepted = last.outcome === 'accepted';
    if (!isAccepted || number === count)
      return { kind, accepted: isAccepted ? number : number - 1, last };
  }
}

/** Uses an allowance up without exceeding it. */
export const useUp = (caller: Caller, kind: Kind): Promise<Used> =>
  use(caller, kind, ALLOWANCE_PER_DAY[kind]);

/** True if a whole allowance was granted. */
export const isUsedUp = ({ kind, accepted }: Used): boolean => accepted === ALLOWANCE_PER_DAY[kind];

/** @throws Inconclusive if an allowance was not granted as a whole */
export function requireUsedUp(used: Used): void {
  if (isUsedUp(used)) return;
  const why = `${used.kind}: ${describeAnswer(used.last)}`;
  throw new Inconclusive(`an allowance could not be used up to begin with (${why})`);
}

/** Sends the one request beyond the allowance. */
export async function exceed(caller: Caller, { kind }: Used): Promise<TokenAnswer> {
  const purpose = `negative: the ${ordinalWord(ALLOWANCE_PER_DAY[kind] + 1)} ${kind} token request of the day`;
  return caller.token({ purpose, expects: 'refused', fields: await fieldsOf(caller, kind) });
}

const fieldsOf = async (caller: Caller, kind: Kind) =>
  kind === 'platform' ? caller.platform() : caller.exchange(await caller.authCode());
