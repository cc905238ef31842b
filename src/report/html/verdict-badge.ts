import type { RuleVerdict } from '../../documents/conformance.ts';
import { badge } from './blocks.ts';
import type { Markup } from './markup.ts';

const BADGES: Readonly<Record<RuleVerdict, readonly [tone: string, glyph: string]>> = {
  fail: ['bad', '✕'],
  warn: ['caution', '!'],
  inconclusive: ['unknown', '?'],
  untestable: ['muted', '–'],
  waived: ['waived', '≈'],
  excluded: ['muted', '○'],
  pass: ['good', '✓'],
};

/** A verdict of a rule, as glyph and word. */
export function verdictBadge(verdict: RuleVerdict): Markup {
  const [tone, glyph] = BADGES[verdict];
  return badge(tone, glyph, verdict);
}

/** The tone of a verdict, as a class of the page's style. */
export function verdictTone(verdict: RuleVerdict): string {
  return BADGES[verdict][0];
}
