import type { RuleVerdict } from '../../documents/rule-verdict.ts';

/** Tone of a verdict: `unknown` where nothing could be judged, `neutral` where nothing was. */
export type Tone = 'good' | 'bad' | 'caution' | 'unknown' | 'neutral';

/** A verdict in words, with its tone. */
export interface Outcome {
  readonly tone: Tone;
  readonly words: string;
}

/** The sign of a tone. */
export const TONE_SIGNS: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✕',
  caution: '!',
  unknown: '?',
  neutral: '•',
};

/** CSS class and sign of each verdict of a rule. */
export const RULE_MARKS: Readonly<Record<RuleVerdict, readonly [cssClass: string, sign: string]>> =
  {
    fail: ['bad', '✕'],
    warn: ['caution', '!'],
    inconclusive: ['unknown', '?'],
    untestable: ['muted', '–'],
    waived: ['waived', '≈'],
    excluded: ['muted', '○'],
    pass: ['good', '✓'],
  };
