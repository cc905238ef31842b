import { exitOfLoad } from '../../src/cli/output/exit-codes.ts';
import type { LoadDocument } from '../../src/documents/load.ts';
import { parseDocument } from '../../src/documents/run-document.ts';
import { type LoadPlan, plannedBySecond } from '../../src/load/plan.ts';
import { parseThreshold } from '../../src/load/threshold.ts';
import { toConsole, toHtml, toJunit, toMarkdown } from '../../src/report/index.ts';
import { parseXml } from '../report/parse-xml.ts';
import type { LoadWorldPlan } from './load-plan.ts';
import type { Truth } from './load-target.ts';
import { heldOf, type Invariants, NOTHING } from './world-kind.ts';

/** Access token of the worlds, which nothing may show. */
export const SECRET = 'secret-of-the-world';

/** Value of a metric, and those that chance might have brought instead. */
function trueValues({ responseMs, serviceMs, errors, ratePerS }: Truth, metric: string): number[] {
  if (metric === 'errors') return [errors];
  if (metric === 'rate') return [ratePerS];
  const [, of, name = ''] = /^(service\.)?(.+)$/.exec(metric) ?? [];
  const list = of === undefined ? responseMs : serviceMs;
  if (name === 'mean') return [list.reduce((sum, ms) => sum + ms, 0) / list.length];
  if (name === 'max') return [list.at(-1) ?? 0];
  const percent = Number(name.slice(1));
  const at = (p: number): number =>
    list[Math.min(list.length - 1, Math.max(0, Math.ceil((p / 100) * list.length) - 1))] ?? 0;
  const spread = Math.max(0.6, 200 / list.length);
  return [at(percent), at(percent - spread), at(Math.min(100, percent + spread))];
}

/** A threshold's expression with its bound. */
export function expressionOf(
  { metric, factor }: LoadWorldPlan['thresholds'][number],
  truth: Truth,
) {
  const value = trueValues(truth, metric)[0]!;
  if (metric === 'rate') return `rate>${Math.max(0.1, value * factor).toFixed(1)}/s`;
  if (metric === 'errors') return `errors<${Math.min(100, value * factor * 100 + 2).toFixed(2)}%`;
  // Timers are up to a millisecond late.
  const leastMs = metric.startsWith('service') ? 15 : 0.5;
  return `${metric}<${Math.max(leastMs, (Number.isFinite(value) ? value : 50) * factor).toFixed(2)}ms`;
}

/**
 * True, false, or null where it is close: also by the tenth of a second in which a request is given up.
 *
 * @param hidden share of the requests of which a generator would not see that the target failed them
 */
function trulyHolds(expression: string, truths: readonly Truth[], hidden: number): boolean | null {
  const { metric, bound, comparison, unit } = parseThreshold(expression);
  const values = truths.flatMap((truth) => trueValues(truth, metric));
  const limit = unit === 'us' ? bound / 1000 : bound;
  const leeway =
    unit === 'us'
      ? Math.max(3, 0.15 * limit)
      : unit === 'share'
        ? 0.008 + hidden
        : 0.15 * limit + 2;
  if (values.some((value) => Math.abs(value - limit) <= leeway)) return null;
  const held = values.map((value) => (comparison.startsWith('<') ? value < limit : value > limit));
  return held.every((one) => one === held[0]) ? held[0]! : null;
}

/** World as it was, with the truth about it. */
export interface LoadHistory {
  readonly plan: LoadWorldPlan;
  readonly load: LoadPlan;
  readonly document: LoadDocument;
  readonly truths: readonly [Truth, ...Truth[]];
  readonly received: number;
}

/** True where the run went its whole way, so that the truth is about the same requests. */
const isWhole = ({ document: { interrupted, reason, notes = [] } }: LoadHistory): boolean =>
  !interrupted && ![reason, ...notes].some((text) => text.includes('ended early'));

const holdings = ({ document, truths }: LoadHistory, hidden = 0) =>
  document.thresholds.map(({ expression }) => ({
    expression,
    holds: trulyHolds(expression, truths, hidden),
  }));

/** Share of the requests that came due in pauses too short to be a standstill: the first generator has them. */
const pausedShare = ({ plan, load }: LoadHistory): number =>
  sum(plan.faults.map((one) => (one.kind === 'freezes' && one.forMs <= 250 ? one.forMs : 0))) /
  (load.durationMs * plan.generators);

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);

/** Invariants of worlds in which a load is run, by what they say. */
export const LOAD_INVARIANTS: Invariants<LoadHistory> = {
  'the counts add up': (history) => {
    const { plan, load, document, received } = history;
    const { planned, ok, failed, sent, reconnected = 0 } = document.achieved;
    const { response, all } = document.latencyUs;
    const isLost =
      document.invalidBy === 'loss' || document.agents?.some(({ lost }) => lost !== undefined);
    const isAllKnown = isWhole(history) && load.model === 'open' && !isLost;
    const due = isAllKnown
      ? sum(plannedBySecond(load, { generator: 0, generators: 1 }, load.durationMs))
      : planned;
    const answered = sum(Object.values(document.statuses));
    const parts = [document.shapes ?? [], document.stages ?? []].filter((one) => one.length > 0);
    const facts: readonly (readonly [string, number, number])[] = [
      ['planned requests', planned, due],
      ['successes and failures', ok + failed, planned],
      ['kinds of failure', sum(Object.values(document.errors)), failed],
      ['status 200', document.statuses['200'] ?? 0, ok],
      ['response times', response.count, ok],
      ['times of all', all?.count ?? planned, planned],
      // Of a lost agent the last seconds are unknown.
      [
        'failures by second',
        isLost ? failed : sum(document.series.map((one) => one.failed)),
        failed,
      ],
      ...parts.flatMap((list) => [
        ['planned in parts', sum(list.map((one) => one.planned)), planned] as const,
        ['successes in parts', sum(list.map((one) => one.ok)), ok] as const,
      ]),
      ...(document.agents
        ? [['sent by agents', sum(document.agents.map((one) => one.sent)), sent] as const]
        : []),
    ];
    return heldOf([
      ...facts.map(([what, is, wanted]) =>
        is === wanted ? [] : [`${what}: ${is}, not ${wanted}`],
      ),
      answered <= sent && sent <= planned ? [] : [`${answered} answered, ${sent} sent`],
      sent <= received + plan.connections + reconnected ? [] : [`${sent} sent, ${received} came`],
    ]);
  },

  'no HELD where the truth misses': (history) => {
    if (!isWhole(history) || history.document.verdict !== 'held') return NOTHING;
    const missed = holdings(history, pausedShare(history)).filter(({ holds }) => holds === false);
    return heldOf([missed.map(({ expression }) => `${expression} is missed`)]);
  },

  'no FELL SHORT where the truth holds': (history) => {
    const { document } = history;
    if (!isWhole(history) || document.verdict !== 'fell-short') return NOTHING;
    const isTrue =
      document.achieved.ok === 0 || holdings(history).some(({ holds }) => holds !== true);
    return heldOf([isTrue ? [] : [document.reason]]);
  },

  'a generator that does its work is believed': (history) => {
    const { plan, document } = history;
    if (plan.faults.length > 0 || !isWhole(history)) return NOTHING;
    const { verdict, invalidBy } = document;
    return heldOf([verdict === 'invalid' && invalidBy !== 'unreachable' ? [document.reason] : []]);
  },

  'a verdict is that of its thresholds': (history) => {
    const { document } = history;
    if (!isWhole(history) || document.verdict === 'invalid') return NOTHING;
    const missed = document.thresholds.filter(({ held, judged }) => !held && judged !== false);
    const isShort = missed.length > 0 || document.achieved.ok === 0;
    return heldOf([isShort === (document.verdict === 'fell-short') ? [] : [document.reason]]);
  },

  'exit code, document, JUnit, terminal and page agree': ({ document }) => {
    const code = document.interrupted
      ? 130
      : { held: 0, 'fell-short': 1, invalid: 3 }[document.verdict];
    const { planned, sent, ok, failed } = document.achieved;
    const numbers = [planned, sent, ok, failed].map((count) => count.toLocaleString('en-US'));
    const cases = parseXml(toJunit(document)).children[0]?.children ?? [];
    const having = (name: string): number =>
      cases.filter(({ children }) => children.some((one) => one.name === name)).length;
    const missed = document.thresholds.filter(({ held, judged }) => !held && judged !== false);
    const isShort = document.verdict === 'fell-short';
    const failures = isShort ? Math.max(1, missed.length) : 0;
    const isCut = document.invalidBy === 'interruption';
    const errors = document.verdict !== 'invalid' ? 0 : isCut ? 1 : 1 + document.thresholds.length;
    const markdown = toMarkdown(document);
    const texts = { terminal: toConsole(document, { color: false }), page: toHtml([document]) };
    return heldOf([
      exitOfLoad(document).code === code ? [] : [`exit code is not ${code}`],
      having('failure') === failures ? [] : [`JUnit has ${having('failure')} failures`],
      having('error') === errors ? [] : [`JUnit has ${having('error')} errors`],
      ...Object.entries(texts).map(([name, text]) =>
        numbers.flatMap((one) => (text.includes(one) ? [] : [`the ${name} has no ${one}`])),
      ),
      JSON.stringify(parseDocument(JSON.parse(JSON.stringify(document)))) ===
      JSON.stringify(document)
        ? []
        : ['a stored document is another one'],
      [markdown, ...Object.values(texts)].some((text) => text.includes(SECRET)) ? ['a secret'] : [],
    ]);
  },
};
