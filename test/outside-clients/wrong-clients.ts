import { SIGNATURE_MISTAKES } from './signature-mistakes.ts';
import { AUTHORIZATION } from './wrong/authorization.ts';
import { ESTIMATES } from './wrong/estimates.ts';
import { FIELDS } from './wrong/fields.ts';
import { OVERLAP } from './wrong/overlap.ts';
import { PATHS_AND_BODIES } from './wrong/paths-and-bodies.ts';
import { PLAIN } from './wrong/plain.ts';
import { PROVOKED } from './wrong/provoked.ts';
import { READ } from './wrong/read.ts';
import { REFUSED } from './wrong/refused.ts';
import { type WrongClient, wrong } from './wrong-client.ts';
import { WRONG_COURSES } from './wrong-courses.ts';

/** Wrong clients, each with one mistake. */
export const WRONG_CLIENTS: readonly WrongClient[] = [
  ...REFUSED,
  ...PROVOKED,
  ...OVERLAP,
  ...READ,
  ...PLAIN,
  ...PATHS_AND_BODIES,
  ...FIELDS,
  ...AUTHORIZATION,
  ...ESTIMATES,
  ...WRONG_COURSES,
  ...SIGNATURE_MISTAKES.map(({ mistake, explainedBy, deviation }) => ({
    ...wrong('signature')(mistake, 'client/signature', deviation),
    explainedBy,
  })),
];
