import type { RuleVerdict } from '../../documents/conformance.ts';
import { signedBadge } from './blocks.ts';
import type { Markup } from './markup.ts';

const BADGES: Readonly<Record<RuleVerdict, readonly [cssClass: string, sign: string]>> = {
  fail: ['bad', '✕'],
  warn: ['caution', '!'],
  inconclusive: ['unknown', '?'],
  untestable: ['muted', '–'],
  waived: ['waived', '≈'],
  excluded: ['muted', '○'],
  pass: ['good', '✓'],
};

/** Verdict of a rule as sign and word. */
export function verdictBadge(verdict: RuleVerdict): Markup {
  return signedBadge(...BADGES[verdict], verdict);
}

/** CSS class of a verdict. */
export function verdictClass(verdict: RuleVerdict): string {
  return BADGES[verdict][0];
}
