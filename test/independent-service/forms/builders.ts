import type { Attempt, Fields, Form } from '../form.ts';
import { type Reading, signatureOf } from '../reading-signature.ts';
import { type AccessToken, type Kind, textOf } from '../state.ts';

/** A form that accepts what is refused for that reason. */
export const forgive = (
  why: string,
  isMeant: (r: Attempt, at: string) => boolean = () => true,
): Form => ({
  forgives: (one, r, at) => one === why && isMeant(r, at),
});

/** A form that refuses some right requests. */
export const refuse = (why: string, isMeant: (r: Attempt) => boolean): Form => ({
  refuses: (r) => isMeant(r) && why,
});

/** A form that refuses right token requests for their time, in production. */
export const refuseTime = (isMeant: (ageMs: number, nowMs: number) => boolean): Form =>
  refuse('time', (r) => {
    const nowMs = r.service.now();
    const ageMs = nowMs - Date.parse(textOf(r.fields['_']));
    return r.endpoint === 'token' && r.service.environment !== 'test' && isMeant(ageMs, nowMs);
  });

export const read = (reading: Partial<Reading>): Form => ({ reading: () => reading });

export const answer = (change: (json: Fields, r: Attempt) => void): Form => ({ answers: change });
export const answerWith = (field: string, value: unknown): Form =>
  answer((json) => {
    json[field] = value;
  });
export const record = (field: string, value: unknown): Form => ({
  records: (one) => {
    one[field] = value;
  },
});

export const limit = (which: Kind, most: number): Form => ({
  limit: (kind) => (kind === which ? most : undefined),
});

export const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()));

/** A user's signature that is compared in part: its digits are guessed from the right one. */
export function prefixOfSignature(digits: number): Form {
  return {
    signs: (r, _isSigned, pairs) =>
      r.asUser &&
      r.partner !== null &&
      signatureOf(pairs, r.partner.key).slice(0, digits) ===
        r.signature?.toLowerCase().slice(0, digits),
  };
}

/** A service that refuses some right estimates for their token. */
export const early = (isRefused: (token: AccessToken, now: number, r: Attempt) => boolean): Form =>
  refuse(
    'expired',
    (r) => r.endpoint === 'estimate' && r.token !== null && isRefused(r.token, r.service.now(), r),
  );

/** A form that changes state as it refuses a token request, for its signature or another reason. */
export const onRefusal = (
  why: 'signature' | 'time-old' | 'code-unknown',
  act: (r: Attempt) => void,
): Form =>
  why === 'signature'
    ? {
        signs: (r, isSigned) => {
          if (r.endpoint === 'token' && !isSigned()) act(r);
          return false;
        },
      }
    : {
        forgives: (one, r) => {
          if (one === why) act(r);
          return false;
        },
      };

export const isUsers = ({ user }: { readonly user: string | null }): boolean => user !== null;

/** Wrong values of a field, by name, for a rule on it. */
export type WrongValues = Readonly<
  Record<string, readonly [field: string, values: Readonly<Record<string, unknown>>]>
>;

/** A form for each wrong value. */
export const byValue = (
  table: WrongValues,
  make: (field: string, value: unknown) => Form,
): Record<string, Form> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([rule, [field, values]]) =>
      Object.entries(values).map(([name, value]) => [`${rule}#${name}`, make(field, value)]),
    ),
  );
