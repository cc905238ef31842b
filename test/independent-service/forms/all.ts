import type { Form } from '../form.ts';
import { AUTHORIZATION } from './authorization.ts';
import { BASE, NAMED } from './base.ts';
import { CARPOOL } from './carpool.ts';
import { CARRIERS } from './carriers.ts';
import { ESTIMATE } from './estimate.ts';
import { FLAKY } from './flaky.ts';
import { GATEWAY } from './gateway.ts';
import { ACCESS_TOKEN_LIFE } from './lifecycle/access-token-life.ts';
import { ISSUED_TOKENS } from './lifecycle/issued-tokens.ts';
import { REFRESH_TOKENS } from './lifecycle/refresh-tokens.ts';
import { LOCK } from './lock.ts';
import { ALLOWANCES } from './quota/allowances.ts';
import { BANS } from './quota/bans.ts';
import { RECORD } from './record.ts';
import { COMPARISON } from './signature/comparison.ts';
import { COVERAGE } from './signature/coverage.ts';
import { PAIRS } from './signature/pairs.ts';
import { TEXT } from './signature/text.ts';
import { USER_SIGNATURE } from './signature/user-signature.ts';
import { BODY_AND_GRANT } from './token/body-and-grant.ts';
import { CREDENTIALS } from './token/credentials.ts';
import { NOSTR } from './token/nostr.ts';
import { RESPONSE } from './token/response.ts';
import { TIME } from './token/time.ts';

/** The forms `RULE_ID#form` by what they concern: ways of breaking a rule besides its first. */
export const FORMS_BY_SUBJECT: Readonly<Record<string, Readonly<Record<string, Form>>>> = {
  'signed pairs': PAIRS,
  'signed text': TEXT,
  'fields that are not signed': COVERAGE,
  'comparison of signatures': COMPARISON,
  "a user's signature": USER_SIGNATURE,
  'body and grant': BODY_AND_GRANT,
  time: TIME,
  nostr: NOSTR,
  credentials: CREDENTIALS,
  'token response': RESPONSE,
  authorization: AUTHORIZATION,
  'a gateway before the service': GATEWAY,
  refresh_tokens: REFRESH_TOKENS,
  'issued tokens': ISSUED_TOKENS,
  'life of access_tokens': ACCESS_TOKEN_LIFE,
  allowances: ALLOWANCES,
  bans: BANS,
  estimates: ESTIMATE,
  records: RECORD,
  carpooling: CARPOOL,
  locks: LOCK,
  'one carrier only': CARRIERS,
  'one answer in five': FLAKY,
};

const FORMS: Readonly<Record<string, Form>> = Object.assign(
  {},
  BASE,
  NAMED,
  ...Object.values(FORMS_BY_SUBJECT),
);

/** Names of all forms, the first of each rule too. */
export const FORM_NAMES: readonly string[] = Object.keys(FORMS);

/** The form of a name. @throws Error for an unknown one */
export function formOf(name: string): Form {
  const form = FORMS[name];
  if (!form) throw new Error(`no form ${name}`);
  return form;
}

/** Forms that are found by luck, as they break some answers or refuse some signatures at random: only measured. */
export const BY_LUCK: RegExp = /#(?:one-in-five|bytes-unpadded)$/;
