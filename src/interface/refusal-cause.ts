import { DURATION_WORDS, LIMITS } from './limits.ts';

/** Answer that refused a well-formed token request. */
export interface RefusingAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  /** Time by which its Date header is ahead of this machine's clock, ms; 0 if that is not known, or no mistake. */
  readonly skewMs: number;
}

/** A cause that an answer shows, and its remedy, in sentences. */
export interface RefusalCause {
  /** Empty where the answer says it in words. */
  readonly finding: string;
  readonly remedy: string;
}

/** Difference of the clocks beyond which every `_` is refused. */
const MOST_SKEW_MS = LIMITS.timestampValiditySeconds * 1000;

/** Finds the cause that an answer shows by itself, whatever else may be suspected; null for none. */
export function causeShownBy(answer: RefusingAnswer, baseUrl: string): RefusalCause | null {
  return redirected(answer, baseUrl) ?? plainOnTls(answer) ?? skewed(answer) ?? saidBy(answer);
}

/**
 * Remedy for a refusal of a partner's request, as sentences: what the answer itself says comes first.
 *
 * @param isFresh true for a partner that a control API made
 */
export function remedyOfRefusal(
  answer: RefusingAnswer,
  baseUrl: string,
  { mayBeUsedUp, isFresh = false }: { readonly mayBeUsedUp: boolean; readonly isFresh?: boolean },
): string {
  const shown = causeShownBy(answer, baseUrl)?.remedy;
  if (isFresh && (shown === undefined || OF_PROFILE.includes(shown))) return OF_FRESH;
  if (shown !== undefined) return shown;
  return mayBeUsedUp
    ? 'The profile says that the service begins each run anew, but its allowances are used up: restart it, or give it a control API.'
    : `${CHECK_KEY} The partner may also be banned.`;
}

const CHECK_KEY = 'Check partner id, signingKey and signature.tokenFields in the profile.';
const CHECK_ID = 'Check the partner id in the profile.';

/** Remedies of what the profile says of its partners. */
const OF_PROFILE: readonly string[] = [CHECK_KEY, CHECK_ID];

/** Remedy where the control API made the partner. */
const OF_FRESH =
  'The control API made the partner, so that its id and key are right: fix what the failed rules name, or correct signature.tokenFields in the profile.';

/** Finds the cause in a redirect. */
export function redirected(
  { status, headers }: RefusingAnswer,
  baseUrl: string,
): RefusalCause | null {
  const { location } = headers;
  if (status < 300 || status > 399 || typeof location !== 'string') return null;
  const isTls = baseUrl.startsWith('http:') && location.startsWith('https:');
  return {
    finding: `${baseUrl} redirects to ${location} (status ${status}); redirects are not followed, as they would lose the request.`,
    remedy: isTls
      ? 'Write the address with https in baseUrl.'
      : 'Write the address that it redirects to in baseUrl.',
  };
}

/** Finds whether the port speaks https: servers answer status 400 then, and words such as "plain HTTP request". */
export function plainOnTls({ status, body }: RefusingAnswer): RefusalCause | null {
  if (status !== 400 || !/plain HTTP request|HTTP request to an HTTPS server/i.test(body))
    return null;
  return {
    finding: 'The port speaks https, and baseUrl has http.',
    remedy: 'Write the address with https in baseUrl.',
  };
}

/** Finds whether the clocks are too far apart, by the Date header. */
export function skewed({ skewMs }: RefusingAnswer): RefusalCause | null {
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return null;
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  const words = skewMs > 0 ? 'ahead of' : 'behind';
  return {
    finding: `The clock of the target is ${minutes} minutes ${words} this machine's by its Date header, and a \`_\` is valid for ${DURATION_WORDS.timestampValidity}.`,
    remedy: 'Set the clock that is wrong.',
  };
}

/** Words of a refusal for what was sent before. */
const OF_LIMIT = /quota|allowance|\bban|limit|exceed|too many|locked|blocked/i;

/** Words of other refusals, and their remedies; the first that matches. */
const SAID: readonly (readonly [says: RegExp, remedy: string])[] = [
  [/signature|signing|\bsign\b/i, CHECK_KEY],
  [/timestamp|clock|time is|"_"|`_`/i, 'Compare the clocks of the target and of this machine.'],
  [/partner/i, CHECK_ID],
];

/** Finds the cause in the words of an answer; null for one that speaks of a limit, or of nothing known. */
function saidBy({ status, body }: RefusingAnswer): RefusalCause | null {
  if (status === 429 || OF_LIMIT.test(body)) return null;
  const said = SAID.find(([says]) => says.test(body));
  return said ? { finding: '', remedy: said[1] } : null;
}
