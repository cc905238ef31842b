import { type Check, isFurther, placeOn } from '../contract/check.ts';
import type { Observation } from '../contract/observation.ts';
import type { Facts } from '../contract/target.ts';
import { REFRESHED_SURVEY, SURVEYS } from './estimate/survey.ts';
import { refusedCount } from './quota/refused-count.ts';
import { TOKEN_SURVEYS, tokenSurvey } from './token/survey.ts';

const TOKEN_BASES = ['platform', 'refresh', 'user'] as const;

/** Surveys with requests of their own. */
export const ALL_SURVEYS: readonly Check[] = [
  ...SURVEYS,
  REFRESHED_SURVEY,
  tokenSurvey,
  ...TOKEN_SURVEYS,
  refusedCount(() => undefined),
];

/**
 * Checks without rules that observations need: surveys, and one of each base request that no other check
 * sends.
 */
export function surveysFor(
  observations: readonly Observation[],
  facts: Facts,
  checks: readonly Check[],
): Check[] {
  const wanted = new Set(observations.flatMap(({ from }) => from));
  // Of metered partners nobody knows whether a further part is sent.
  const certain = facts.metered ? checks.filter((check) => !isFurther(check)) : checks;
  const sent = new Set(certain.map(({ places: [{ baseRequest }] }) => baseRequest));
  const surveys = TOKEN_BASES.filter(
    (baseRequest) => wanted.has(baseRequest) && !sent.has(baseRequest),
  ).map(
    (baseRequest): Check => ({
      id: `survey:${baseRequest}`,
      rules: [],
      places: [placeOn(baseRequest)],
      priority: { rank: 0 },
      run: async () => ({}),
    }),
  );
  const isFree = facts.hasControl && !facts.metered;
  const needsTokens = isFree && TOKEN_BASES.some((base) => wanted.has(base));
  const ofTokens = needsTokens ? [tokenSurvey, ...TOKEN_SURVEYS] : [];
  const ofEstimates = [...SURVEYS, ...(isFree ? [REFRESHED_SURVEY] : [])];
  return [...(wanted.has('estimate') ? ofEstimates : []), ...ofTokens, ...surveys];
}
