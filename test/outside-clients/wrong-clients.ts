import { SIGNATURE_MISTAKES } from './signature-mistakes.ts';
import { OVERLAP } from './wrong/overlap.ts';
import { PLAIN } from './wrong/plain.ts';
import { PROVOKED } from './wrong/provoked.ts';
import { READ } from './wrong/read.ts';
import { REFUSED } from './wrong/refused.ts';
import { type WrongClient, wrong } from './wrong-client.ts';
import { WRONG_COURSES } from './wrong-courses.ts';
import { WRONG_FORMS } from './wrong-forms.ts';

/** Wrong clients, each with one mistake. */
export const WRONG_CLIENTS: readonly WrongClient[] = [
  ...REFUSED,
  ...PROVOKED,
  ...OVERLAP,
  ...READ,
  ...PLAIN,
  ...WRONG_FORMS,
  ...WRONG_COURSES,
  ...SIGNATURE_MISTAKES.map(({ mistake, explainedBy, deviation }) => ({
    ...wrong('signature')(mistake, 'client/signature', deviation),
    explainedBy,
  })),
];
