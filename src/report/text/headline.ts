import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { countOf, formatRate } from './quantities.ts';
import { type ShiftRow, shiftRows, shiftWords } from './shift-rows.ts';

/** How a verdict is to be taken: `unknown` where nothing could be judged. */
export type Tone = 'good' | 'bad' | 'caution' | 'unknown' | 'neutral';

/** What a reader is told first. */
export interface Headline {
  /** What was done: `Conformance of staging`. */
  title: string;
  /** The verdict in a word or three. */
  verdict: string;
  tone: Tone;
  /** The verdict in a sentence. */
  sentence: string;
}

/** The first thing to say about a document. */
export function headlineOf(document: RunDocument): Headline {
  switch (document.kind) {
    case 'conformance':
      return conformanceHeadline(document);
    case 'load': {
      const tones = { held: 'good', 'fell-short': 'bad', invalid: 'unknown' } as const;
      const verdicts = { held: 'Held', 'fell-short': 'Fell short', invalid: 'Invalid' };
      return {
        title: `Load on ${document.target.name}`,
        verdict: verdicts[document.verdict],
        tone: tones[document.verdict],
        sentence: document.reason ?? loadSentence(document),
      };
    }
    case 'load-set': {
      const bad = document.runs.filter(({ verdict }) => verdict === 'fell-short').length;
      const invalid = document.runs.filter(({ verdict }) => verdict === 'invalid').length;
      const held = document.runs.length - bad - invalid;
      return {
        title: `Load, ${countOf(document.runs.length, 'run')}`,
        verdict: bad > 0 ? 'Fell short' : invalid > 0 ? 'Invalid' : 'Held',
        tone: bad > 0 ? 'bad' : invalid > 0 ? 'unknown' : 'good',
        sentence: `${held} held, ${bad} fell short, ${invalid} invalid.`,
      };
    }
    case 'find-max': {
      const { low, high } = document.interval;
      const upTo = high === null ? `${formatRate(low)} or more` : intervalWords(low, high);
      return {
        title: `Highest rate of ${document.target.name}`,
        verdict: upTo,
        tone: findMaxTone(document.verdict, low),
        sentence:
          document.reason ??
          `The highest rate that holds ${document.objective} lies ` +
            `${high === null ? 'at' : 'between'} ${high === null ? upTo : `${formatRate(low)} and ${formatRate(high)}`}.`,
      };
    }
    case 'comparison': {
      const tones = {
        better: 'good',
        equivalent: 'good',
        worse: 'bad',
        inconclusive: 'unknown',
      } as const;
      return {
        title: 'Comparison of two builds',
        verdict: `${document.verdict.slice(0, 1).toUpperCase()}${document.verdict.slice(1)}`,
        tone: tones[document.verdict],
        sentence: document.reason ?? comparisonSentence(document),
      };
    }
    case 'bench':
      return {
        title: 'Budget of the fast path',
        verdict: countOf(document.steps.length, 'step'),
        tone: 'neutral',
        sentence: 'Median time of each step, measured on its own.',
      };
  }
}

function conformanceHeadline(document: ConformanceDocument): Headline {
  const { fail, warn } = document.summary;
  const broken = fail > 0 ? `${countOf(fail, 'rule is', 'rules are')} broken` : 'No rule is broken';
  const warned = warn > 0 ? `, ${countOf(warn, 'warning')}` : '';
  const tones = { conformant: 'good', 'not-conformant': 'bad', incomplete: 'unknown' } as const;
  const verdicts = {
    conformant: 'Conformant',
    'not-conformant': 'Not conformant',
    incomplete: 'Incomplete',
  };
  return {
    title:
      document.side === 'client'
        ? `Certification of ${document.target.name}`
        : `Conformance of ${document.target.name}`,
    verdict: verdicts[document.verdict],
    tone: document.verdict === 'conformant' && warn > 0 ? 'caution' : tones[document.verdict],
    sentence: `${broken}${warned}. ${completeness(document)}`,
  };
}

function completeness({ complete, summary, scenarios = [] }: ConformanceDocument): string {
  const { inconclusive, untestable, excluded } = summary;
  const leftOut =
    excluded > 0 ? `; ${countOf(excluded, 'rule was', 'rules were')} left out of it` : '';
  if (complete) return `Complete: every rule of the suite was judged${leftOut}.`;
  const parts = [
    ...(untestable > 0 ? [`${untestable} untestable`] : []),
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
  ];
  const open = scenarios.filter(({ verdict }) => verdict === 'inconclusive').length;
  const unjudged = [
    ...(parts.length > 0
      ? [`${countOf(untestable + inconclusive, 'rule')} could not be judged (${parts.join(', ')})`]
      : []),
    ...(open > 0
      ? [countOf(open, 'scenario was', 'scenarios were').concat(' not gone through')]
      : []),
  ];
  return unjudged.length > 0 ? `Not complete: ${unjudged.join('; ')}${leftOut}.` : 'Not complete.';
}

function loadSentence(document: Extract<RunDocument, { kind: 'load' }>): string {
  const { thresholds, verdict, generator } = document;
  if (verdict === 'invalid') {
    return generator.saturated
      ? 'The generator was saturated: these figures say nothing about the target.'
      : 'The run is not valid: these figures say nothing about the target.';
  }
  if (thresholds.length === 0) return 'No threshold was set.';
  const held = thresholds.filter((threshold) => threshold.held).length;
  return `${held} of ${countOf(thresholds.length, 'threshold')} held.`;
}

function comparisonSentence(document: ComparisonDocument): string {
  const { runs } = document;
  const sizes = `${countOf(runs.b.length, 'run')} of the candidate against ${runs.a.length} of the base.`;
  const [first, ...others] = shiftRows(document);
  if (!first) return sizes;
  const size = (shift: ShiftRow): number => Math.abs(shift.shiftPercent);
  const most = others.reduce((a, b) => (size(b) > size(a) ? b : a), first);
  return `Most shifted: ${most.name} by ${shiftWords(most)}. ${sizes}`;
}

function intervalWords(low: number, high: number): string {
  return `${formatRate(low).replace('/s', '')}–${formatRate(high)}`;
}

/** Searches whose interval is no answer: the machine, the generator or the user ended them. */
const UNSETTLED = new Set([
  'generator-limited',
  'inconclusive',
  'interrupted',
  'invalid',
  'machine-disturbed',
  'not-settled',
  'target-unreachable',
]);

function findMaxTone(verdict: string | undefined, low: number): Tone {
  if (UNSETTLED.has(verdict ?? '')) return 'unknown';
  return verdict === 'fell-short' || low === 0 ? 'bad' : 'good';
}
