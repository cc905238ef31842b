import type { Mistake } from '../../../signature/recipe.ts';
import type { Acceptance, Priority } from '../../contract/check.ts';
import { type Fields, show } from '../../contract/messages.ts';
import type { SignedFields } from '../../contract/target.ts';

/** A field that the interface does not know, to carry values that its own fields cannot. */
export const EXTRA = 'remark';

/** Reason why a target whose profile lists the signed fields shows no step. */
export const NO_FIELD_TO_ADD =
  'the profile lists the signed fields, so a field added to a request does not enter the signature';

/** Values that a request carries to show one step of the signature. */
export interface Witness {
  /** In words, such as `a further field with text in Latin-1`. */
  readonly what: string;
  /** Fields that it adds to a request, or changes. */
  readonly fields: Fields;
  /**
   * The same fields without what is at stake. Accepted, they show that a refusal is due to the
   * signature. Null where the target may refuse the value for itself: then only another reading that
   * is accepted shows a violation.
   */
  readonly neutral: Fields | null;
  /**
   * Fields whose acceptance shows that such fields may be sent and are signed, where the neutral ones
   * are refused; left out, a further field with text.
   */
  readonly plain?: Fields | undefined;
  /**
   * Number of the request that shows it beside other steps; left out, 0. Within a request all keys differ, also
   * without regard to case, and they stand in the same order trimmed or not. The first has no text beyond ASCII
   * but where UTF-8 is shown, and no field that a target may refuse but empty ones.
   */
  readonly group?: 1 | 2 | undefined;
  /** Readings that explain a refusal. */
  readonly otherReadings?: readonly Mistake[] | undefined;
}

/** A step of the signature, and what shows it. */
export interface Step {
  readonly rule: string;
  readonly acceptance: Acceptance;
  readonly priority: Priority;
  /** Sent in one request, and one by one where it is refused; their fields differ. */
  readonly together: readonly Witness[];
  /** Sent one by one. */
  readonly apart?: readonly Witness[] | undefined;
  /** Parameters of a user's estimate, sent in one request; none where the step has none there. */
  readonly inQuery?: readonly Witness[] | undefined;
  /** Orders the fields of a request; left out, they are sorted. */
  readonly arrange?: ((fields: Fields) => Fields) | undefined;
  /**
   * Token requests to a metered target: the witnesses, a neutral request, and that one with a wrong
   * signature; 0 if its well-formed requests have to do.
   */
  readonly metered: 0 | 2 | 3;
  /** Neutral fields for several witnesses at once; left out, those of each. */
  readonly neutral?: Fields | undefined;
}

/** All fields of several witnesses. */
export const merged = (some: readonly (Fields | null)[]): Fields =>
  Object.assign({}, ...some) as Fields;

/** The fields in the order of their keys. */
export function sorted(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The fields in the opposite order of their keys. */
export function reversed(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(sorted(fields)).reverse());
}

/** Witnesses whose fields all enter the signature. */
export function applicable(
  witnesses: readonly Witness[],
  signed: SignedFields,
): readonly Witness[] {
  if (signed === 'all') return witnesses;
  return witnesses.filter(({ fields }) =>
    Object.keys(fields).every((name) => signed.includes(name.trim())),
  );
}

/** A request with those fields in words. */
export const wordsOf = (fields: Fields): string => `the same request with ${show(fields)}`;
