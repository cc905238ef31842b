import type { RunDocument } from '../../../src/documents/run-document.ts';
import { clientSample, ruleComparisonSample, serviceSample } from './conformance-sample.ts';
import {
  benchSample,
  comparisonSample,
  findMaxSample,
  loadSetSample,
  stagedSample,
} from './load-sample.ts';

/** A document of each kind, by a name for the test. */
export const ALL_SAMPLES: Readonly<Record<string, RunDocument>> = {
  conformance: serviceSample(),
  certification: clientSample(),
  load: stagedSample(),
  'load-set': loadSetSample(),
  'find-max': findMaxSample(),
  comparison: comparisonSample(),
  'rule-comparison': ruleComparisonSample(),
  bench: benchSample(),
};
