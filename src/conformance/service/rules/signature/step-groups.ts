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

/** Words for what is shown. */
export const namesOf = (some: readonly Pick<Shown, 'witnesses'>[]): string =>
  some.flatMap(({ witnesses }) => witnesses.map(({ what }) => what)).join('; ');

/** Witnesses of several steps by the request that shows them, but for those that nothing is compared with. */
export const groupsOf = (
  steps: readonly Step[],
  signed: SignedFields,
): readonly (readonly Shown[])[] =>
  [0, 1, 2].map((group) =>
    steps.flatMap((step) => {
      const some = applicable(step.together, signed).filter(
        (one) =>
          (one.group ?? 0) === group && (isNeutral(one) || Object.keys(one.fields).length > 0),
      );
      // A value that a target may refuse for itself is not mixed with those that have a neutral one.
      const parts = [some.filter(isNeutral), some.filter((one) => !isNeutral(one))];
      return parts.flatMap((witnesses) => (witnesses.length > 0 ? [{ step, witnesses }] : []));
    }),
  );

const isNeutral = ({ neutral }: Witness): boolean => neutral !== null;
