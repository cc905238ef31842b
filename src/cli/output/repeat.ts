import type { ConformanceDocument, RuleResult } from '../../documents/conformance.ts';

/** A command to repeat, as words before they are quoted; null if there is none. */
export type CommandOf = (rule: RuleResult) => readonly string[] | null;

/** Gives each broken rule the command that judges it again. */
export function withRepeats<D extends Pick<ConformanceDocument, 'rules'>>(
  document: D,
  commandOf: CommandOf,
): D {
  const rules = document.rules.map((rule) => {
    const words = BROKEN.has(rule.verdict) ? commandOf(rule) : null;
    return words === null
      ? rule
      : { ...rule, repeat: ['fareproof', ...words].map(quote).join(' ') };
  });
  return { ...document, rules };
}

const BROKEN: ReadonlySet<string> = new Set(['fail', 'warn', 'waived']);

/** Flags with their values, those without a value left out. */
export function flagWords(flags: Readonly<Record<string, string | true | undefined>>): string[] {
  return Object.entries(flags).flatMap(([flag, value]) => {
    if (value === undefined) return [];
    return value === true ? [flag] : [flag, value];
  });
}

/** Quotes a word for a POSIX shell where that is needed. */
function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
