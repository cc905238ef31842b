import type { Written } from '../../documents/fields.ts';
import type * as documents from '../../documents/load.ts';

/** Health of the generators of a run. */
export type GeneratorHealth = Written<documents.GeneratorHealth>;

/** A load run document (`kind: "load"`), all but the tool. */
export interface LoadResult extends Omit<documents.LoadDocument, 'tool'> {
  readonly generator: GeneratorHealth;
  readonly reason: string;
  readonly seed: number;
  readonly workload: Written<NonNullable<documents.LoadDocument['workload']>>;
}
