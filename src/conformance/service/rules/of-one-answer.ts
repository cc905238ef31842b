import type { Fields, TokenAnswer } from '../contract/messages.ts';
import type { SeenToken } from '../contract/observation.ts';
import { SERVICE_OBSERVATIONS } from './all.ts';

/** Rules that one answer can show to be broken, some of them beside the ones before it. */
export const OF_ONE = SERVICE_OBSERVATIONS.filter(({ overall }) => !overall);

/** Those of which the answers before count too. */
export const BESIDE_EARLIER: ReadonlySet<string> = new Set([
  'lifecycle/refresh-rotates',
  'record/estimate-id-unique',
]);

/** Accepted token request of a partner, as these rules see it. */
export const seenToken = (fields: Fields, partnerId: string, answer: TokenAnswer): SeenToken => ({
  answer,
  fields: { ...fields },
  partnerId,
  isWellFormed: true,
  firstOfFresh: false,
  isRested: true,
});
