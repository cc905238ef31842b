import type { Trial } from '../../documents/find-max.ts';
import type { SearchResult } from './search.ts';

type Outcome = Pick<Trial, 'rate' | 'valid' | 'interrupted' | 'reason'>;

/** Says why a search ended, and how many of its trials do not count. */
export function reasonOf(search: SearchResult, trials: readonly Outcome[]): string {
  const invalid = trials.filter(({ valid, interrupted }) => !valid && !interrupted);
  const repeated =
    invalid.length === 0
      ? ''
      : ` ${invalid.length} of ${trials.length} trials were not valid and do not count.`;
  return endingInWords(search, trials, invalid.at(-1)?.reason ?? '') + repeated;
}

function endingInWords(
  search: SearchResult,
  trials: readonly Outcome[],
  lastInvalid: string,
): string {
  const { low, high, limitedAt, ending } = search;
  const words: Readonly<Record<SearchResult['ending'], string>> = {
    found: `The objective holds at ${low}/s and does not at ${high}/s.`,
    'generator-limited': `The generator was the limit at ${limitedAt}/s, so the target's highest rate lies beyond; the objective holds at ${low}/s. Use more workers, or another machine.`,
    'machine-disturbed': `The machine, not the target, was the limit: ${unmeasured(search, trials)}. ${lastInvalid} Run it again when nothing else runs here, or from another machine.`,
    'nothing-held': 'The objective held at no rate that was tried.',
    'nothing-fell-short': `The objective held at every rate that was tried, up to ${low}/s.`,
    'not-settled': `The trials contradicted each other until the search had to end; the objective held at ${low}/s${high === null ? '' : ` and did not at ${high}/s`}. Give each trial a longer duration, or a quieter machine.`,
    interrupted: 'The search was interrupted.',
  };
  return words[ending];
}

function unmeasured({ low, limitedAt }: SearchResult, trials: readonly Outcome[]): string {
  if (low === 0) return 'no rate could be measured';
  const isLost = trials.findLast(({ rate }) => rate === low)?.valid === false;
  return isLost || limitedAt === null
    ? `even ${low}/s, where the objective had held, could not be measured any more`
    : `the objective holds at ${low}/s, and ${limitedAt}/s could not be measured`;
}
