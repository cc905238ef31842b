import { z } from 'zod';
import { baseFields, targetSchema } from './base.ts';
import { COMPARISON_VERDICTS } from './comparison.ts';
import { sideSchema, verdictSchema } from './conformance.ts';
import { type DocumentOf, group, instant, oneOf, text } from './fields.ts';
import { changeFields } from './rule-changes.ts';

const runSchema = (description: string) =>
  group(description, {
    name: text('Name that it was given, such as a version, or the path of its document.'),
    target: targetSchema,
    suite: text('Name of its suite.'),
    startedAt: instant('Its start, ISO 8601.'),
    verdict: verdictSchema,
    toolVersion: text('Version of the program that judged it.'),
  });

/** Schema of {@link RuleComparisonDocument}. */
export const ruleComparisonSchema = z.object({
  ...baseFields,
  kind: z.literal('rule-comparison'),
  side: sideSchema,
  verdict: oneOf(
    COMPARISON_VERDICTS,
    '`worse`: a must is newly broken; `inconclusive`: nothing is, and a rule is no longer judged or newly tried, or one of the runs judged none; `better`: a rule was fixed.',
  ),
  base: runSchema('The earlier run.'),
  candidate: runSchema('The later run.'),
  ...changeFields,
});

/** Two checks, or two certifications, compared rule by rule. */
export type RuleComparisonDocument = DocumentOf<typeof ruleComparisonSchema>;
