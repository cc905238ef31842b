import { z } from 'zod';
import { baseFields, targetSchema } from './base.ts';
import { exchangeSchema } from './exchange.ts';
import { exploredSchema } from './explored.ts';
import {
  count,
  type DocumentOf,
  flag,
  group,
  instant,
  list,
  oneOf,
  record,
  text,
  texts,
} from './fields.ts';
import { changeFields } from './rule-changes.ts';
import { ruleVerdictSchema } from './rule-verdict.ts';
import { scenarioSchema } from './scenario.ts';
import { storedTargetSchema } from './stored-target.ts';

/** Level of a rule. */
export const levelSchema = oneOf(
  ['must', 'should'],
  '`must`: the interface states it; `should`: good practice.',
);

/** Schema of the side that was judged. */
export const sideSchema = oneOf(['service', 'client'], 'Who was judged.');

/** Schema of the verdict of a run. */
export const verdictSchema = oneOf(
  ['conformant', 'not-conformant', 'incomplete'],
  '`incomplete`: nothing failed, and not everything that was required could be judged.',
);

const ruleSchema = z.object({
  id: text('Id of the rule.'),
  level: levelSchema,
  verdict: ruleVerdictSchema,
  reason: text('Why the rule has this verdict; of a broken rule, what came.'),
  clock: oneOf(
    ['virtual', 'control', 'wall'],
    'Clock that was moved or waited for: `virtual`: of the embedded server; `control`: of the target, by its control API; `wall`: real time.',
  )
    .nullable()
    .meta({ description: 'Clock that was moved or waited for; null for none.' }),
  exchanges: texts('Ids of the exchanges that show it.'),
  statement: text('Statement of the rule.'),
  section: text(
    'Heading of the interface that states the rule; empty for a rule of your own that names none.',
  ),
  expected: text('What the rule asks for; only of a broken rule.').optional(),
  shownBy: text('Id of the exchange that shows a violation; only of a broken rule.').optional(),
  curl: text(
    'Command that repeats the decisive request, secrets as `$VARIABLES`; only of a broken rule, and of a partner of the profile.',
  ).optional(),
  repeat: text(
    'Command that judges the rule again, once its remedy is done; of a rule that is broken, inconclusive or untestable, and where there is one.',
  ).optional(),
  replay: text(
    'Command that sends a request again which shows the violation alone; only of a broken rule, and where there is one.',
  ).optional(),
  remedy: text('What would make the rule testable; left out where nothing is known to.').optional(),
  pendingUntil: instant(
    'From when on `check --resume` can judge the rule, ISO 8601; only of one that waits for a time.',
  ).optional(),
});

/** Schema of {@link GapFinding}. */
export const gapFindingSchema = z.object({
  value: z
    .unknown()
    .optional()
    .meta({ description: 'Value of the setting in a behaviour file; left out where it has none.' }),
  words: text('The finding in words.'),
  exchanges: texts('Ids of the exchanges that show it; left out where all do.').optional(),
});

const gapSchema = z.object({
  id: text('Id of the gap.'),
  question: text('The question that the interface leaves open.'),
  observed: gapFindingSchema
    .nullable()
    .meta({ description: 'What the target did; null where nothing was observed.' }),
  note: text('Why nothing was observed; left out where something was.').optional(),
});

const diagnosisSchema = group(
  'The one cause for which a target accepted no well-formed token request, of all partners or of some, or for which a client sent no request; left out where there is none.',
  {
    finding: text('The cause, with the response that shows it.'),
    remedy: text('What to do about it.'),
    exchange: text('Id of the exchange that shows it; left out where nothing was sent.').optional(),
    isWhole: flag(
      'Whether no partner was accepted, so that no rule about a refusal can be judged; for a client true.',
    ),
  },
);

/** Schema of {@link Spend}. */
export const spendSchema = z.object({
  platform: count('Platform token requests.'),
  user: count('User token requests.'),
  refresh: count('Token refreshes.'),
});

const waiverSchema = z.object({
  rule: text('Rule id, or a glob over rule ids.'),
  reason: text('Why the rule may be broken.'),
  until: text('Last day of the waiver, `YYYY-MM-DD`, in UTC.'),
  problem: text('Why the waiver had no effect; left out where it had one.').optional(),
});

/** Schema of what a run left out for want of allowance, requests or time. */
export const leftOutSchema = list(
  'What a run left out of rules that it judged, for want of allowance, requests or time, by rule. A document of a run that left nothing out lacks it.',
  z.object({
    rule: text('Id of the rule.'),
    parts: count('Further parts of the rule that were left out.'),
    of: count('Further parts that the rule has: other variants, and other kinds of request.'),
    carriers: texts('Kinds of request on which the rule was not tried, in words.'),
  }),
);

const againstSchema = group(
  'The earlier run of `--against`, and what has changed since; left out without it.',
  {
    run: text('Path of its document, or of its folder.'),
    startedAt: instant('Start of the earlier run, ISO 8601.'),
    failsOnNew: flag('Whether only newly broken rules make the command fail (`--fail-on new`).'),
    ...changeFields,
  },
);

/** Schema of {@link ConformanceDocument}. */
export const conformanceSchema = z.object({
  ...baseFields,
  kind: z.literal('conformance'),
  side: sideSchema,
  target: targetSchema,
  suite: text('Name of the suite.'),
  seed: z.union([z.number(), z.string()]).meta({ description: 'Seed of random values.' }),
  verdict: verdictSchema,
  complete: flag('Whether every rule of the suite was judged.'),
  summary: group('Number of rules by verdict.', {
    pass: count('Rules that passed.'),
    fail: count('Rules of level must that are broken.'),
    warn: count('Rules of level should that are broken.'),
    inconclusive: count('Rules that were tried without a result.'),
    untestable: count('Rules for which the profile lacks something.'),
    excluded: count('Rules left out by the suite or the environment.'),
    waived: count('Broken rules that a waiver covers.'),
  }),
  diagnosis: diagnosisSchema.optional(),
  against: againstSchema.optional(),
  rules: list('Every rule of the side that was judged, each once.', ruleSchema),
  gaps: list('What the target did where the interface is silent; never judged.', gapSchema),
  spend: record('Requests that count against allowances, by partner id.', spendSchema),
  leftOut: leftOutSchema.optional(),
  explored: exploredSchema.optional(),
  exchanges: list('The evidence, in order of sending.', exchangeSchema),
  scenarios: list(
    'Scenarios of a certification, in the order they were run; left out of a check.',
    scenarioSchema,
  ).optional(),
  client: group('The client that was certified, as its partner names it; left out of a check.', {
    name: text('Name of the client; null if none was given.').nullable(),
    version: text('Version of the client; null if none was given.').nullable(),
    partner: text('Partner that the client belongs to; null if none was given.').nullable(),
  }).optional(),
  orders: oneOf(
    ['yes', 'no'],
    'Whether the client is declared to order rides for users who have no contact with the service; null if it is not declared. Left out of a check.',
  )
    .nullable()
    .optional(),
  waivers: list('Waivers of the run; left out without `--waivers`.', waiverSchema).optional(),
  sites: list(
    'What `report --recheck` needs to know of each target; left out of a certification.',
    storedTargetSchema,
  ).optional(),
});

/** A run that judged a service or a client, rule by rule. */
export type ConformanceDocument = DocumentOf<typeof conformanceSchema>;

/** Result of one rule. */
export type RuleResult = ConformanceDocument['rules'][number];

/** Behavior of a target where the interface leaves a question open. */
export type GapFinding = DocumentOf<typeof gapFindingSchema>;

/** A gap of the interface, and what was observed of it. */
export type GapObservation = ConformanceDocument['gaps'][number];

/** Requests that count against a partner's allowances. */
export type Spend = ConformanceDocument['spend'][string];

/** Number of rules by verdict. */
export type ConformanceSummary = ConformanceDocument['summary'];

/** One cause behind many verdicts. */
export type Diagnosis = NonNullable<ConformanceDocument['diagnosis']>;

/** A waiver of the run. */
export type AppliedWaiver = NonNullable<ConformanceDocument['waivers']>[number];
