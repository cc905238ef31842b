import type { RuleResult } from '../../src/documents/conformance.ts';

/** Texts of a result that readers see with its reason. */
const TEXTS = ['reason', 'expected', 'got', 'remedy'];

/** The fields of a rule's result that say what another one says already; none if each says its own. */
export function saidTwice(rule: RuleResult): string[] {
  const texts = Object.entries(rule).filter(
    (field): field is [string, string] => TEXTS.includes(field[0]) && typeof field[1] === 'string',
  );
  return texts
    .filter(([name, text]) =>
      texts.some(([other, whole]) => other !== name && whole.includes(text)),
    )
    .map(([name, text]) => `${name}: ${text}`);
}
