import { keptLifeIn } from '../../../model/kept-lives.ts';
import { tokenBreaches } from '../../../model/tokens.ts';
import type { Check } from '../../contract/check.ts';
import type { Observation } from '../../contract/observation.ts';
import { checksOf, type Model } from '../script/script-check.ts';
import { life } from './life.ts';
import { neverExpires } from './never-expires.ts';
import { newestOnly } from './newest.ts';
import { coexist } from './platform-tokens.ts';
import { refreshRotates } from './rotates.ts';
import { concurrent, singleUse } from './single-use.ts';

const DEMANDED = [
  'lifecycle/refresh-never-expires',
  'lifecycle/platform-tokens-coexist',
  'lifecycle/access-token-valid-until-expiry',
  'lifecycle/expired-replaced-by-refresh',
] as const;

const TOKENS: Model = {
  check: { acceptance: Object.fromEntries(DEMANDED.map((rule) => [rule, 'demanded'])) },
  breachesIn: ({ all, own, ofPartners }) =>
    tokenBreaches(ofPartners, all).filter(({ key }) => own.some(({ id }) => id === key)),
  keptIn: ({ ofPartners }, rule) => keptLifeIn(ofPartners, rule),
};

/** Checks of the area `lifecycle` (interface.md, "States and transitions"). */
export const lifecycleChecks: readonly Check[] = [
  singleUse,
  concurrent,
  neverExpires,
  coexist,
  newestOnly,
  life,
].map((scripts) => checksOf(scripts, TOKENS));

/** Rules of the area that are judged over what was seen. */
export const lifecycleObservations: readonly Observation[] = [refreshRotates];
