import type { ScenarioFrame, ScenarioResult } from '../../../documents/scenario.ts';
import type { ClientRuleId, Rule, RuleLevel } from '../../../interface/catalogue.ts';
import { CLIENT_CHECKS } from '../rules/all.ts';
import type { CheckOutcome, ClientCheck, Violation } from '../rules/check.ts';
import { givenTo, usesTexts } from '../rules/given-texts.ts';
import { allowanceOf, isRefused, succeeded } from '../traffic/request-fields.ts';
import { replacedBy, type Traffic } from '../traffic/traffic.ts';
import type { ClientRecord } from './rule-result.ts';
import {
  gapsOf,
  refusalOfGap,
  reusesAuthCode,
  unexplainedRefusals,
} from './unexplained-refusal.ts';

/** Rules that a client broke in a scenario, and those that it did not show. */
interface Found {
  readonly rules: readonly Pick<Rule, 'id' | 'level'>[];
  /** Ids of the exchanges that show it. */
  readonly exchanges: ReadonlySet<string>;
  readonly unshown: readonly Unshown[];
}

/** A rule that a scenario is meant to judge and does not show, and what it lacks. */
export interface Unshown {
  readonly rule: ClientRuleId;
  readonly missing: string;
}

/** The result of one scenario. */
export interface JudgedScenario extends ScenarioResult {
  readonly verdict: 'pass' | 'fail' | 'warn' | 'inconclusive';
}

/** The result of a scenario; null for a record of listening. */
export function scenarioResult(
  { frame, judges, complete, exitCode }: ClientRecord,
  traffic: Traffic,
  found: Found,
  earlier: readonly ClientRecord[],
): JudgedScenario | null {
  if (frame === null) return null;
  const verdict = verdictOn(traffic, frame, found);
  const notExercised = notExercisedIn(traffic, frame);
  const attempts = earlier.flatMap((one) => {
    const { frame: own } = one;
    if (own === null) return [];
    return { exitCode: one.exitCode, record: { frame: own, judges, complete: one.complete } };
  });
  return {
    name: frame.name,
    exitCode,
    record: { frame, judges, complete },
    ...verdict,
    ...(notExercised.length > 0 && { notExercised }),
    ...(attempts.length > 0 && { earlier: attempts }),
  };
}

/** Names of what a variable brings to a scenario, for which a machine may have no data. */
const DATA: Readonly<Record<string, string>> = { TZ: 'time zone', LC_ALL: 'locale' };

/** Names what a scenario could not try, as the client ignored it, or this machine has no data for it. */
function notExercisedIn(traffic: Traffic, frame: ScenarioFrame): string[] {
  const isIgnored = givenTo(frame).length > 0 && !usesTexts(traffic.estimates, frame);
  const lacks = (frame.lacks ?? []).map((name) => DATA[name] ?? name);
  return [
    ...(isIgnored && traffic.estimates.length > 0 ? ['texts'] : []),
    ...lacks,
    ...(neverRefreshes(traffic, frame) ? ['refreshes'] : []),
  ];
}

function verdictOn(
  traffic: Traffic,
  frame: ScenarioFrame,
  broken: Found,
): Pick<JudgedScenario, 'verdict' | 'missing' | 'reason'> {
  const breaks = (level: RuleLevel): string | null => {
    const rules = broken.rules.filter((rule) => rule.level === level).map(({ id }) => id);
    return rules.length > 0 ? `breaks ${rules.join(', ')}` : null;
  };
  if (frame.clockStepMs !== undefined) return openByClock(frame.clockStepMs);
  const failed = breaks('must');
  if (failed !== null) return { verdict: 'fail', missing: [], reason: failed };
  const given = traffic.redirected.find(({ misplaced = [] }) => misplaced.length > 0);
  if (given !== undefined) {
    const reason = `the client gave a secret to another origin, to which a redirect led it (${given.id}): it must leave out Authorization there`;
    return { verdict: 'fail', missing: [], reason };
  }
  const refused = refusalIn(traffic, broken.exchanges);
  // The client's clock may be another one, and be right.
  const setMs = traffic.clockSetsMs.find((byMs) => byMs !== 0);
  if (refused !== null && setMs !== undefined) return openByClock(setMs);
  if (refused !== null) return { verdict: 'fail', missing: [], reason: refused };
  const ofGap = refusalOfGap(traffic);
  if (ofGap !== undefined) {
    const open = `the reference server gives another answer to ${gapsOf(ofGap).join(', ')} than the signature of ${ofGap.id}`;
    return { verdict: 'inconclusive', missing: [open] };
  }
  const missing = missingIn(traffic, frame, broken.unshown);
  if (missing.length > 0) {
    return { verdict: 'inconclusive', missing, reason: remedyFor(traffic, frame) };
  }
  const warned = breaks('should');
  return warned === null
    ? { verdict: 'pass', missing }
    : { verdict: 'warn', missing, reason: warned };
}

function openByClock(setMs: number): Pick<JudgedScenario, 'verdict' | 'missing' | 'reason'> {
  const seconds = Math.round(setMs / 1000);
  const missing = `a run in which this machine's clock is not set: it was set by about ${seconds} s, or the machine was suspended`;
  return { verdict: 'inconclusive', missing: [missing], reason: 'run it again' };
}

/** Describes what the service refused; null if nothing, or if a stimulus or a rule explains it. */
function refusalIn(traffic: Traffic, broken: ReadonlySet<string>): string | null {
  const [refused] = unexplainedRefusals(traffic, broken);
  if (refused !== undefined) {
    const { id, kind, answer } = refused;
    const noun = kind === 'malformed' ? 'bytes' : `${kind} request`;
    return `the service refused the ${noun} ${id} with status ${answer.status}: ${answer.refusal ?? ''}`;
  }
  const { estimates } = traffic;
  const isNeverServed =
    estimates.length > 0 &&
    refusalOfGap(traffic) === undefined &&
    estimates.every((one) => one.stimuli.length === 0 && !succeeded(one));
  return isNeverServed ? `none of ${estimates.length} estimate requests succeeded` : null;
}

/** Rules that a client which replaces its platform tokens early has no refresh to show. */
const OF_REFRESHES = /refresh|^client\/(failure|lost-answer)-handled$/;

/**
 * True if a client replaces its platform tokens by new ones before their end, which it may within its
 * allowance: it has no reason to refresh any.
 */
function replacesEarly(traffic: Traffic): boolean {
  const replacements = traffic.tokenRequests.flatMap((request) => {
    const token = replacedBy(traffic, request);
    return token?.kind === 'platform' ? { request, token } : [];
  });
  return (
    replacements.length > 0 &&
    replacements.every(
      ({ request, token }) =>
        allowanceOf(request) === 'platform' && request.receivedMs <= token.expiresMs,
    )
  );
}

/** True if a scenario waits for a refresh that the client has no reason for. */
function neverRefreshes(traffic: Traffic, { stimuli }: ScenarioFrame): boolean {
  return (
    stimuli.some(({ given, on }) => given === null && on === 'refresh') && replacesEarly(traffic)
  );
}

function missingIn(traffic: Traffic, frame: ScenarioFrame, unshown: readonly Unshown[]): string[] {
  const isEarly = replacesEarly(traffic);
  const pending = frame.stimuli.find(
    ({ given, on }) => given === null && !(on === 'refresh' && isEarly),
  );
  if (pending !== undefined) return [pending.waitsFor];
  if (!isShort(traffic, frame)) {
    const open = unshown.filter(({ rule }) => !(isEarly && OF_REFRESHES.test(rule)));
    return [...new Set(open.map(({ missing }) => missing))];
  }
  const more = Math.max(1, frame.atLeast - traffic.estimates.length);
  return [`${more} more of ${frame.estimates} estimates`];
}

/** Says how a client can be changed so that a scenario judges it. */
function remedyFor(traffic: Traffic, frame: ScenarioFrame): string {
  if (frame.ended === 'interrupted') return 'the run was interrupted; run it again';
  if (frame.ended === 'time-limit' && !frame.mayOutlast)
    return 'the client was stopped at the time limit; let it exit once it has FAREPROOF_ESTIMATES estimates';
  if (!isShort(traffic, frame)) {
    return 'the client did not do what this scenario tests; let it request estimates at the intervals of FAREPROOF_INTERVAL_MS, and refresh its token when it ends';
  }
  const isCodeAgain = traffic.tokenRequests.some((one) => reusesAuthCode(traffic, one));
  if (isCodeAgain) {
    return 'the client stopped short, as it sent its auth code again, which is good once; let it refresh its token';
  }
  const failed = traffic.requests.findLast((request) => !succeeded(request));
  const after =
    failed === undefined ? '' : `, also after a failed response such as that of ${failed.id}`;
  return `the client stopped short; let it continue to FAREPROOF_ESTIMATES estimates${after}`;
}

/**
 * Judges one rule; a client that stops short after a stimulus breaks the scenario's own rule.
 *
 * @param isRepeated true for an attempt after which the scenario was run again: what hung in it may have been held up
 */
export function judgeRule(check: ClientCheck, traffic: Traffic, isRepeated = false): CheckOutcome {
  const outcome = check.judge(traffic);
  const { scenario } = traffic;
  const goesOn = scenario?.goesOnRule === check.rule;
  const mayBeHeldUp = isRepeated && scenario?.ended === 'time-limit';
  const stop = goesOn && !mayBeHeldUp ? stopAfterStimulus(traffic, scenario) : null;
  return stop === null ? outcome : { ...outcome, violations: [...outcome.violations, stop] };
}

/** True if a client sent fewer estimate requests than its scenario needs, or none after its last stimulus. */
function isShort({ estimates, requests }: Traffic, frame: ScenarioFrame): boolean {
  const given = new Set(frame.stimuli.map((stimulus) => stimulus.given));
  const ended = !frame.mayOutlast && given.has(requests.at(-1)?.id ?? null);
  return estimates.length < frame.atLeast || ended;
}

function stopAfterStimulus(traffic: Traffic, scenario: ScenarioFrame): Violation | null {
  if (!isShort(traffic, scenario) || scenario.ended === 'interrupted') return null;
  const given = scenario.stimuli.findLast((stimulus) => stimulus.given !== null)?.given ?? null;
  if (given === null || isExcused(traffic, given)) return null;
  const how = scenario.ended === 'time-limit' ? 'hung' : 'ended';
  return {
    exchange: given,
    expected: `the client continues to ${scenario.estimates} estimates`,
    got: `the client ${how} after ${traffic.estimates.length} of ${scenario.estimates} estimates in scenario ${scenario.name}`,
  };
}

/**
 * True if the service refused a request that breaks another rule: the client may have stopped because
 * of that, so the other rule is the one to fix. A refusal that no rule explains does not count.
 */
function isExcused(traffic: Traffic, since: string): boolean {
  const { requests, scenario } = traffic;
  const refused = requests
    .slice(requests.findIndex(({ id }) => id === since) + 1)
    .filter(isRefused);
  if (refused.some((request) => gapsOf(request).length > 0)) return true;
  if (refused.length === 0) return false;
  const broken = CLIENT_CHECKS.filter(({ rule }) => rule !== scenario?.goesOnRule)
    .flatMap(({ judge }) => judge(traffic).violations)
    .map(({ exchange }) => exchange);
  return refused.some(({ id }) => broken.includes(id));
}
