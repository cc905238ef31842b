import {
  falselyAccused,
  type SelfcheckDocument,
  type SelfcheckRow,
  type SoundSubject,
} from '../../documents/selfcheck.ts';
import { groupBy } from '../text/group-by.ts';
import { formsLines } from './selfcheck-forms.ts';

/** Renders the matrix for a terminal: a line for each broken rule, with problems below it. */
export function selfcheckLines(document: SelfcheckDocument): string[] {
  const { rules, sound, summary } = document;
  const width = Math.max(0, ...rules.map(({ rule }) => rule.length));
  return [
    ...sound.flatMap(soundLines),
    ...rules.flatMap((row) => rowLines(row, width)),
    ...(rules.length > 0 ? [''] : []),
    ...(document.forms ? formsLines(document.forms) : []),
    ...(document.interrupted ? ['Interrupted: results so far.'] : []),
    `${document.verdict.toUpperCase()}  ${summary.killed} of ${rules.length} killed, ` +
      `${summary.survived} survived, ${summary.falselyAccused} falsely accused (seed ${document.seed})`,
  ];
}

function soundLines({ side: name, access, red, undecided, problem }: SoundSubject): string[] {
  const side = access === 'metered' ? `${name} with metered partners` : name;
  const isMetered = access === 'metered';
  if (red.length + undecided.length === 0)
    return [`sound     ${side}: ${isMetered ? 'no rule fails' : 'every rule passes'}`, ''];
  return [
    ...(red.length > 0 ? [`ACCUSED   sound ${side}: ${red.join(' ')}`] : []),
    ...(problem === undefined ? [] : [`CRASHED   sound ${side}: ${problem}`]),
    ...(undecided.length > 0 && problem === undefined
      ? [`UNDECIDED sound ${side}: ${undecided.join(' ')}`]
      : []),
    ...(isMetered
      ? []
      : ['With nothing broken every rule must pass, so no rule of this side was broken.']),
    '',
  ];
}

function rowLines(row: SelfcheckRow, width: number): string[] {
  const { rule, verdict, how, reason, undecided } = row;
  const accused = falselyAccused(row);
  const necessary = row.alsoRed.filter((also) => !accused.includes(also));
  const some = undecided.length > 0 ? ` (${undecided.length} undecided)` : '';
  return [
    `${(verdict === 'killed' ? verdict : 'SURVIVED').padEnd(9)} ${rule.padEnd(width)}  ${how}${some}`,
    ...(verdict === 'survived' ? [`          verdict ${reason}`] : []),
    ...[...groupBy(necessary, ({ necessity }) => necessity ?? '')].map(
      ([why, rules]) =>
        `          also failed: ${rules.map((also) => also.rule).join(' ')}: ${why}`,
    ),
    ...accused.map((also) => `ACCUSED   ${also.rule}: ${also.reason}`),
  ];
}
