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
