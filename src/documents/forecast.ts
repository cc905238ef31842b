import { z } from 'zod';
import { baseFields, targetSchema } from './base.ts';
import { leftOutSchema } from './conformance.ts';
import { count, type DocumentOf, flag, group, list, oneOf, text, texts } from './fields.ts';

const openRuleSchema = z.object({
  rule: text('Id of the rule.'),
  reason: text('Why it is not judged.'),
  remedy: text('Change that would have it judged; empty if none is known.'),
});

const perAllowance = (description: string) =>
  group(description, {
    platform: count('Platform token requests.'),
    user: count('User token requests.'),
    refresh: count('Token refreshes.'),
    codes: count('Auth codes.'),
  });

/** Schema of {@link ForecastDocument}. */
export const forecastSchema = z.object({
  tool: baseFields.tool,
  target: targetSchema,
  suite: text('Name of the suite.'),
  judged: texts('Ids of the rules that are judged.'),
  pending: list('Rules that another day is needed for.', openRuleSchema),
  inconclusive: list('Rules that are tried without a result.', openRuleSchema),
  untestable: list(
    'Rules for which the profile, its allowances or the flags lack something.',
    openRuleSchema,
  ),
  partners: list(
    'Partners of the profile whose requests count; empty where each check has a fresh partner.',
    z.object({
      partner: text('Id of the partner.'),
      spends: perAllowance('Requests that it sends, and auth codes.'),
      left: perAllowance('Requests and auth codes that it has left before.'),
      after: oneOf(['banned', 'used-up'], '`used-up`: an allowance is used up for a day.')
        .nullable()
        .meta({ description: 'State that the run leaves it in; null for neither.' }),
      rules: texts('Ids of the rules that its requests judge.'),
    }),
  ),
  leftOut: leftOutSchema,
  interrupted: flag('Whether the forecast was interrupted: the rest holds for a part of the run.'),
});

/** Forecast of a run: output of `fareproof check --plan --json`. */
export type ForecastDocument = DocumentOf<typeof forecastSchema>;
