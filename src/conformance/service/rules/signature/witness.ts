import type { Acceptance, Priority } from '../../contract/check.ts';
import { type Fields, show } from '../../contract/messages.ts';
import type { SignedFields } from '../../contract/target.ts';

/** A field that the interface does not know, to carry values that its own fields cannot. */
export const EXTRA = 'remark';

/** Reason why a target whose profile lists the signed fields shows no step. */
export const NO_FIELD_TO_ADD =
  'the profile lists the signed fields, so a field added to a request does not enter the signature';

/** Another reading of a step, in words, and the text S that a service with it would sign. */
export type OtherReading = readonly [how: string, textOf: (fields: Fields) => string];

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
  /** True if its keys are meant for the ends of S. */
  readonly atEnds?: true | undefined;
  /** Readings that explain a refusal. */
  readonly otherReadings?: readonly OtherReading[] | undefined;
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

/** S made of the fields in their order, nothing trimmed or left out. */
export function termsOf(
  fields: Fields,
  term: (key: string, value: string) => string = (key, value) => `${key}=${value}`,
): string {
  return Object.entries(fields)
    .map(([key, value]) => term(key, String(value)))
    .join('&');
}

/** S as the rule says, but with the term of one field replaced (null: left out). */
export function withTerm(fields: Fields, name: string, text: string | null): string {
  const { [name]: _replaced, ...rest } = fields;
  const all = text === null ? rest : { ...rest, [name]: text };
  return termsOf(sorted(all));
}

/** S as the rule says, but with one field spelled as a whole term of its own. */
export function withWholeTerm(fields: Fields, name: string, whole: string): string {
  return termsOf(sorted(fields), (key, value) => (key === name ? whole : `${key}=${value}`));
}

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
