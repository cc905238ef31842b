import type { Anew, Exchange, Made } from '../../../documents/exchange.ts';
import type { Redactor } from '../../../redaction/index.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import type { EstimateAttempt, Fields, TokenAnswer, TokenAttempt } from '../contract/messages.ts';
import { type Stamp, USUAL_FORM } from './time-form.ts';

/** Secrets that a target gave, by their text: what they are, and where they came from. */
export type Given = Map<unknown, Pick<Anew, 'is' | 'from' | 'of'>>;

/** Sources of the values of requests. */
interface Sources {
  /** Clock of the target, ms since the epoch. */
  readonly clock: { now(): number };
  readonly stamp: Stamp;
  readonly random: SeededRandom;
  readonly given: Given;
  readonly evidence: { readonly redactor: Pick<Redactor, 'redact'> };
}

/** Notes the tokens that an answer brought; a target may repeat what it was sent. */
export function noteTokens(
  given: Given,
  { fields }: TokenAttempt,
  answer: Pick<TokenAnswer, 'exchange' | 'accessToken' | 'refreshToken'>,
): void {
  const note = (is: Anew['is'], token: string | null): void => {
    const isRepeated = Object.values(fields).includes(token);
    if (token !== null && !isRepeated && !given.has(token))
      given.set(token, { is, from: answer.exchange });
  };
  note('access_token', answer.accessToken);
  note('refresh_token', answer.refreshToken);
}

/** Smallest number that is taken for Unix seconds: one of the year 2001. */
const LEAST_UNIX_SECONDS = 1_000_000_000;

/**
 * Recipe of a request: which of its texts are new whenever it is made.
 *
 * @param sent signature that it has, and the text S that was signed; left out of a request without one
 */
export function recipeOf(
  attempt: TokenAttempt | (EstimateAttempt & { readonly accessToken: string }),
  { clock, stamp, random, given, evidence }: Sources,
  sent?: { readonly signature: string; readonly text: string | null },
): Made {
  const nowMs = clock.now();
  const timeOf = (value: unknown): [string, Anew][] => {
    const text = String(value);
    const { atMs, form } = stamp.madeOf(text) ?? {
      atMs: Number(text) * 1000,
      form: 'in Unix seconds' as const,
    };
    if (!(atMs >= LEAST_UNIX_SECONDS * 1000)) return [];
    const secondsAgo = Math.round((nowMs - atMs) / 1000);
    const age = secondsAgo === 0 ? {} : { secondsAgo };
    return [[text, { is: 'time', ...age, ...(form === USUAL_FORM ? {} : { form }) }]];
  };
  /** @param is what a secret is meant to be that nobody gave; undefined for a value that is none */
  const secretOf = (value: unknown, is?: Anew['is']): [string, Anew][] => {
    if (typeof value !== 'string' || value === '') return [];
    // A text that the document shows needs no recipe.
    const isShown = (): boolean => evidence.redactor.redact(value) === value;
    const known = given.get(value) ?? (is && !isShown() ? { is } : undefined);
    return known ? [[value, known]] : [];
  };
  const fields: Fields = 'fields' in attempt ? attempt.fields : attempt.query;
  const { _: time, departure_time: departure, nostr, refresh_token, auth_code, ...others } = fields;
  const signed: Fields = ('signed' in attempt && attempt.signed) || {};
  // A nostr that was signed otherwise stays: the difference is what was wrong.
  const isNostrNew = random.madeNostr(nostr) && (sent?.text ?? nostr).includes(nostr);
  return Object.fromEntries<Anew>([
    ...[...Object.values(others), ...Object.values(signed)].flatMap((value) => secretOf(value)),
    ...[time, departure, signed['_']].flatMap(timeOf),
    ...(isNostrNew ? [[nostr, { is: 'nostr' }] as const] : []),
    ...secretOf(refresh_token, 'refresh_token'),
    ...secretOf(auth_code, 'auth_code'),
    ...('accessToken' in attempt ? secretOf(attempt.accessToken, 'access_token') : []),
    ...(sent?.signature ? [[sent.signature, { is: 'signature' }] as const] : []),
  ]);
}

/** Texts of a request that a recipe changes. */
export interface MadeTexts {
  readonly url: string;
  readonly body: string | null;
  readonly authorization: string | undefined;
  /** The text S; null for a request without a signature. */
  readonly signed: string | null;
}

/** Texts of an exchange that a recipe changes. */
export function textsOf({ request, signed }: Pick<Exchange, 'request' | 'signed'>): MadeTexts {
  const { url, body, headers } = request;
  return { url, body, authorization: headers['authorization'], signed: signed?.text ?? null };
}

/**
 * Puts values into the texts of a request, in the place of those that they are given by, plain or URL-encoded. All
 * at once: a value may contain the text of another one, or its own.
 */
export function filled(texts: MadeTexts, values: Iterable<readonly [string, string]>): MadeTexts {
  const byText = new Map<string, string>();
  for (const [text, value] of values) {
    if (text === '') continue;
    byText.set(encodeURIComponent(text), encodeURIComponent(value));
    byText.set(text, value);
  }
  if (byText.size === 0) return texts;
  const longestFirst = [...byText.keys()].sort((a, b) => b.length - a.length);
  const pattern = longestFirst
    .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|');
  const expression = new RegExp(pattern, 'g');
  const fill = (all: string): string =>
    all.replaceAll(expression, (text) => byText.get(text) ?? text);
  return {
    url: fill(texts.url),
    body: texts.body === null ? null : fill(texts.body),
    authorization: texts.authorization === undefined ? undefined : fill(texts.authorization),
    signed: texts.signed === null ? null : fill(texts.signed),
  };
}

/**
 * Recipe of an exchange as its document has it, by the texts there; undefined if it does not bring back what was
 * sent, as that has a part of a secret, or one that the recipe does not name.
 */
export function storedRecipe(
  made: Made,
  sent: Exchange,
  stored: Exchange,
  redact: (text: string) => string,
): Made | undefined {
  const anew = Object.entries(made).map(([text, one]) => ({ text, shown: redact(text), one }));
  const again = filled(
    textsOf(stored),
    anew.map(({ shown, text }) => [shown, text]),
  );
  if (JSON.stringify(again) !== JSON.stringify(textsOf(sent))) return undefined;
  return Object.fromEntries(anew.map(({ shown, one }) => [shown, one]));
}
