import type {
  ScenarioFrame,
  ScenarioResult as StoredScenario,
} from '../../../documents/scenario.ts';
import { CLIENT_RULES } from '../../../interface/catalogue/client.ts';
import type { RuleLevel } from '../../../interface/catalogue.ts';
import { succeeded } from '../traffic/request-fields.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { ClientRecord } from './client-record.ts';
import { isShort } from './stopped-short.ts';

/** The result of one scenario. */
export interface ScenarioResult extends StoredScenario {
  readonly verdict: 'pass' | 'fail' | 'warn' | 'inconclusive';
  /** For judging the stored exchanges again. */
  readonly record: NonNullable<StoredScenario['record']>;
}

/**
 * The result of a scenario; null for a record of listening.
 *
 * @param broken ids of the rules that the client broke in it
 */
export function scenarioResult(
  { frame, judges, complete, exitCode }: ClientRecord,
  traffic: Traffic,
  broken: ReadonlySet<string>,
): ScenarioResult | null {
  if (frame === null) return null;
  const verdict = verdictOn(traffic, frame, broken);
  return { name: frame.name, exitCode, record: { frame, judges, complete }, ...verdict };
}

function verdictOn(
  traffic: Traffic,
  frame: ScenarioFrame,
  broken: ReadonlySet<string>,
): Pick<ScenarioResult, 'verdict' | 'missing' | 'reason'> {
  const failed = brokenRules(broken, 'must');
  if (failed.length > 0) {
    return { verdict: 'fail', missing: [], reason: `breaks ${failed.join(', ')}` };
  }
  const isSteady = frame.stimuli.length === 0 && !frame.outlivesToken;
  const stopped = isShort(traffic, frame) && frame.ended !== 'interrupted';
  if (isSteady && stopped && traffic.estimates.some(succeeded)) {
    const reason = `the client stopped after ${traffic.estimates.length} of ${frame.estimates} estimates`;
    return { verdict: 'fail', missing: [], reason };
  }
  const missing = missingIn(traffic, frame);
  if (missing.length > 0) return { verdict: 'inconclusive', missing };
  const warned = brokenRules(broken, 'should');
  if (warned.length > 0) {
    return { verdict: 'warn', missing, reason: `breaks ${warned.join(', ')}` };
  }
  return { verdict: 'pass', missing };
}

function brokenRules(broken: ReadonlySet<string>, level: RuleLevel): string[] {
  const rules = CLIENT_RULES.filter((rule) => rule.level === level && broken.has(rule.id));
  return rules.map(({ id }) => id);
}

function missingIn(traffic: Traffic, frame: ScenarioFrame): string[] {
  const pending = frame.stimuli.find(({ given }) => given === null);
  if (pending !== undefined) return [pending.waitsFor];
  if (!isShort(traffic, frame)) return [];
  return [`${frame.atLeast - traffic.estimates.length} more of ${frame.estimates} estimates`];
}
