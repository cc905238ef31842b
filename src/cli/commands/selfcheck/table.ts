import type {
  AlsoRed,
  SelfcheckDocument,
  SelfcheckRow,
  SoundSubject,
} from '../../../report/index.ts';
import { falselyAccused } from './matrix.ts';

/** The matrix for a terminal: a line for each rule that was broken, and what went wrong below it. */
export function selfcheckLines(document: SelfcheckDocument): string[] {
  const { rules, sound, summary } = document;
  const width = Math.max(0, ...rules.map(({ rule }) => rule.length));
  return [
    ...sound.flatMap(soundLines),
    ...rules.flatMap((row) => rowLines(row, width)),
    ...(rules.length > 0 ? [''] : []),
    ...(document.interrupted ? ['Interrupted: this is what was tried so far.'] : []),
    `${document.verdict.toUpperCase()}  ${summary.killed} of ${rules.length} killed, ` +
      `${summary.survived} survived, ${summary.falselyAccused} accused falsely`,
  ];
}

function soundLines({ side, red, undecided, problem }: SoundSubject): string[] {
  if (red.length + undecided.length === 0) return [`sound     ${side}: every rule holds`, ''];
  return [
    ...(red.length > 0 ? [`ACCUSED   sound ${side}: ${red.join(' ')}`] : []),
    ...(problem === undefined ? [] : [`BROKE OFF sound ${side}: ${problem}`]),
    ...(undecided.length > 0 && problem === undefined
      ? [`UNDECIDED sound ${side}: ${undecided.join(' ')}`]
      : []),
    'With nothing broken every rule has to hold, so no rule of this side was broken.',
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
    ...(verdict === 'survived' ? [`          came out as ${reason}`] : []),
    ...byReason(necessary).map(([why, rules]) => `          also red: ${rules.join(' ')}: ${why}`),
    ...accused.map((also) => `ACCUSED   ${also.rule}: ${also.reason}`),
  ];
}

function byReason(alsoRed: readonly AlsoRed[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const { rule, necessity } of alsoRed) {
    const why = necessity ?? '';
    groups.set(why, [...(groups.get(why) ?? []), rule]);
  }
  return [...groups];
}
