import { GRANT_TYPES, type GrantType, type ServiceRuleId } from '../../../interface/index.ts';
import { Refusal } from '../../service/messages.ts';
import { writing } from '../broken-token-steps.ts';
import { type Broken, because, type FaultDefinition, type FaultForms, fault } from '../fault.ts';
import { type Condition, only } from '../only.ts';
import type { Replacement } from '../parts.ts';
import type { RequestInHand } from '../request-in-hand.ts';
import { named, tableOf } from '../tables.ts';
import { TOKEN_FAULTS } from './rules.ts';

/** The fault of a rule, for some values of a field only. */
type Values = Readonly<Record<string, readonly [where: string, Condition]>>;

const isNull =
  (name: string): Condition =>
  (one) =>
    one.fields[name] === null;
const isEmpty =
  (name: string): Condition =>
  (one) =>
    one.fields[name] === '';
const matches =
  (name: string, pattern: RegExp): Condition =>
  (one) =>
    pattern.test(one.text(name));

const NARROW: Values = {
  'without-public': [
    'For a scope without `public`',
    (one) => !/^$|\bpublic\b/.test(one.text('scope')),
  ],
};

const SPOILED: Readonly<Partial<Record<keyof typeof TOKEN_FAULTS, Values>>> = {
  'token/response-access-token': NARROW,
  'token/response-refresh-token': NARROW,
  'token/response-expires': NARROW,
  'token/response-token-type': NARROW,
  'token/grant-type-required': blank('grant_type'),
  'token/timestamp-required': blank('_'),
  'token/nostr-required': blank('nostr'),
  'token/refresh-token-required': blank('refresh_token'),
  'token/auth-code-required': blank('auth_code'),
  'token/grant-type-known': {
    implicit: ['For `implicit`', matches('grant_type', /^implicit$/)],
    password: ['For `password`', matches('grant_type', /^password$/)],
    'other-case': ['For a known name in another case', matches('grant_type', /^client_cred.*$/i)],
    hyphen: ['With a hyphen', matches('grant_type', /-/)],
    prefix: ['For the start of a known name', matches('grant_type', /^client/)],
    urn: ['For a URN', matches('grant_type', /^urn:/)],
  },
  'token/timestamp-iso8601': {
    number: ['Sent as a number', (one) => typeof one.fields['_'] === 'number'],
    'epoch-seconds': ['For Unix seconds as a text', matches('_', /^\d{10}$/)],
    'epoch-milliseconds': ['For Unix milliseconds as a text', matches('_', /^\d{13}$/)],
    'http-date': ['For a date of HTTP', matches('_', /GMT$/)],
    words: ['For a date in words', matches('_', /[a-z]{3}(?!.*GMT)/i)],
    slashes: ['For a date with slashes', matches('_', /\d\/\d/)],
    'trailing-text': ['With text after it', matches('_', /^\d{4}-\d\d-\d\dT[\d:.]+Z.+/)],
    'leading-text': ['With text before it', matches('_', /^\D+\d{4}-/)],
    'month-13': ['For a month that does not exist', matches('_', /^\d{4}-(00|1[3-9]|[2-9]\d)-/)],
    'day-32': ['For a day that does not exist', matches('_', /^\d{4}-\d\d-(00|3[2-9]|[4-9]\d)/)],
    'hour-25': ['For an hour that does not exist', matches('_', /T(2[5-9]|[3-9]\d):/)],
    'minute-60': ['For a minute that does not exist', matches('_', /T\d\d:[6-9]\d/)],
    text: ['For a text without digits', matches('_', /^\D+$/)],
  },
  'token/nostr-length': {
    longer: ['Above six', (one) => one.text('nostr').length > 6],
    shorter: ['Below six', (one) => one.text('nostr').length < 6],
    'much-longer': ['From 20 on', (one) => one.text('nostr').length >= 20],
    one: ['For one character', matches('nostr', /^.$/)],
    eight: ['For eight characters', matches('nostr', /^.{8}$/)],
  },
  'token/nostr-alphabet': {
    hyphen: ['For a hyphen', matches('nostr', /-/)],
    underscore: ['For an underscore', matches('nostr', /_/)],
    space: ['For a space', matches('nostr', / /)],
    letters: ['For letters beyond ASCII', matches('nostr', /^[\p{L}0-9]+$/u)],
    digits: ['For digits beyond ASCII', matches('nostr', /^[\p{Nd}A-Za-z]+$/u)],
    sign: ['For other signs of ASCII', matches('nostr', /[!-,./:-@[-^`{-~]/)],
  },
};

/** A `_` that is too old passes where its age, or how it is written, meets a condition. */
const STALE: Readonly<
  Record<string, readonly [how: string, (ageMs: number, text: string) => boolean]>
> = {
  'eleven-minutes': ['A `_` passes until 11 minutes of age.', (ageMs) => ageMs <= 660_000],
  'quarter-hour': ['A `_` passes until 15 minutes of age.', (ageMs) => ageMs <= 900_000],
  'hour-ignored': [
    'Of the age of `_`, whole hours do not count.',
    (ageMs) => ageMs % 3_600_000 <= 600_000,
  ],
  'day-ignored': [
    'Of the age of `_`, whole days do not count.',
    (ageMs) => ageMs % 86_400_000 <= 600_000,
  ],
  'beyond-a-day': ['A `_` more than a day old passes.', (ageMs) => ageMs > 86_400_000],
  'beyond-a-year': ['A `_` more than a year old passes.', (ageMs) => ageMs > 366 * 86_400_000],
  'with-offset': [
    'A `_` with an offset passes at any age.',
    (_, text) => /[+-]\d\d/.test(text.slice(11)),
  ],
  'offset-ignored': [
    'The offset of `_` is ignored.',
    (ageMs, text) => {
      const offset = /([+-])(\d\d):?(\d\d)$/.exec(text.slice(11));
      if (offset === null) return false;
      const minutes = Number(offset[2]) * 60 + Number(offset[3]);
      return ageMs - Number(`${offset[1]}1`) * minutes * 60_000 <= 600_000;
    },
  ],
  'without-fraction': [
    'A `_` without a fraction passes at any age.',
    (_, text) => !/[.,]/.test(text),
  ],
};

/** Forms of a current `_` that are not read, or read wrongly. */
const UNREAD: Readonly<
  Record<
    string,
    readonly [where: string, isMeant: (text: string, inHand: RequestInHand) => boolean]
  >
> = {
  'negative-offset': ['With a negative offset', (text) => /-\d\d:\d\d$/.test(text)],
  'half-hour-offset': ['With an offset of half an hour', (text) => /[+-]\d\d:30$/.test(text)],
  'offset-in-refresh': [
    'With an offset, in a refresh,',
    (text, inHand) => /[+-]\d\d:\d\d$/.test(text) && inHand.text('refresh_token') !== '',
  ],
  'fraction-in-exchange': [
    'With a fraction, in an exchange,',
    (text, inHand) => text.includes('.') && inHand.text('auth_code') !== '',
  ],
  'basic-in-refresh': [
    'In the basic format, in a refresh,',
    (text, inHand) => /^\d{8}T/.test(text) && inHand.text('refresh_token') !== '',
  ],
};

/** Bodies that are not JSON, and how they are read. */
const BODIES: Readonly<Record<string, readonly [what: string, (text: string) => string]>> = {
  'trailing-text': ['text after it', (text) => text.slice(0, text.lastIndexOf('}') + 1)],
  'leading-text': ['text before it', (text) => text.slice(text.indexOf('{'))],
  'trailing-comma': ['a comma after the last field', (text) => text.replace(/,\s*}/, '}')],
  'single-quotes': ['single quotation marks', (text) => text.replaceAll("'", '"')],
  'two-values': ['another value after it', (text) => text.slice(0, text.indexOf('}') + 1)],
  'unquoted-names': [
    'names without quotation marks',
    (text) => text.replace(/([{,]\s*)(\w+):/g, '$1"$2":'),
  ],
  truncated: ['its last brace missing', (text) => `${text}}`],
  array: ['a list around it', (text) => JSON.stringify((JSON.parse(text) as unknown[])[0])],
  form: [
    'the notation of a form',
    (text) => JSON.stringify(Object.fromEntries(new URLSearchParams(text))),
  ],
  comment: ['a comment in it', (text) => text.replace(/\/\*.*?\*\//g, '')],
};

const NO_DEFAULT = because('an answer without a scope names no default', 'token/scope-default');

/** Values of a token response that have another type or meaning. */
const ANSWERED: Readonly<
  Partial<
    Record<
      ServiceRuleId,
      Readonly<Record<string, readonly [how: string, object, breaks?: readonly Broken[]]>>
    >
  >
> = {
  'token/response-expires': {
    zero: ['expires_in_second is 0.', { expires_in_second: 0 }],
    negative: ['expires_in_second is negative.', { expires_in_second: -1 }],
    fraction: ['expires_in_second has a fraction.', { expires_in_second: 7199.5 }],
    null: ['expires_in_second is null.', { expires_in_second: null }],
    missing: ['expires_in_second is left out.', { expires_in_second: undefined }],
  },
  'token/response-token-type': {
    missing: ['token_type is left out.', { token_type: undefined }],
    null: ['token_type is null.', { token_type: null }],
    empty: ['token_type is empty.', { token_type: '' }],
    basic: ['token_type is `basic`.', { token_type: 'basic' }],
    list: ['token_type is a list.', { token_type: ['bearer'] }],
  },
  'token/scope-echo': {
    missing: ['scope is left out.', { scope: undefined }, NO_DEFAULT],
    list: ['scope is a list.', { scope: ['public'] }, NO_DEFAULT],
  },
};

const FIRST_SCOPES: Readonly<Record<string, readonly [how: string, (scope: string) => string]>> = {
  first: ['Of several scopes the first is answered.', (scope) => scope.split(' ')[0] ?? ''],
  last: ['Of several scopes the last is answered.', (scope) => scope.split(' ').at(-1) ?? ''],
  commas: ['Several scopes are answered with commas.', (scope) => scope.replaceAll(' ', ',')],
  everything: [
    'To several scopes, one more is added.',
    (scope) => (scope.includes(' ') ? `${scope} profile` : scope),
  ],
};

/** Forms of the rules on token requests and their answers. */
export const TOKEN_FORMS: FaultForms = {
  ...tableOf(SPOILED, (rule, [where, condition]) => only(TOKEN_FAULTS[rule], where, condition)),
  ...named('token/timestamp-expired', STALE, ([how, passes]) =>
    fault(how, { refuseStale: passingStale(passes) }),
  ),
  'token/timestamp-fresh#nine-minutes': fault('A `_` is refused from 9 minutes of age on.', {
    freshnessLimits: (limits) => ({ ...limits, maxAgeMs: 540_000 }),
  }),
  ...named('token/timestamp-fresh', UNREAD, ([where, isMeant]) =>
    fault(`${where} a current \`_\` is refused.`, { refuseStale: refusingForm(isMeant) }),
  ),
  'token/timestamp-unchecked-in-test#a-day': fault('In test a `_` passes until a day of age.', {
    freshnessLimits: (limits) =>
      limits.isChecked ? limits : { ...limits, isChecked: true, maxAgeMs: 86_400_000 },
  }),
  ...named('token/json-body', BODIES, ([what, read]) =>
    fault(`A body with ${what} is read.`, { parseBody: repairing(read) }),
  ),
  'token/grant-type-required#by-refresh-token': inferring('refresh_token', 'refresh_token'),
  'token/grant-type-required#by-auth-code': inferring('auth_code', 'authorization_code'),
  ...tableOf(ANSWERED, (_, [how, fields, breaks]) =>
    fault(how, { writeToken: writing(() => fields) }, breaks),
  ),
  ...named('token/scope-echo', FIRST_SCOPES, ([how, change]) =>
    fault(how, {
      writeToken: writing((_, { scope }) => ({ scope: change(String(scope)) })),
    }),
  ),
  'token/scope-default#empty': answeringDefault('the scope is empty', ''),
  'token/scope-default#all': answeringDefault(
    'every scope is answered',
    'public rides.read rides.request profile',
  ),
  'token/scope-default#missing': answeringDefault('the scope is left out', undefined),
};

function blank(name: string): Values {
  return {
    empty: ['Where it is empty', isEmpty(name)],
    null: ['Where it is null', isNull(name)],
    'left-out': ['Where it is left out', (one) => !(name in one.fields)],
  };
}

function passingStale(
  passes: (ageMs: number, text: string) => boolean,
): Replacement<'refuseStale'> {
  return (refuse) => (timestamp, nowMs) => {
    try {
      refuse(timestamp, nowMs);
    } catch (error) {
      const text = String(timestamp);
      const isStale = error instanceof Refusal && error.detail.rule === 'token/timestamp-expired';
      if (!isStale || !passes(nowMs - Date.parse(text), text)) throw error;
    }
  };
}

function refusingForm(
  isMeant: (text: string, inHand: RequestInHand) => boolean,
): Replacement<'refuseStale'> {
  return (refuse, inHand) => (timestamp, nowMs) => {
    refuse(timestamp, nowMs);
    if (isMeant(String(timestamp), inHand))
      throw new Refusal('field-invalid', 'The field _ cannot be read.', { field: '_' });
  };
}

/** Parses a body that is not JSON once it is repaired. */
function repairing(repair: (text: string) => string): Replacement<'parseBody'> {
  return (parse) => (body, contentType) => {
    try {
      return parse(body, contentType);
    } catch (error) {
      try {
        return parse(Buffer.from(repair(Buffer.from(body).toString())), undefined);
      } catch {
        throw error;
      }
    }
  };
}

function inferring(field: string, grantType: GrantType): FaultDefinition {
  return fault(`Without grant_type, ${field} is enough.`, {
    readGrantType: (read) => (fields) =>
      fields['grant_type'] === undefined && field in fields
        ? GRANT_TYPES.find((one) => one === grantType)!
        : read(fields),
  });
}

function answeringDefault(what: string, scope: string | undefined): FaultDefinition {
  return fault(`Where no scope is requested, ${what}.`, {
    writeToken: (write, inHand) => (issued) =>
      inHand.text('scope') === '' && inHand.fields['grant_type'] !== 'refresh_token'
        ? writing(() => ({ scope }))(write, inHand)(issued)
        : write(issued),
  });
}
