import type { Attempt, Form } from '../../form.ts';
import { type AccessToken, type RefreshToken, textOf } from '../../state.ts';
import { forgive } from '../builders.ts';

const nearForms = (
  rule: string,
  form: (isSame: (token: string, sent: string) => boolean) => Form,
): [string, Form][] =>
  Object.entries(near_).map(([name, isSame]) => [`${rule}#${name}`, form(isSame)]);

const near_ = {
  'other-case': (token, sent) => token.toLowerCase() === sent.toLowerCase(),
  suffix: (token, sent) => sent.startsWith(token),
  prefix: (token, sent) => sent.endsWith(token),
  'cut-by-one': (token, sent) => sent.length === token.length - 1 && token.startsWith(sent),
  'last-character': (token, sent) =>
    sent.length === token.length && token.slice(0, -1) === sent.slice(0, -1),
  'first-character': (token, sent) =>
    sent.length === token.length && token.slice(1) === sent.slice(1),
  'first-eight': (token, sent) => token.slice(0, 8) === sent.slice(0, 8),
  'one-in-the-middle': (token, sent) => {
    const at = Math.floor(token.length / 2);
    return (
      sent.length === token.length &&
      token.slice(0, at) === sent.slice(0, at) &&
      token.slice(at + 1) === sent.slice(at + 1)
    );
  },
} satisfies Record<string, (token: string, sent: string) => boolean>;

const access = (isSame: (token: string, sent: string, r: Attempt) => boolean): Form => ({
  findsToken: (sent, tokens, r) =>
    sent === '' ? undefined : tokens.findLast((one) => isSame(one.text, sent, r)),
});

/** The newest token of the partner that the header names. */
const newestOf = (tokens: readonly AccessToken[], r: Attempt): AccessToken | undefined =>
  tokens.findLast(({ partner: { id } }) => r.header?.includes(` ${id}|`));

const partnerKnownAs = (isSame: (id: string, sent: string) => boolean): Form => ({
  finds: (sent, partners) => partners.findLast(({ id }) => isSame(id, sent)),
});

const refresh = (isSame: (token: string, sent: string, r: Attempt) => boolean): Form => ({
  findsRefresh: (sent, all, r) =>
    sent === '' ? undefined : all.findLast((one) => isSame(one.text, sent, r)),
});

const code = (isSame: (code: string, sent: string) => boolean): Form =>
  forgive('code-unknown', (r, sent) =>
    [...(r.partner?.codes.keys() ?? [])].some((one) => isSame(one, sent)),
  );

const isOperator = (sent: string): boolean => /^\{"\$(ne|gt|exists)":/.test(sent);

const ownRefresh = (r: Attempt, all: readonly RefreshToken[]): RefreshToken | undefined =>
  all.findLast(({ partner, usedAt }) => r.header?.includes(` ${partner.id}|`) && usedAt === null);

/** A partner that is not known, with the key that the code has for it then. */
const unknownWithKey = (key: string): Form => ({
  finds: (id, _partners, r) =>
    r.endpoint === 'token'
      ? {
          id,
          key,
          longLock: false,
          codes: new Map(),
          asked: [],
          bannedUntil: {},
          nostrs: new Set(),
        }
      : undefined,
});

/** Credentials that were never issued, compared as code and stores do. */
export const CREDENTIALS: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(nearForms('auth/unknown-token', access)),
  'auth/unknown-token#refresh-token': {
    findsToken: (sent, _tokens, r) => r.service.refreshes.get(sent)?.access,
  },
  'auth/unknown-token#empty': {
    findsToken: (sent, tokens, r) => (sent === '' ? newestOf(tokens, r) : undefined),
  },
  'auth/unknown-token#null': {
    findsToken: (sent, tokens, r) =>
      /^(null|undefined|none)$/i.test(sent) ? newestOf(tokens, r) : undefined,
  },
  'auth/unknown-token#any-of-its-form': {
    findsToken: (sent, tokens, r) => (/^at\w+-\w+$/.test(sent) ? newestOf(tokens, r) : undefined),
  },
  'auth/unknown-token#partner-id': {
    findsToken: (sent, tokens, r) =>
      r.service.partners.has(sent) ? newestOf(tokens, r) : undefined,
  },
  'auth/unknown-token#user-header-only': {
    findsToken: (_sent, tokens, r) =>
      r.asUser ? tokens.findLast(({ user }) => user !== null) : undefined,
  },
  'auth/unknown-token#wildcard': {
    findsToken: (sent, tokens, r) =>
      sent === '%'
        ? tokens.findLast(({ partner: { id } }) => r.header?.includes(` ${id}|`))
        : undefined,
  },
  'auth/unknown-token#auth-code': {
    findsToken: (sent, tokens, r) => {
      const owner = [...r.service.partners.values()].find(({ codes }) => codes.has(sent));
      return tokens.findLast(({ partner }) => partner === owner);
    },
  },
  ...Object.fromEntries(nearForms('token/refresh-token-unknown', refresh)),
  'token/refresh-token-unknown#access-token': {
    findsRefresh: (sent, all) => all.find((one) => one.access.text === sent),
  },
  'token/refresh-token-unknown#of-another-partner': forgive('refresh-foreign'),
  'token/refresh-token-unknown#of-another-partner-late': forgive(
    'refresh-foreign',
    (r) => (r.refresh?.access.expires ?? Infinity) < r.service.now(),
  ),
  'token/refresh-token-unknown#any-of-its-form': forgive('refresh-unknown', (r) =>
    /^rt\w+-\w+$/.test(textOf(r.fields['refresh_token'])),
  ),
  'token/refresh-token-unknown#auth-code': forgive(
    'refresh-unknown',
    (r) => r.partner?.codes.has(textOf(r.fields['refresh_token'])) ?? false,
  ),
  'token/refresh-token-unknown#zero': {
    findsRefresh: (sent, all, r) =>
      sent === '0'
        ? all.findLast((one) => one.partner.id === r.header?.match(/ (.*)\|/)?.[1])
        : undefined,
  },
  'token/refresh-token-unknown#wildcard': {
    findsRefresh: (sent, all, r) =>
      sent === '%'
        ? all.findLast((one) => one.partner.id === r.header?.match(/ (.*)\|/)?.[1])
        : undefined,
  },
  'token/refresh-token-unknown#user-of-another-partner': forgive(
    'refresh-foreign',
    (r) => r.refresh?.user != null,
  ),
  'token/refresh-token-unknown#operator': {
    findsRefresh: (sent, all, r) => (isOperator(sent) ? ownRefresh(r, all) : undefined),
  },
  'token/refresh-token-unknown#true': {
    findsRefresh: (sent, all, r) => (sent === 'true' ? ownRefresh(r, all) : undefined),
  },
  'token/refresh-token-required#empty': forgive(
    'refresh-unknown',
    (r) => r.fields['refresh_token'] === '',
  ),
  'token/refresh-token-required#null': forgive(
    'refresh-unknown',
    (r) => r.fields['refresh_token'] === null,
  ),
  ...Object.fromEntries(nearForms('token/auth-code-unknown', code)),
  'token/auth-code-unknown#of-another-partner': forgive('code-unknown', (r, sent) =>
    [...r.service.partners.values()].some(({ codes }) => codes.has(sent)),
  ),
  'token/auth-code-unknown#access-token': forgive('code-unknown', (r, sent) =>
    r.service.tokens.has(sent),
  ),
  'token/auth-code-unknown#refresh-token': forgive('code-unknown', (r, sent) =>
    r.service.refreshes.has(sent),
  ),
  'token/auth-code-unknown#zero': forgive('code-unknown', (_r, sent) => sent === '0'),
  'token/auth-code-unknown#operator': forgive('code-unknown', (_r, sent) => isOperator(sent)),
  'token/auth-code-unknown#true': forgive('code-unknown', (_r, sent) => sent === 'true'),
  'token/auth-code-required#empty': forgive('code-unknown', (_r, sent) => sent === ''),
  'token/auth-code-required#null': forgive('code-unknown', (_r, sent) => sent === 'null'),
  'token/partner-unknown#other-case': partnerKnownAs(
    (id, sent) => id.toLowerCase() === sent.toLowerCase(),
  ),
  'token/partner-unknown#suffix': partnerKnownAs((id, sent) => sent.startsWith(id)),
  'token/partner-unknown#prefix': partnerKnownAs((id, sent) => sent.endsWith(id)),
  'token/partner-unknown#cut-by-one': partnerKnownAs((id, sent) => sent === id.slice(0, -1)),
  'token/partner-unknown#last-character': partnerKnownAs(
    (id, sent) => sent.length === id.length && sent.slice(0, -1) === id.slice(0, -1),
  ),
  'token/partner-unknown#empty-key': unknownWithKey(''),
  'token/partner-unknown#key-undefined': unknownWithKey('undefined'),
  'token/partner-unknown#key-null': unknownWithKey('null'),
  'token/partner-unknown#key-none': unknownWithKey('None'),
  'token/partner-unknown#wildcard': {
    finds: (id, partners) =>
      id.endsWith('%') ? partners.findLast((one) => one.id.startsWith(id.slice(0, -1))) : undefined,
  },
};
