import { duplicateKeys } from '../../answers/json-text.ts';
import type { ConformanceDocument, RuleResult } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import type { StoredTarget } from '../../documents/stored-target.ts';
import { NOT_RESTARTED } from '../../spending/index.ts';
import { curlOf } from '../curl.ts';
import { askedIn } from '../model/asked.ts';
import { refusedAfterRefusals } from '../model/refused-count.ts';
import { runVerdict, verdictOf } from '../verdict.ts';
import { isWaiting } from './contract/check.ts';
import { inSome } from './contract/judge.ts';
import { batchName } from './contract/parts.ts';
import { cutToSize } from './cut-to-size.ts';
import { diagnose, explained, unservedPartners, unsignedFields } from './diagnosis.ts';
import type { ExploredTargets } from './explore/explore-targets.ts';
import type { ObservedGap, ProbeResults } from './gaps/probe.ts';
import { GAP_PREFIX } from './gaps/probe.ts';
import { observeGaps } from './gaps/table.ts';
import { judge } from './judge/judge.ts';
import type { JudgedRule } from './judge/judged-rule.ts';
import type { CheckServiceOptions, TimedOptions } from './options.ts';
import type { RunState } from './resume/resume.ts';
import { SERVICE_CHECKS } from './rules/all.ts';
import type { TargetOutcome } from './runner/judge-target.ts';
import type { TargetRun } from './runner/target-run.ts';
import type { Evidence } from './wire/evidence.ts';

/** Fields of a rule's result that do not depend on its verdict. */
export type RuleFacts = Pick<RuleResult, 'id' | 'level' | 'statement' | 'section'>;

/** Run on a service: its rules and its targets. */
export interface ServiceRun {
  readonly rules: readonly RuleFacts[];
  readonly selected: ReadonlySet<string>;
  readonly targets: readonly TargetRun[];
  readonly evidence: Evidence;
  readonly probeResults: ProbeResults;
  readonly state: RunState;
  /** Reason why the run ended before its targets were judged. */
  readonly unreachable?: string;
}

/** Result of a run on a service: its document without the fields of the command line. */
export interface ServiceResult
  extends Omit<ConformanceDocument, 'schemaVersion' | 'tool' | 'scenarios' | 'waivers'> {
  readonly side: 'service';
  readonly seed: number;
  readonly gaps: readonly ObservedGap[];
  readonly sites: readonly StoredTarget[];
  readonly notes: readonly string[];
}

/** Builds the result of a run from the outcomes of its targets: each rule once. */
export function buildResult(
  options: TimedOptions,
  { rules, selected, targets, evidence, probeResults, state, unreachable }: ServiceRun,
  outcomes: readonly TargetOutcome[],
  explored?: ExploredTargets,
): ServiceResult {
  const { raw } = evidence;
  // One target may show that the service refuses at random after the other was judged.
  const judged = judge(
    outcomes.map(({ log }) => log),
    options.signal?.aborted,
  );
  for (const { rule, judgement, exchanges: shown } of explored?.finds ?? [])
    if (judged.get(rule)?.judgement.verdict !== 'violated')
      judged.set(rule, { rule, judgement, exchanges: shown });
  const isOfProfile = targets[0]?.client.facts.hasControl !== true;
  const clockUsed = isOfProfile ? 'wall' : 'control';
  const isInterrupted = options.signal?.aborted === true;
  const { baseUrl, signature } = options.target;
  const diagnosis = isInterrupted
    ? null
    : evidence.redactWithin(
        diagnose(raw, baseUrl, targets[0]?.client.stability.usedUp, signature.tokenFields),
      );
  const known = {
    isOfProfile,
    unserved: unservedPartners(raw, baseUrl),
    unsigned: unsignedFields(raw, baseUrl, signature.tokenFields),
  };
  const outcomeOf = ({ id, level }: RuleFacts): RuleOutcome => {
    if (!selected.has(id)) return { verdict: 'excluded', reason: 'left out by the suite' };
    const one = judged.get(id);
    if (!one) return explained(notJudged(id, options, unreachable), diagnosis, known);
    const { judgement, check } = one;
    const verdict = verdictOf(judgement, level);
    const { reason, expected, remedy, pendingUntil, keyExchange = '' } = judgement;
    const shown = judgement.verdict === 'violated' ? evidence.redacted(keyExchange) : undefined;
    const outcome: RuleOutcome = {
      verdict,
      clock: check && isWaiting(check) && verdict !== 'untestable' ? clockUsed : null,
      exchanges: one.exchanges,
      ...evidence.redactWithin({ reason: `${reason}`, expected, remedy }),
      shownBy: shown?.id,
      // Only who made the profile has the keys of its partners.
      curl: shown && isOfProfile ? curlOf(shown) : undefined,
      ...(pendingUntil === undefined ? {} : { pendingUntil }),
    };
    const { isUnsent } = judgement;
    return explained(outcome, diagnosis, { isUnsent, shown, ...known });
  };
  const results = rules.map((rule): RuleResult => {
    const { id, level, statement, section } = rule;
    const { verdict, reason, clock = null, exchanges: shown = [], ...more } = outcomeOf(rule);
    return { id, level, verdict, reason, clock, exchanges: shown, statement, section, ...more };
  });
  const mustBeComplete = options.requireComplete || options.suite.requireComplete;
  const environments = [...new Set(targets.map(({ client }) => client.target.environment))];
  const gaps = once(() =>
    evidence.redactWithin(gapsOf(targets, outcomes, evidence.exchanges, probeResults)),
  );
  const result: Omit<ServiceResult, 'exchanges'> = {
    kind: 'conformance',
    side: 'service',
    target: {
      name: options.target.name,
      baseUrl: options.target.baseUrl,
      environment: environments.join(' and '),
    },
    suite: options.suite.name,
    seed: state.seed,
    startedAt: new Date(state.startedAtMs).toISOString(),
    finishedAt: new Date(options.clock.now()).toISOString(),
    ...runVerdict(results, mustBeComplete, isInterrupted),
    ...(diagnosis ? { diagnosis } : {}),
    rules: results,
    get gaps() {
      return gaps();
    },
    spend: Object.fromEntries(targets.flatMap(({ client }) => [...client.spend.byPartner])),
    ...leftOutIn(outcomes, results),
    ...(explored ? { explored: evidence.redactWithin(explored.document) } : {}),
    sites: targets.map((run, at) => storedTarget(run, outcomes[at], evidence)),
    notes: [
      ...usedUpNotes(targets),
      ...exploredNotes(explored),
      ...targets.flatMap((run) => [
        ...clockNotes(run),
        ...stampNotes(run),
        ...limitNotes(run),
        ...countNotes(run),
        ...duplicateNotes(run),
      ]),
    ],
    ...(options.signal?.aborted ? { interrupted: true as const } : {}),
  };
  const exchanges = once(() => cutToSize(evidence.exchanges, result));
  // Those who ask for verdicts alone do not wait for what a document shows.
  return Object.defineProperties({} as ServiceResult, {
    ...Object.getOwnPropertyDescriptors(result),
    exchanges: { get: exchanges, enumerable: true },
  });
}

/** The same function, computed when it is called first. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Tells how much was explored. */
function exploredNotes(explored: ExploredTargets | undefined): string[] {
  if (!explored) return [];
  const { steps, walks, seed, seconds, unconfirmed, finds, notExplored } = explored.document;
  if (notExplored !== undefined) return [`Nothing was explored: ${notExplored}.`];
  return [
    `Explored: ${steps} steps in ${walks} walks (seed ${seed}), ${Math.round(steps / Math.max(seconds, 0.1))} a second. Rules found broken: ${finds.length}. Surprises that did not come again, or have another cause: ${unconfirmed}.`,
  ];
}

/** Tells that a service which was to be restarted was not. */
function usedUpNotes(targets: readonly TargetRun[]): string[] {
  const [first] = targets.flatMap(({ client }) => client.stability.usedUp);
  return first === undefined
    ? []
    : [
        `The service refused requests that exceed its allowances with those of earlier runs (first ${first}): ${NOT_RESTARTED}.`,
      ];
}

/** Parts left out of the rules that were judged, in their order; no field where nothing is. */
function leftOutIn(
  outcomes: readonly TargetOutcome[],
  results: readonly RuleResult[],
): Pick<ConformanceDocument, 'leftOut'> {
  const all = outcomes.flatMap((one) => one.leftOut);
  const leftOut = results
    .filter(({ verdict }) => verdict !== 'untestable')
    .flatMap(({ id }) => all.filter(({ rule }) => rule === id));
  return leftOut.length > 0
    ? { leftOut: leftOut.map((one) => ({ ...one, carriers: [...one.carriers] })) }
    : {};
}

function clockNotes({ client: { clock, target } }: TargetRun): string[] {
  if (clock.leftAtMs === null) return [];
  const now = new Date(clock.leftAtMs).toISOString();
  return [
    `The clock of ${target.baseUrl} was moved to ${now}. It was not reset: the target does not obey POST /clock {"reset": true}.`,
  ];
}

/** Tells that refused requests seem to count, where the profile says that they do not. */
function countNotes({ client: { evidence, target } }: TargetRun): string[] {
  if (target.refusedRequestsCount !== false) return [];
  const found = refusedAfterRefusals(askedIn(evidence.raw, target.baseUrl));
  if (!found) return [];
  return [
    `The profile says that refused requests count against no allowance, but ${found.words} (${found.exchanges?.at(-1)}). If they count, set refusedRequestsCount to true.`,
  ];
}

/** Tells of answers in which a key stands twice: no rule forbids it, but two readers may differ. */
function duplicateNotes({ client: { evidence, target } }: TargetRun): string[] {
  const found = evidence.raw.flatMap(({ id, request, response }) => {
    const isOfTarget = request.url.startsWith(target.baseUrl);
    const keys = isOfTarget && response ? duplicateKeys(response.body) : [];
    return keys.length > 0 ? [{ id, key: keys[0] ?? '' }] : [];
  });
  const [first] = found;
  if (first === undefined) return [];
  const where = inSome(found.length, evidence.raw.length, 'answers');
  const note = `${target.baseUrl} sent objects in which a key stands twice (first ${JSON.stringify(first.key)} in ${first.id}, ${where}): some readers take the first value, others the last.`;
  return [evidence.redactWithin(note)];
}

function stampNotes({ client: { stamp, target } }: TargetRun): string[] {
  return stamp.notes.map((note) => `${target.baseUrl}: ${note}.`);
}

function limitNotes({ client }: TargetRun): string[] {
  const { rateLimit, stability, target } = client;
  const statuses = client.limitStatuses.size > 0 ? client.limitStatuses : ['429 or 503'];
  const { refusals, perMinute } = rateLimit;
  const rate = perMinute === null ? 'its rate' : `the ${perMinute} a minute that it takes`;
  const { doubt } = stability;
  return [
    ...(refusals === 0
      ? []
      : [
          `${target.baseUrl} refused ${refusals} requests for its rate or its load (status ${[...statuses].join(', ')}). They were sent again later, at no more than ${rate}.`,
        ]),
    ...(doubt === null ? [] : [`In this run ${doubt}. What shows by a refusal is inconclusive.`]),
  ];
}

function gapsOf(
  [run]: readonly TargetRun[],
  [outcome]: readonly TargetOutcome[],
  exchanges: readonly Exchange[],
  probeResults: ProbeResults,
): ObservedGap[] {
  if (!run) return [];
  const { facts, target } = run.client;
  const withTarget = exchanges.filter(({ request }) => request.url.startsWith(target.baseUrl));
  const notFound = new Map(
    outcome?.probed.map(({ rule, judgement }) => [
      rule.slice(GAP_PREFIX.length),
      `${judgement.reason}`,
    ]),
  );
  return observeGaps(withTarget, facts, probeResults, notFound);
}

/** Part of a rule's result that depends on the run. */
type RuleOutcome = Pick<RuleResult, 'verdict' | 'reason'> & Partial<RuleResult>;

/** Outcome of a selected rule that has no judgement. */
function notJudged(
  id: string,
  { target, signal }: CheckServiceOptions,
  unreachable = 'not judged',
): RuleOutcome {
  const check = SERVICE_CHECKS.find(({ rules }) => rules.includes(id));
  const wanted = check?.needs?.environment;
  if (wanted !== undefined && wanted !== target.environment) {
    const reason = `a rule of the ${wanted} environment, which the target is not in`;
    return { verdict: 'excluded', reason };
  }
  const reason = signal?.aborted
    ? 'the run was interrupted before this rule was judged'
    : unreachable;
  return { verdict: 'inconclusive', reason };
}

/** Facts by which the target's answers can be judged again. */
function storedTarget(
  { client, budgets }: TargetRun,
  outcome: TargetOutcome | undefined,
  evidence: Evidence,
): StoredTarget {
  const { facts, target } = client;
  const { baseUrl, environment, signature, estimates } = target;
  const others = facts.hasControl ? [] : (budgets ?? []).filter(({ mayBan }) => !mayBan);
  return {
    baseUrl,
    environment,
    signature,
    estimates,
    control: facts.hasControl,
    metered: facts.metered,
    partners: others.map(({ partnerId }) => partnerId),
    ...(client.stability.usedUp.length > 0 && { usedUp: client.stability.usedUp }),
    ...evidence.redactWithin(unsentOf(outcome?.log.found ?? [], evidence.raw)),
  };
}

/** Attempts that are inconclusive without a request of their own, or by an error: no exchange tells of them. */
function unsentOf(
  found: readonly JudgedRule[],
  exchanges: readonly Pick<Exchange, 'part'>[],
): Pick<StoredTarget, 'unsent'> {
  const keyOf = (check = '', attempt = 1): string => `${check} ${attempt}`;
  const sent = new Set(exchanges.map(({ part }) => keyOf(part?.check, part?.attempt)));
  const isOpen = ({ judgement }: JudgedRule): boolean => judgement.verdict === 'inconclusive';
  const isSent = ({ check, attempt }: JudgedRule): boolean => sent.has(keyOf(check.id, attempt));
  // A later attempt may be judged by the requests around others.
  const isJudgedLater = ({ check, attempt = 1 }: JudgedRule): boolean =>
    found.some(
      (one) =>
        one.check.id === check.id && (one.attempt ?? 1) > attempt && !isOpen(one) && !isSent(one),
    );
  const isBroken = ({ check, attempt }: JudgedRule): boolean =>
    found
      .filter((one) => one.check.id === check.id && one.attempt === attempt)
      .every(({ judgement }) => judgement.isBroken);
  const unsent = found
    .filter((one) => isOpen(one) && (isBroken(one) || !isSent(one)))
    .filter((one) => !isJudgedLater(one))
    .map(({ check, attempt = 1, judgement }) => {
      const of = { check: check.id, attempt, on: batchName(check.places[0]) };
      return [keyOf(check.id, attempt), { ...of, reason: `${judgement.reason}` }] as const;
    });
  return unsent.length > 0 ? { unsent: [...new Map(unsent).values()] } : {};
}
