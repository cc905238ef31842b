import type { Fields } from '../../contract/messages.ts';
import type { SignedFields } from '../../contract/target.ts';
import { applicable, merged, type Step, type Witness } from './witness.ts';

/** A step, and those of its witnesses that are sent. */
export interface Shown {
  readonly step: Step;
  readonly witnesses: readonly Witness[];
}

/** All fields of what is shown. */
export const fieldsOf = (some: readonly Pick<Shown, 'witnesses'>[]): Fields =>
  merged(some.flatMap(({ witnesses }) => witnesses.map(({ fields }) => fields)));

/**
 * Witnesses of several steps in groups whose fields all differ, those of each step in turn. Some readers of
 * JSON take keys for one that differ in case only.
 *
 * The first group has no text beyond ASCII but where UTF-8 is shown: so a refusal is due to one step. The
 * further ones have what is left of those that a reading or a neutral value explains by itself.
 */
export function groupsOf(
  steps: readonly Step[],
  signed: SignedFields,
): readonly (readonly Shown[])[] {
  let left = steps.map((step) => applicable(step.together, signed).filter(isComparable));
  const groups: Shown[][] = [];
  for (;;) {
    const isFirst = groups.length === 0;
    const chosen = chosenOf(
      left.map((some, at) => (isFirst ? some.filter((one) => isPlain(steps[at], one)) : some)),
    );
    if (chosen.every(({ length }) => length === 0)) return groups;
    left = left.map((some, at) => some.filter((one) => !chosen[at]?.includes(one)));
    groups.push(
      steps.flatMap((step, at) =>
        // A value that a target may refuse for itself is not mixed with those that have a neutral one.
        [true, false].flatMap((isNeutral): Shown[] => {
          const witnesses = (chosen[at] ?? []).filter(
            ({ neutral }) => (neutral !== null) === isNeutral,
          );
          return witnesses.length > 0 ? [{ step, witnesses }] : [];
        }),
      ),
    );
  }
}

/** Witnesses whose fields all differ, one of each list in turn. */
function chosenOf(lists: readonly (readonly Witness[])[]): Witness[][] {
  const all: Witness[] = [];
  const taken = new Set<string>();
  const keysOf = (one: Witness): string[] =>
    Object.keys(one.fields).map((key) => key.trim().toLowerCase());
  const fits = (one: Witness): boolean =>
    !keysOf(one).some((key) => taken.has(key)) && areInPlace([...all, one]);
  let left = lists;
  const chosen = lists.map((): Witness[] => []);
  while (left.some(({ length }) => length > 0)) {
    left = left.map((witnesses, at) => {
      const next = witnesses.findIndex(fits);
      const witness = witnesses[next];
      if (!witness) return [];
      chosen[at]?.push(witness);
      all.push(witness);
      for (const key of keysOf(witness)) taken.add(key);
      return witnesses.slice(next + 1);
    });
  }
  return chosen;
}

const BASE_KEYS = ['_', 'grant_type', 'nostr', 'refresh_token', 'auth_code'];

/**
 * Checks whether keys stand in the same order trimmed or not, since the interface leaves open which is meant,
 * and those that are meant for the ends of S stand there.
 */
function areInPlace(some: readonly Witness[]): boolean {
  const keys = [...BASE_KEYS, ...Object.keys(fieldsOf([{ witnesses: some }]))].sort();
  const trimmed = keys.map((key) => key.trim());
  const isSorted = trimmed.every((key, at) => at === 0 || (trimmed[at - 1] ?? '') <= key);
  const ends = some.filter(({ atEnds }) => atEnds).flatMap(({ fields }) => Object.keys(fields));
  return isSorted && ends.every((key) => key === keys[0] || key === keys.at(-1));
}

/** Checks whether a refusal can be explained: by a neutral value, or by another reading. */
const isComparable = ({ neutral, otherReadings, fields }: Witness): boolean =>
  neutral !== null || (otherReadings !== undefined && Object.keys(fields).length > 0);

/** Checks whether a witness says nothing of UTF-8, or of nothing else; an empty value may stand with it. */
function isPlain(step: Step | undefined, { neutral, fields }: Witness): boolean {
  const isAscii = /^[\0-\x7f]*$/.test(JSON.stringify(fields));
  const isEmpty = Object.values(fields).includes('');
  return (step?.rule === 'signature/utf8' || isAscii) && (neutral !== null || isEmpty);
}
