import {
  type AppliedWaiver,
  type ConformanceDocument,
  type GapObservation,
  type Spend,
} from '../../../../documents/conformance.ts';
import { RULE_VERDICTS } from '../../../../documents/rule-verdict.ts';
import type { ScenarioResult } from '../../../../documents/scenario.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../../../../interface/limits.ts';
import { column, numbers } from '../../../text/columns.ts';
import { countOf } from '../../../text/quantities.ts';
import { scenarioReason } from '../../../text/rule-words.ts';
import { leftOutNote, part, prose, shortText, table } from '../../blocks.ts';
import { type Content, html } from '../../markup.ts';
import { verdictBadge } from '../../verdict.ts';

/** The scenarios of a certification. */
export function scenariosPart({ scenarios = [] }: ConformanceDocument, id: string): Content {
  if (scenarios.length === 0) return null;
  const columns = [
    column('scenario', ({ name }: ScenarioResult) => ({ code: name })),
    column('verdict', ({ verdict }: ScenarioResult) => scenarioVerdict(verdict)),
    numbers('exit code', ({ exitCode }: ScenarioResult) => exitCode ?? '–'),
    column('missing', scenarioReason),
  ];
  return part('Scenarios', `${id}-scenarios`, table('Scenarios in order', columns, scenarios));
}

function scenarioVerdict(verdict: string): Content {
  const known = RULE_VERDICTS.find((each) => each === verdict);
  return known ? verdictBadge(known) : shortText(verdict, 100);
}

/** The waivers of the run. */
export function waiversPart({ waivers = [] }: ConformanceDocument, id: string): Content {
  if (waivers.length === 0) return null;
  const columns = [
    column('rule', ({ rule }: AppliedWaiver) => ({ code: rule })),
    column('until', ({ until }: AppliedWaiver) => until),
    column('reason', ({ reason }: AppliedWaiver) => reason),
    column('problem', ({ problem = '' }: AppliedWaiver) => problem),
  ];
  return part('Waivers', `${id}-waivers`, table('Waivers of this run', columns, waivers));
}

/** Partners that are shown: with a control API many a rule has a partner of its own. */
const PARTNER_LIMIT = 60;

/** Token requests of each partner that count against its allowances. */
export function spendPart({ side, sites, spend }: ConformanceDocument, id: string): Content {
  const partners = Object.entries(spend);
  if (partners.length === 0) return null;
  const title = 'Allowance used by partner';
  const isFree = side === 'service' && sites?.every(({ control, metered }) => control && !metered);
  if (isFree) return part(title, `${id}-spend`, html`<p>${freshWords(partners)}</p>`);
  const columns = [
    column('partner', ([partner]: [string, Spend]) => ({ code: partner })),
    ...ALLOWANCE_KINDS.map((kind) =>
      numbers(
        kind,
        ([, counts]: [string, Spend]) => `${counts[kind]} of ${ALLOWANCE_PER_DAY[kind]}`,
      ),
    ),
  ];
  return part(
    title,
    `${id}-spend`,
    table(
      'Token requests that count, of those of a day',
      columns,
      partners.slice(0, PARTNER_LIMIT),
      {
        showCaption: true,
      },
    ),
    leftOutNote(partners.length - PARTNER_LIMIT, 'partners'),
  );
}

/** With a control API, each check has a partner of its own, which nobody else uses. */
function freshWords(partners: readonly (readonly [string, Spend])[]): string {
  const sums = ALLOWANCE_KINDS.map((kind) => {
    const sum = partners.reduce((total, [, counts]) => total + counts[kind], 0);
    return `${sum} ${kind}`;
  });
  return `${countOf(partners.length, 'fresh partner')} of the control API: ${sums.join(', ')} requests in all. The partners of the profile were not charged.`;
}

/** Observations where the interface leaves a question open. */
export function gapsPart({ gaps }: ConformanceDocument, id: string): Content {
  if (gaps.length === 0) return null;
  const columns = [
    column('gap', ({ id: gap }: GapObservation) => ({ code: gap })),
    column('question', ({ question }: GapObservation) => prose(question)),
    column(
      'observed',
      ({ observed }: GapObservation) =>
        observed?.words ?? html`<span class="meta">not observed</span>`,
    ),
  ];
  return part(
    'Gaps of the interface',
    `${id}-gaps`,
    html`<p>Behaviour of the target where the interface leaves a question open. Not judged.</p>`,
    html`<details><summary class="opener">${countOf(gaps.length, 'question')}</summary>
      ${table('Gaps and observations', columns, gaps, { isProse: true })}</details>`,
  );
}
