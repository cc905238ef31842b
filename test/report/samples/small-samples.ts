import type { ConformanceDocument } from '../../../src/documents/conformance.ts';
import type { RuleVerdict } from '../../../src/documents/rule-verdict.ts';
import type { RunDocument } from '../../../src/documents/run-document.ts';
import {
  againstSample,
  clientSample,
  ruleComparisonSample,
  serviceSample,
} from './conformance-sample.ts';
import { benchSample, comparisonSample, findMaxSample, loadSample } from './load-sample.ts';

/** One document of each kind, small enough to be rendered some hundred times. */
export const SMALL_SAMPLES: readonly RunDocument[] = [
  smallConformance(),
  loadSample(3),
  findMaxSample({ trials: findMaxSample().trials.slice(2, 5) }),
  comparisonSample({ runs: { a: [], b: [] } }),
  benchSample(),
  ruleComparisonSample(),
];

/** One rule of each verdict, with its evidence. */
export function smallConformance(): ConformanceDocument {
  const whole = serviceSample();
  const verdicts = new Set<RuleVerdict>();
  const rules = whole.rules.filter(
    ({ verdict }) => !verdicts.has(verdict) && verdicts.add(verdict),
  );
  const used = new Set(rules.flatMap(({ exchanges }) => exchanges));
  return {
    ...whole,
    against: againstSample().against,
    notes: ['A note.'],
    rules: rules.map((rule) => ({ ...rule, statement: 'what the rule says' })),
    exchanges: whole.exchanges.filter(({ id }) => used.has(id)),
    gaps: whole.gaps.slice(0, 3).map((gap) => ({ ...gap, question: 'what is it?' })),
    scenarios: clientSample().scenarios?.map((scenario) => ({ ...scenario, reason: 'so it went' })),
  };
}
