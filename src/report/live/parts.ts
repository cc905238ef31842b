import type { SeriesPoint, ThresholdTerms } from '../../documents/load.ts';
import { CLIENT_RULES } from '../../interface/catalogue.ts';
import {
  badge,
  type Fact,
  facts,
  part,
  prose,
  shortText,
  signedBadge,
  table,
  tiles,
} from '../html/blocks.ts';
import { BACKGROUND_NOTE } from '../html/charts/chart-figure.ts';
import { LIVE_CHARTS, LIVE_GROUP, timeFigures } from '../html/charts/time-charts.ts';
import { type Content, html, type Markup } from '../html/markup.ts';
import type { ChartedSection } from '../html/sections/load.ts';
import { capitalized } from '../text/prose.ts';
import { countOf, formatCount, formatRate, formatShare, formatUs } from '../text/quantities.ts';
import { AGENT_COLUMNS } from '../text/tables.ts';
import { RULE_MARKS, type Tone } from '../text/tones.ts';
import type { LiveRequest, LiveScenario } from './events.ts';
import type { LiveState } from './state.ts';

/** The subject of a live page. */
export interface LiveSubject {
  /** The command whose page it is. */
  readonly kind: 'load' | 'certify' | 'serve';
  /** Such as `Load on staging`. */
  readonly title: string;
  /** State before the first event, such as `Listening`. */
  readonly state: string;
  /** Facts for the reader; no secret. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Thresholds of a load run; those on response time are drawn. */
  readonly thresholds?: readonly ThresholdTerms[] | undefined;
  /** Stages of a load run; their starts are marked. */
  readonly stages?: readonly { readonly startS: number }[] | undefined;
}

/** Name of what a command does now. */
export function phaseWords({ state: before }: LiveSubject, { progress, end }: LiveState): string {
  if (end !== null) return 'Ended';
  return progress === null ? shortText(before, 100) : capitalized(progress.phase);
}

/** A command so far: its head, figures, charts and lists. */
export function liveParts(subject: LiveSubject, state: LiveState): ChartedSection {
  const { kind } = subject;
  const figures = timeFigures(LIVE_CHARTS[kind], LIVE_GROUP, state.points, subject);
  const overTime =
    figures.length > 0 &&
    part(
      'Over time',
      'live-over-time',
      kind === 'load' && BACKGROUND_NOTE,
      figures.map(({ markup }) => markup),
    );
  const markup = html`${head(subject, state)}
    <div id="live-tiles">${tiles(TILES[kind](state))}</div>
    ${overTime}
    ${kind === 'load' && agentsPart(state)}
    ${kind === 'certify' && scenariosPart(state)}
    ${kind !== 'load' && tallyPart(kind, state)}`;
  return { markup, charts: figures.map(({ data }) => data) };
}

function head(subject: LiveSubject, state: LiveState): Markup {
  const { title, facts: known } = subject;
  const { label, progress, end } = state;
  const totalS = progress?.totalS ?? 0;
  const elapsedS = Math.min(progress?.elapsedS ?? 0, totalS);
  const ran = `${Math.round(elapsedS)} of ${Math.round(totalS)} s, ${Math.ceil(totalS - elapsedS)} s left`;
  const sentence = [label, ...(progress === null ? [] : [ran])].filter(Boolean).join(': ');
  return html`<header class="verdict neutral" id="live-head">
    <h2>${shortText(title, 200)}</h2>
    <p class="verdict-words" id="live-words">${phaseWords(subject, state)}</p>
    <p class="sentence" id="live-sentence">${end === null ? sentence : 'The command has ended.'}</p>
    ${progress && end === null && html`<progress aria-label="Progress" max="${totalS}" value="${elapsedS}"></progress>`}
    ${facts(known.map(([name, value]): Fact => [name, shortText(value, 300)]))}
    </header>`;
}

/** A latency of a second; `–` for the 0 of one without a success. */
const latencyWords = (us: number | undefined): string => (us ? formatUs(us) : '–');

type Tile = readonly [name: string, value: string, more?: string];

/** The key figures by command. */
const TILES: Readonly<Record<LiveSubject['kind'], (state: LiveState) => readonly Tile[]>> = {
  load: ({ progress, points }) => {
    const measured = progress?.phase === 'warm-up' ? null : progress;
    const latest = points.at(-1);
    const planned = latest?.plannedRate;
    // Late answers are no rate; that of the last second of the window stays.
    const rate = points.findLast(({ drained }) => !drained)?.rate ?? measured?.rate;
    const known = (measured?.ok ?? 0) + (measured?.failed ?? 0);
    const share = known === 0 ? 0 : (measured?.failed ?? 0) / known;
    const health = points.findLast(({ generator }) => generator != null)?.generator;
    const { cpu, eventLoopUtilization: loop, sendLagP99Us: lag, coreWait: wait } = health ?? {};
    const words = <T>(value: T | null | undefined, format: (known: T) => string): string =>
      value == null || measured === null ? '–' : format(value);
    const inLast = measured === null ? '' : 'in the last second';
    return [
      [
        'Rate',
        words(rate, formatRate),
        planned === undefined ? '' : `of ${formatRate(planned)} planned`,
      ],
      ['p50', latencyWords(measured?.p50Us), inLast],
      ['p99', latencyWords(measured?.p99Us), inLast],
      ['Max', latencyWords(measured?.maxUs), inLast],
      [
        'Failed',
        words(share, formatShare),
        `${formatCount(measured?.failed ?? 0)} of ${formatCount(known)}`,
      ],
      ['Responses', words(measured?.ok, formatCount), 'in the measured window'],
      [
        'Generator event loop',
        words(loop, formatShare),
        words(cpu, (used) => `${used.toFixed(2)} cores`),
      ],
      ['Send lag p99', words(lag, formatUs), inLast],
      ['Core wait', words(wait, formatShare), inLast],
    ];
  },
  certify: ({ tally }) => [
    ...tallyTiles(tally, ['Without violation', 'With violations']),
    ['Rules broken', formatCount(tally.counts.length)],
  ],
  serve: ({ tally, points }) => {
    const latest: SeriesPoint | undefined = points.at(-1);
    return [
      ...tallyTiles(tally, ['Accepted (200)', 'Refused']),
      ['Rate', latest ? formatRate(latest.rate + latest.failed) : '–', 'in the last second'],
      ['p50', latencyWords(latest?.p50)],
      ['p99', latencyWords(latest?.p99)],
    ];
  },
};

function tallyTiles(
  { requests, good }: LiveState['tally'],
  [goodName, badName]: readonly [string, string],
): Tile[] {
  const share = (count: number): string => (requests === 0 ? '' : formatShare(count / requests));
  return [
    ['Requests', formatCount(requests)],
    [goodName, formatCount(good), share(good)],
    [badName, formatCount(requests - good), share(requests - good)],
  ];
}

function agentsPart({ progress }: LiveState): Content {
  const agents = progress?.agents ?? [];
  return agents.length > 0 && part('Agents', 'live-agents', table('Agents', AGENT_COLUMNS, agents));
}

/** Rows of a list: a mark, and what stands beside it. */
function rows(id: string, list: readonly (readonly [mark: Markup, words: Markup])[]): Content {
  if (list.length === 0) return null;
  const items = list.map(
    ([mark, words]) =>
      html`<li class="rule live-row">${mark}<div class="rule-words">${words}</div></li>`,
  );
  return html`<ul class="rules" id="${id}">${items}</ul>`;
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

const STATES: Readonly<Record<LiveScenario['state'], readonly [cssClass: string, sign: string]>> = {
  ...RULE_MARKS,
  waiting: ['muted', '○'],
  running: ['neutral', '▸'],
  ended: ['muted', '•'],
};

function scenariosPart({ scenarios }: LiveState): Content {
  const list = [...scenarios.values()].sort(byName).map(({ name, state, requests, reason }) => {
    const said =
      state !== 'waiting' && html`<span class="meta">${countOf(requests, 'request')}</span>`;
    const why = reason !== '' && html`<p class="meta">${shortText(reason, TEXT_LIMIT)}</p>`;
    const words = html`<code>${shortText(name, 200)}</code>${said}${why}`;
    return [signedBadge(...STATES[state], state), words] as const;
  });
  return part('Scenarios', 'live-scenarios-title', rows('live-scenarios', list));
}

/** UTF-16 units of a text that are shown. */
const TEXT_LIMIT = 800;

function tallyPart(kind: LiveSubject['kind'], { tally }: LiveState): Content {
  const [title, none] =
    kind === 'certify' ? ['Broken rules', 'No violations yet.'] : ['Refusals', 'No refusals yet.'];
  const sorted = [...tally.counts].sort((a, b) => b.count - a.count || byName(a, b));
  const list = sorted.map(({ name, count }) => {
    const statement = CLIENT_RULES.find(({ id }) => id === name)?.statement ?? '';
    const words = html`<code>${shortText(name, 200)}</code> <span class="statement">${prose(statement)}</span>`;
    return [signedBadge('neutral', '×', formatCount(count)), words] as const;
  });
  return part(
    title,
    'live-tally-title',
    rows('live-tally', list) ?? html`<p class="meta">${none}</p>`,
  );
}

/** The log of a load, or the latest requests; it stays below the report when the command has ended. */
export function listsPart({ kind }: LiveSubject, { lines, requests, tally }: LiveState): Content {
  if (kind === 'load') {
    const items = lines.map((text) => html`<li>${shortText(text, TEXT_LIMIT)}</li>`);
    return items.length > 0 && part('Log', 'live-log', html`<ol class="live-lines">${items}</ol>`);
  }
  const [title, filter] =
    kind === 'certify'
      ? ['Requests, judged on arrival', 'Violations only']
      : ['Requests', 'Refusals only'];
  const total = Math.max(tally.requests, requests.length);
  const count =
    total === 0
      ? 'No requests yet.'
      : total > requests.length
        ? `Latest ${formatCount(requests.length)} of ${countOf(total, 'request')}.`
        : `${countOf(total, 'request')}, latest first.`;
  return part(
    title,
    'live-requests-title',
    html`<p class="live-shown">
      <label class="check"><input type="checkbox" id="live-only-bad"> ${filter}</label>
      <span class="meta" id="live-shown">${count}</span>
      </p>
      <div class="live-frame" tabindex="0" role="group" aria-label="${title}">
      <ol id="live-requests">${requests.map(({ number, request }) => requestRow(number, request))}</ol>
      </div>`,
  );
}

function requestRow(number: number, request: LiveRequest): Markup {
  const { id, at, scenario, method, path, status, durationUs, refusal, broken } = request;
  const about = [
    at.slice(11, 23),
    scenario,
    id,
    broken !== null && (status === null ? 'no response' : `status ${status}`),
    durationUs !== null && formatUs(durationUs),
  ];
  const [tone, words] = outcomeOf(request);
  return html`<li class="rule live-row${tone !== 'good' && ' bad-row'}" id="request-${number}">${badge(tone, words)}
    <div class="rule-words"><code>${shortText(`${method} ${path}`, TEXT_LIMIT)}</code>
    <span class="meta">${shortText(about.filter(Boolean).join(' · '), TEXT_LIMIT)}</span>
    ${refusal !== null && html`<p>${shortText(refusal, TEXT_LIMIT)}</p>`}
    ${broken?.map(
      ({
        rule,
        expected,
        got,
      }) => html`<p><code>${shortText(rule, 200)}</code> ${shortText(got, TEXT_LIMIT)}</p>
        <p class="meta">expected: ${shortText(expected, TEXT_LIMIT)}</p>`,
    )}</div></li>\n`;
}

function outcomeOf({ status, broken }: LiveRequest): readonly [Tone, string] {
  if (broken === null)
    return status === 200 ? ['good', '200'] : ['bad', String(status ?? 'aborted')];
  if (broken.some(({ level }) => level === 'must')) return ['bad', 'fail'];
  return broken.length > 0 ? ['caution', 'warn'] : ['good', 'ok'];
}
