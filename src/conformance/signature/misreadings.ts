import { FREQUENT_MISTAKES } from './mistakes/frequent.ts';
import { LIST_MISTAKES } from './mistakes/lists.ts';
import { TEXT_MISTAKES } from './mistakes/texts.ts';
import { VALUE_MISTAKES } from './mistakes/values.ts';
import { DOCUMENTED_RECIPE, type Mistake, signBy } from './recipe.ts';

const ALL = [...FREQUENT_MISTAKES, ...VALUE_MISTAKES, ...TEXT_MISTAKES, ...LIST_MISTAKES];
const BY_STATEMENT = new Map(ALL.map((one) => [one.statement, one]));

/** Mistakes of a service that are those of a client, by what their rows state. */
export function misreadings(...statements: readonly string[]): readonly Mistake[] {
  return statements.map((statement) => {
    const mistake = BY_STATEMENT.get(statement);
    if (mistake) return mistake;
    throw new Error(
      `No row of src/conformance/signature/mistakes/ states "${statement}"; add one.`,
    );
  });
}

/** The text S of pairs, made with a mistake. */
export const misreadText = ({ apply }: Mistake, pairs: Readonly<Record<string, unknown>>): string =>
  signBy(apply(DOCUMENTED_RECIPE), Object.entries(pairs), '').signedText;
