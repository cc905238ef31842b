import { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import type { ClientRuleId } from '../../../interface/catalogue.ts';
import { FORM_CHECKS } from '../rules/all.ts';
import type { Violation } from '../rules/check.ts';
import { isRefused } from '../traffic/request-fields.ts';
import type { ClientRecord, RecordOutcome } from './rule-result.ts';

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
        const { violations, judged } = one.outcome;
        const causes = violations.map((violation) => causeOf(rule, violation, one, found));
        const followsFrom = causes.find((cause) => cause !== null);
        if (!followsFrom) {
          // That no second token was requested does not follow from a refused estimate.
          const isOpen = violations.length + judged.length === 0 && rule !== 'client/nostr-random';
          const blockedBy = isOpen ? causeOfRefusal(one.record, one.record.requests, found) : null;
          return blockedBy === null ? one : { ...one, blockedBy };
        }
        const left = violations.filter((_, at) => causes[at] === null);
        return { ...one, outcome: { ...one.outcome, violations: left, judged: [] }, followsFrom };
      }),
    ]),
  );
}

const CARPOOL = 'client/carpool-tolerated';

const breaks = ({ outcome }: RecordOutcome): boolean => outcome.violations.length > 0;

/** True if a client tolerated an unknown field in a record: it may have stopped at the carpool in a later one. */
function stopsAtCarpool(rule: string, exchange: string, { frame }: ClientRecord): boolean {
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
  if (followsFrom && isAsStrict(followsFrom, rule)) return followsFrom;
  const inRequest = CLIENT_RULES.find(
    ({ id }) =>
      IN_REQUEST[id]?.some((one) => one === rule) &&
      isAsStrict(id, rule) &&
      brokenBy(id, record, found).includes(exchange),
  );
  if (inRequest || !isOfCourse(rule)) return inRequest?.id ?? null;
  const at = record.requests.findIndex(({ id }) => id === exchange);
  const cause = causeOfRefusal(record, record.requests.slice(0, at), found);
  return cause !== null && cause !== rule && isAsStrict(cause, rule) ? cause : null;
}

/** Ids of the exchanges that break a rule in a record. */
const brokenBy = (rule: string, record: ClientRecord, found: Outcomes): readonly string[] =>
  (found.get(rule) ?? [])
    .filter((one) => one.record === record)
    .flatMap(({ outcome }) => outcome.violations.map(({ exchange }) => exchange));

/** The rule for which the service refused some of the requests of a record; null if there is none. */
function causeOfRefusal(
  record: ClientRecord,
  requests: ClientRecord['requests'],
  found: Outcomes,
): ClientRuleId | null {
  const refused = requests.filter(isRefused).map(({ id }) => id);
  const isCause = (rule: string): boolean =>
    brokenBy(rule, record, found).some((id) => refused.includes(id));
  return CAUSES_OF_REFUSALS.find(isCause) ?? null;
}

/** True for a rule that is about the course of requests, not about each of them. */
const isOfCourse = (rule: string): boolean => !CAUSES_OF_REFUSALS.some((one) => one === rule);

function isAsStrict(cause: string, rule: string): boolean {
  const levelOf = (of: string) => CLIENT_RULES.find(({ id }) => id === of)?.level;
  return levelOf(cause) === 'must' || levelOf(rule) !== 'must';
}
