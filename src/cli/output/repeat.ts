import type { ConformanceDocument, RuleResult } from '../../documents/conformance.ts';
import { isBroken } from '../../documents/rule-verdict.ts';
import { flagOf } from '../flags/load-option.ts';

/** Commands for a rule without a good verdict, as words before they are quoted; null for none. */
export interface RepeatCommands {
  /** Judges the rule again. */
  readonly repeat: readonly string[] | null;
  /** Sends one of its exchanges again. */
  readonly replay?: readonly string[] | null;
}

/** Gives each rule its commands that is broken, or that was not judged. */
export function withRepeats<D extends Pick<ConformanceDocument, 'rules'>>(
  document: D,
  commandsOf: (rule: RuleResult) => RepeatCommands,
): D {
  const rules = document.rules.map((rule) => {
    if (!isBroken(rule) && rule.verdict !== 'inconclusive' && rule.verdict !== 'untestable')
      return rule;
    const { repeat, replay = null } = commandsOf(rule);
    return {
      ...rule,
      ...(repeat && { repeat: commandLine(repeat) }),
      ...(replay && { replay: commandLine(replay) }),
    };
  });
  return { ...document, rules };
}

/** A command of this program, quoted for a shell. */
export const commandLine = (words: readonly string[]): string =>
  ['fareproof', ...words].map(quote).join(' ');

/** Some of the flags that were given, with their values. */
export function flagWords<Name extends string>(
  flags: Readonly<Partial<Record<Name, string | true | undefined>>>,
  names: readonly Name[],
): string[] {
  return names.flatMap((name) => {
    const value: string | true | undefined = flags[name];
    if (value === undefined) return [];
    return value === true ? [flagOf(name)] : [flagOf(name), value];
  });
}

/** Quotes a word for a POSIX shell where that is needed. */
function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : quoted(word);
}

/** A text in single quotes, for a shell: the only character to escape there is the quote itself. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
