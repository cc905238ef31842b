import { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import type { ClientRuleId } from '../../../interface/catalogue.ts';
import { FORM_CHECKS } from '../rules/all.ts';
import type { Violation } from '../rules/check.ts';
import type { RecordOutcome } from './rule-result.ts';

type Outcomes = ReadonlyMap<string, readonly RecordOutcome[]>;

/** Rules that a mistake in a request breaks too, by the rule that is about the mistake. */
const IN_REQUEST: Readonly<Partial<Record<ClientRuleId, readonly ClientRuleId[]>>> = {
  'client/token-content-type': ['client/grant-fields', 'client/signature'],
  'client/grant-fields': [
    'client/timestamp-iso8601',
    'client/nostr-random',
    'client/scope-known',
    'client/scope-on-behalf',
  ],
  'client/scope-known': ['client/scope-on-behalf'],
  'client/timestamp-iso8601': ['client/timestamp-fresh'],
  'client/nostr': ['client/nostr-random'],
  'client/estimate-method': ['client/estimate-parameters', 'client/signature'],
  'client/estimate-authorization': ['client/signature'],
  'client/estimate-encoding': ['client/estimate-parameters', 'client/signature'],
  'client/estimate-parameters': ['client/signature'],
  'client/refresh-newest': ['client/refresh-single-use'],
  'client/failure-handled': [
    'client/estimate-authorization',
    'client/refresh-newest',
    'client/refresh-single-use',
  ],
};

const FORM_RULES: readonly ClientRuleId[] = FORM_CHECKS.map(({ rule }) => rule);
/** Rules about single requests: if one is refused for it, a client may break rules on their course. */
const CAUSES_OF_REFUSALS: readonly ClientRuleId[] = [...FORM_RULES, 'client/failure-handled'];

/**
 * Leaves out the violations that follow from another rule's: of a mistake in the same request, or in one
 * before it that was refused for the mistake. What must hold never follows from what only should.
 */
export function withoutConsequences(found: Outcomes): Outcomes {
  return new Map(
    Array.from(found, ([rule, outcomes]) => [
      rule,
      outcomes.map((one): RecordOutcome => {
        const { violations } = one.outcome;
        const causes = violations.map((violation) => causeOf(rule, violation, one, found));
        const followsFrom = causes.find((cause) => cause !== null);
        if (!followsFrom) return one;
        const left = violations.filter((_, at) => causes[at] === null);
        return { ...one, outcome: { ...one.outcome, violations: left, judged: [] }, followsFrom };
      }),
    ]),
  );
}

const CARPOOL = 'client/carpool-tolerated';

const breaks = ({ outcome }: RecordOutcome): boolean => outcome.violations.length > 0;

/** True if a client tolerated an unknown field in a record: it may have stopped at the carpool in a later one. */
function stopsAtCarpool(
  rule: string,
  exchange: string,
  { frame }: RecordOutcome['record'],
): boolean {
  const first = frame?.stimuli.find(({ on }) => on === 'estimate')?.given;
  return rule === 'client/unknown-fields-tolerated' && first !== exchange;
}

/** The rule that a violation follows from; null if there is none. */
function causeOf(
  rule: string,
  { exchange, followsFrom, isExplained }: Violation,
  { record }: RecordOutcome,
  found: Outcomes,
): ClientRuleId | null {
  if (isExplained) return null;
  if (stopsAtCarpool(rule, exchange, record) && found.get(CARPOOL)?.some(breaks)) return CARPOOL;
  const brokenBy = (cause: ClientRuleId): readonly string[] =>
    (found.get(cause) ?? [])
      .filter((one) => one.record === record)
      .flatMap(({ outcome }) => outcome.violations.map((violation) => violation.exchange));
  const before = record.requests.slice(
    0,
    record.requests.findIndex(({ id }) => id === exchange),
  );
  const refused = before
    .filter(({ answer, stimuli }) => answer.status !== 200 && answer.whole && stimuli.length === 0)
    .map(({ id }) => id);
  const isCause = (cause: ClientRuleId): boolean =>
    cause !== rule &&
    isAsStrict(cause, rule) &&
    ((IN_REQUEST[cause]?.some((one) => one === rule) && brokenBy(cause).includes(exchange)) ||
      (isOfCourse(rule) &&
        CAUSES_OF_REFUSALS.includes(cause) &&
        brokenBy(cause).some((id) => refused.includes(id))));
  if (followsFrom && isAsStrict(followsFrom, rule)) return followsFrom;
  return CLIENT_RULES.find(({ id }) => isCause(id))?.id ?? null;
}

/** True for a rule that is about the course of requests, not about each of them. */
const isOfCourse = (rule: string): boolean => !CAUSES_OF_REFUSALS.some((one) => one === rule);

function isAsStrict(cause: string, rule: string): boolean {
  const levelOf = (of: string) => CLIENT_RULES.find(({ id }) => id === of)?.level;
  return levelOf(cause) === 'must' || levelOf(rule) !== 'must';
}
