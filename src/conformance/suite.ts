import { z } from 'zod';
import type { DeepReadonly } from '../documents/fields.ts';
import { ConfigurationError } from '../interface/errors.ts';
import { readShape } from '../interface/shape-problems.ts';

const globs = z.array(z.string().min(1));

/** Schema of a suite file; unknown fields are refused. */
export const suiteSchema = z.strictObject({
  name: z.string().min(1).meta({ description: 'Name of the suite in reports.' }),
  description: z.string().optional(),
  rules: z
    .strictObject({ include: globs.default(['*']), exclude: globs.default([]) })
    .default({ include: ['*'], exclude: [] })
    .meta({ description: 'Globs over rule ids, such as token/*.' }),
  requireComplete: z
    .boolean()
    .default(false)
    .meta({ description: 'An untestable rule makes the run incomplete.' }),
  /** Left out, each environment that the target has. */
  environment: z
    .enum(['production', 'test', 'own'])
    .optional()
    .meta({ description: "own: only the environment of the target's profile." }),
  tokenRequests: z
    .strictObject({ most: z.int().min(0) })
    .optional()
    .meta({ description: 'Maximum of token requests in a run.' }),
});

/** Selection of rules, and the conditions that a run of it has to meet. */
export type Suite = DeepReadonly<z.infer<typeof suiteSchema>>;

/** Suite as it is written: what has a default may be left out. */
export type SuiteInput = DeepReadonly<z.input<typeof suiteSchema>>;

/** Suite of all rules. */
export const FULL_SUITE: Suite = suiteSchema.parse({ name: 'full' });

/**
 * Fills in the defaults of a suite; one that is whole stays as it is.
 *
 * @throws ConfigurationError `SUITE_INVALID`, with the fields that are wrong
 */
export function readSuite(suite: SuiteInput): Suite {
  return readShape(suiteSchema, suite, { name: 'suite', code: 'SUITE_INVALID' });
}

/**
 * Selects the rules of a suite, narrowed by `--rule` globs.
 *
 * @param only globs that narrow the suite; empty for none
 * @throws ConfigurationError `RULE_UNKNOWN` for a glob that matches nothing
 */
export function selectRules(
  ids: readonly string[],
  suite: Suite,
  only: readonly string[],
): ReadonlySet<string> {
  for (const glob of [...suite.rules.include, ...suite.rules.exclude, ...only]) {
    if (ids.some(matcherOf(glob))) continue;
    throw new ConfigurationError(
      'RULE_UNKNOWN',
      `No rule matches "${glob}"; fareproof rules lists them.`,
    );
  }
  const matchesAny = (list: readonly string[], id: string): boolean =>
    list.some((glob) => matcherOf(glob)(id));
  const { include, exclude } = suite.rules;
  const isSelected = (id: string): boolean =>
    matchesAny(include, id) &&
    !matchesAny(exclude, id) &&
    (only.length === 0 || matchesAny(only, id));
  return new Set(ids.filter(isSelected));
}

/** Makes a matcher for a glob: `*` stands for any text, everything else for itself. */
export function matcherOf(glob: string): (id: string) => boolean {
  const pattern = glob
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${pattern}$`);
  return (id) => expression.test(id);
}
