import type { ConformanceDocument } from '../../documents/conformance.ts';
import { RULE_VERDICTS } from '../../documents/rule-verdict.ts';
import type { ScenarioResult } from '../../documents/scenario.ts';
import { type Block, type FactBlock, tableBlock } from './columns.ts';
import { decisiveFacts } from './exchange-words.ts';
import { groupBy } from './group-by.ts';
import type { TextFact } from './load-words.ts';
import { countOf } from './quantities.ts';
import { CHANGE_COLUMNS, changeRows } from './rule-changes.ts';
import {
  commandFacts,
  groupByReason,
  type RuleGroup,
  rulesWith,
  sameOutputAs,
  scenarioReason,
  verdictFacts,
} from './rule-words.ts';
import type { Outcome } from './tones.ts';

/** Inconclusive rules with the same reason that are listed one by one. */
const LISTED_ALIKE = 3;

/** A conformance run: counts, changes, rules to look at, and why others were not judged. */
export function conformanceBlocks(document: ConformanceDocument): Block[] {
  const { against, diagnosis, side, scenarios = [], summary, waivers = [] } = document;
  const ofRule = (outcome: Outcome, [rule]: RuleGroup): FactBlock => ({
    title: { code: rule.id },
    finding: { ...outcome, level: rule.level },
    facts: [
      ['statement', rule.statement],
      ...verdictFacts(rule),
      ['evidence', evidenceWords(rule.exchanges)],
      ...decisiveFacts(rule, document.exchanges),
      ...commandFacts(rule),
    ],
  });
  const inconclusive = rulesWith(document, 'inconclusive');
  // A client that sent nothing has a reason for each rule, all of which say that.
  const isSilent = side === 'client' && diagnosis !== undefined;
  const shown =
    isSilent && inconclusive.length > LISTED_ALIKE
      ? inconclusive.map((rule) => ({ ...rule, reason: 'see the diagnosis' }))
      : inconclusive;
  const counts = RULE_VERDICTS.map((verdict) => `${summary[verdict]} ${verdict}`);
  const open = { tone: 'unknown', words: 'INCONCLUSIVE' } as const;
  return [
    { title: '', facts: [['rules', counts.join(', ')]] },
    tableBlock('Changes', CHANGE_COLUMNS, against && changeRows(against)),
    ...(diagnosis === undefined
      ? []
      : [
          {
            title: diagnosis.finding,
            finding: { tone: 'bad', words: 'DIAGNOSIS' },
            facts: [
              ['remedy', diagnosis.remedy],
              ['evidence', diagnosis.exchange ?? ''],
            ],
          } as const,
        ]),
    ...rulesWith(document, 'fail').map((rule) => ofRule({ tone: 'bad', words: 'FAIL' }, [rule])),
    ...rulesWith(document, 'warn').map((rule) =>
      ofRule({ tone: 'caution', words: 'WARN' }, [rule]),
    ),
    ...groupByReason(shown).flatMap((group): FactBlock[] =>
      group.length <= LISTED_ALIKE
        ? group.map((rule) => ofRule(open, [rule]))
        : [
            {
              title: countOf(group.length, 'rule'),
              finding: open,
              facts: [
                ['reason', group[0].reason],
                ['rules', idsOf(group)],
              ],
            },
          ],
    ),
    { title: 'Scenarios', isFolded: true, facts: scenarioFacts(scenarios) },
    {
      title: 'Waived',
      isFolded: true,
      facts: rulesWith(document, 'waived').map(({ id, reason }) => [id, reason]),
    },
    {
      title: 'Untestable',
      isFolded: true,
      facts: groupByReason(rulesWith(document, 'untestable')).map((group) => {
        const [{ reason, remedy }] = group;
        const words = remedy === undefined ? reason : `${reason} → ${remedy}`;
        return [countOf(group.length, 'rule'), `${words}\n${idsOf(group)}`];
      }),
    },
    {
      title: 'Waiver problems',
      isFolded: true,
      facts: waivers.map(({ rule, problem = '' }) => [rule, problem]),
    },
  ];
}

const idsOf = (group: RuleGroup): string => group.map(({ id }) => id).join(', ');

/** Exchanges that are named; the others are in the other reports. */
const MOST_EVIDENCE = 12;

function evidenceWords(exchanges: readonly string[]): string {
  const named = exchanges.slice(0, MOST_EVIDENCE).join(', ');
  const more = exchanges.length - MOST_EVIDENCE;
  return more > 0 ? `${named} and ${more} more` : named;
}

/** Verdicts of scenarios that are shown, those to look at first. */
const SHOWN = ['fail', 'inconclusive', 'warn'];

/** Each verdict on scenarios, with its reason, by one of them; the others of it, and those passed, in a line. */
function scenarioFacts(scenarios: readonly ScenarioResult[]): TextFact[] {
  const namesOf = (some: readonly ScenarioResult[]): string =>
    some.map(({ name }) => name).join(', ');
  const shown = SHOWN.flatMap((verdict) => scenarios.filter((one) => one.verdict === verdict));
  const groups = [...groupBy(shown, scenarioWords).values()];
  const firsts = groups.map(([first]) => first);
  const passed = scenarios.filter(({ verdict }) => !SHOWN.includes(verdict));
  return [
    ...groups.flatMap(([first, ...others], at): TextFact[] => [
      [first.name, withOutput(first, firsts.slice(0, at))],
      ['also', namesOf(others)],
    ]),
    ['pass', namesOf(passed)],
  ];
}

function scenarioWords(scenario: ScenarioResult): string {
  const reason = scenarioReason(scenario);
  return reason === '' ? scenario.verdict : `${scenario.verdict}: ${reason}`;
}

/** A scenario with the last lines of the client, unless they are those of one before it. */
function withOutput(scenario: ScenarioResult, before: readonly ScenarioResult[]): string {
  const words = scenarioWords(scenario);
  const { output = [], log } = scenario;
  const same = sameOutputAs(scenario, before);
  if (same !== null) return `${words} (output as in ${same})`;
  const lines = output.map((line) => `| ${line}`);
  return [words, ...lines, ...(log === undefined ? [] : [`log: ${log}`])].join('\n');
}
