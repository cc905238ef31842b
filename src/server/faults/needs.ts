import type { ServiceRuleId } from '../../interface/index.ts';
import type { FaultId, FaultNeed } from './fault.ts';

/** Rules whose faults all need the same. */
const OF_RULE: Readonly<Partial<Record<ServiceRuleId, FaultNeed>>> = {
  'lifecycle/refresh-never-expires': 'clock',
  'quota/counters-independent': 'partners',
  'lock/default-10-minutes': 'locks',
  'lock/partner-60-minutes': 'locks',
};

type Forms = Readonly<Partial<Record<ServiceRuleId, string>>>;

/** The fault of a rule itself, among its forms. */
const ITSELF = '-';

/** Forms, separated by spaces, that need something; the other forms of their rules need nothing. */
const OF_FORMS: Readonly<Record<Exclude<FaultNeed, 'locks'>, Forms>> = {
  clock: {
    'lifecycle/refresh-rotates': 'once-expired',
    'lifecycle/refresh-single-use': 'after-a-minute after-an-hour after-a-day after-expiry',
    'lifecycle/user-token-newest-only': 'after-a-minute after-an-hour',
    'lifecycle/access-token-valid-until-expiry':
      'user-ended-by-a-wrong-signature platform-ended-by-a-wrong-signature user refreshed wide-scope',
    'lifecycle/access-token-expires': 'after-a-while unused user refreshed wide-scope',
    'lifecycle/expired-replaced-by-refresh': 'user-refresh second-refresh',
    'quota/platform-refuses-11th': 'an-hour twelve-hours calendar-hour calendar-half-day',
    'quota/user-refuses-6th': 'an-hour twelve-hours calendar-hour calendar-half-day',
    'quota/refresh-refuses-11th': 'an-hour twelve-hours calendar-hour calendar-half-day',
  },
  partners: {
    // Seen from outside, these are wrong signing keys in a profile.
    'signature/valid-accepted': `${ITSELF} lower-case`,
    'signature/key-order': 'by-value descending by-length underscore-last',
    'quota/ban-lasts-24h': 'user refresh',
    'quota/ban-lifts': 'platform user',
    'quota/daily-reset': 'platform user',
    'quota/per-partner': 'user refresh',
  },
  allowance: {
    'signature/valid-accepted':
      'plus-as-space percent-decoded html-escaped cut-at-equals cut-at-hash backslashes-doubled integers-of-32-bits numbers-as-floats cut-at-255',
    'signature/invalid-refused':
      'refresh exchange with-scope one-in-the-middle any-order zeros time-with-offset time-with-fraction in-capitals several-scopes spaced-body',
    'signature/wrong-key-refused':
      'partner-id other-case cut-by-one with-whitespace first-16 without-the-first twice upper-case space-before',
    'signature/covers-fields':
      'added-unknown-field timestamp nostr refresh-token auth-code nostr-and-time-only nothing first-scope case-of-values seen-before another-own-refresh-token another-own-code',
    'signature/key-order': 'refresh exchange trimmed-first',
    'signature/empty-skipped': 'refresh exchange name-kept scope-kept',
    'signature/zero-kept': 'refresh exchange numbers-skipped',
    'signature/trimmed': 'refresh exchange inner-too',
    'signature/array-json':
      'refresh exchange numbers-as-text first-only word joined-by-spaces skipped one-element-bare',
    'signature/utf8': 'refresh exchange latin-1',
    'signature/ampersands-stripped': 'refresh exchange',
    'token/grant-refresh-token': 'user-refresh second-refresh',
    'token/json-body':
      'trailing-text leading-text trailing-comma single-quotes two-values unquoted-names truncated array comment',
    'token/grant-type-required': 'empty null by-refresh-token by-auth-code',
    'token/grant-type-known': 'implicit password hyphen prefix urn',
    'token/timestamp-required':
      'refresh exchange user-refresh second-refresh with-scope empty null',
    'token/timestamp-iso8601':
      'refresh exchange number epoch-milliseconds slashes trailing-text leading-text month-13 day-32 hour-25 minute-60 text',
    'token/timestamp-fresh':
      'refresh exchange negative-offset half-hour-offset offset-in-refresh fraction-in-exchange basic-in-refresh',
    'token/timestamp-expired':
      'refresh exchange hour-ignored day-ignored beyond-a-day beyond-a-year with-offset offset-ignored',
    'token/timestamp-unchecked-in-test': 'refresh exchange',
    'token/nostr-required': 'refresh exchange user-refresh second-refresh with-scope empty null',
    'token/nostr-length': 'refresh exchange much-longer one eight',
    'token/nostr-alphabet': 'refresh exchange space digits sign',
    'token/nostr-case': 'refresh exchange',
    'token/refresh-token-required': 'empty null',
    'token/refresh-token-unknown':
      'other-case suffix prefix cut-by-one first-character access-token of-another-partner',
    'token/auth-code-required': 'empty null',
    'token/auth-code-unknown':
      'other-case suffix prefix cut-by-one first-character first-eight of-another-partner access-token refresh-token',
    'token/partner-unknown':
      'other-case prefix cut-by-one last-character first-character one-in-the-middle',
    'token/authorization-shape':
      'scheme-token scheme-digest scheme-oauth scheme-mac longer-scheme comma space',
    'token/scope-default': 'exchange',
    'token/scope-echo': 'exchange',
    'token/response-status': 'refresh exchange one-in-five',
    'token/response-content-type': 'refresh exchange one-in-five',
    'token/response-expires': 'refresh exchange one-in-five',
    'token/response-token-type': 'refresh exchange user-refresh second-refresh one-in-five',
    'lifecycle/refresh-rotates': 'user-refresh second-refresh',
    'lifecycle/refresh-single-use':
      'user-refresh second-refresh after-the-successor-is-used with-scope',
    'lifecycle/refresh-single-use-concurrent': 'user-refresh second-refresh',
    'lifecycle/platform-tokens-coexist':
      'at-most-two at-most-three at-most-four at-most-five other-scope ended-by-refresh',
    'lifecycle/user-token-newest-only':
      'express carpool refreshed-token by-refresh older-ones other-scope unused',
    'quota/platform-refuses-11th': 'by-scope',
    'quota/refresh-allows-10': 'user',
    'quota/refresh-refuses-11th': 'user by-chain',
    'estimate/platform': 'express carpool refreshed-token',
    'estimate/user': 'express carpool refreshed-token',
    'estimate/required-parameters': 'user-estimate',
    'estimate/coordinates-numeric': 'user-estimate',
    'estimate/coordinates-range': 'user-estimate',
    'estimate/imei-optional': 'user-estimate',
    'estimate/map-type-optional': 'user-estimate',
    'estimate/departure-time': 'user-estimate',
    'estimate/departure-time-price': 'user-estimate',
    'estimate/private-car': 'user-estimate',
    'estimate/express-car': 'user-estimate',
    'estimate/non-ascii-names': 'user-estimate',
    'auth/scheme': 'user-only',
    'auth/unknown-token': 'user-estimate',
    'auth/user-signature': 'refreshed-token one-in-the-middle',
    'auth/scope-public': 'user-estimate',
    'auth/token-of-partner': 'user-estimate refreshed-token',
    'record/time-in-second': 'refreshed-token',
  },
};

const NEEDS: ReadonlyMap<string, FaultNeed> = new Map(
  (Object.entries(OF_FORMS) as [FaultNeed, Forms][]).flatMap(([need, forms]) =>
    Object.entries(forms).flatMap(([rule, names]) =>
      names
        .split(' ')
        .map((name): [string, FaultNeed] => [name === ITSELF ? rule : `${rule}#${name}`, need]),
    ),
  ),
);

/** Requirement of a checker to see a fault without a control API; null for nothing. */
export function needOf(id: FaultId, rule: ServiceRuleId): FaultNeed | null {
  return OF_RULE[rule] ?? NEEDS.get(id) ?? null;
}

/** Faults that a need is declared for. */
export const FAULTS_WITH_NEEDS: readonly string[] = [...NEEDS.keys()];
