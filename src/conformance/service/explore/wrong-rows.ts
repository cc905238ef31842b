import { REQUIRED_ESTIMATE_PARAMETERS } from '../../../interface/limits.ts';
import { likeness, NEAR } from '../contract/altered-text.ts';
import { NOT_ISO_FORMS } from '../contract/time-forms.ts';
import { WRONG_SHAPES } from '../rules/authorization-shapes.ts';
import { BEYOND, COORDINATES, NO_NUMBERS } from '../rules/estimate/checks.ts';
import { WRONG_BODIES, WRONG_GRANTS } from '../rules/token/body.ts';
import { STRANGE } from '../rules/token/fields.ts';
import { between, type Draft, grantOf, pick, type Row, type Surroundings } from './row.ts';

type Random = Surroundings['random'];

/** A wrong token request, by its fields. */
const token = (rule: string, name: string, apply: Row['apply'], more: Partial<Row> = {}): Row => ({
  name,
  on: 'token',
  is: 'wrong',
  rule: `token/${rule}`,
  apply,
  ...more,
});

const setting =
  (field: string, valueOf: (random: Random, right: string) => unknown): Row['apply'] =>
  ({ fields }, { random }) => {
    const right = fields[field];
    const value = valueOf(random, typeof right === 'string' ? right : '');
    if (value === fields[field]) return false;
    if (value === undefined) delete fields[field];
    else fields[field] = value;
    return true;
  };

/** Missing, null and empty values of a field. */
const required = (rule: string, field: string, more: Partial<Row> = {}): Row[] => [
  token(
    `${rule}-required`,
    `without ${field}`,
    setting(field, () => undefined),
    more,
  ),
  token(
    `${rule}-required`,
    `with ${field} null`,
    setting(field, () => null),
    more,
  ),
  token(
    `${rule}-required`,
    `with an empty ${field}`,
    setting(field, () => ''),
    more,
  ),
];

const ofRefresh: Partial<Row> = { for: (step) => grantOf(step) === 'refresh' };
const ofUser: Partial<Row> = { for: (step) => grantOf(step) === 'user' };

const NOSTR: readonly Row[] = [
  ...required('nostr', 'nostr'),
  token(
    'nostr-length',
    'with a nostr of another length',
    setting('nostr', (random) => {
      const length = between(1, 63, random);
      return random.text(length < 6 ? length : length + 1);
    }),
  ),
  token(
    'nostr-length',
    'with a nostr of 6 letters, some of them spaces apart',
    setting('nostr', (_random, right) => `${right.slice(0, 3)} ${right.slice(3)}`),
  ),
  token(
    'nostr-length',
    'with a number of 5 digits as nostr',
    setting('nostr', (random) => between(10_000, 99_999, random)),
  ),
  token(
    'nostr-alphabet',
    'with a strange character in its nostr',
    setting('nostr', (random, right) => {
      const at = between(1, 4, random);
      return right.slice(0, at) + pick(STRANGE, random) + right.slice(at + 1);
    }),
  ),
];

const DAY_S = 86_400;
/** Ages beyond the limit at which readers are wrong, s. */
const OLD = [612, 615, 625, 650, 660, 700, 890, 3_900, 43_500, DAY_S + 300, 2 * DAY_S] as const;
const VERY_OLD = [7 * DAY_S, 30 * DAY_S, 365 * DAY_S + 300, 4_294_967 + 300, 20_000 * DAY_S];

const notInTest =
  (apply: Row['apply']): Row['apply'] =>
  (draft, around) =>
    around.isTest ? false : apply(draft, around);

const TIME: readonly Row[] = [
  token(
    'timestamp-required',
    'without _',
    setting('_', () => undefined),
  ),
  token('timestamp-required', 'with _ null', notInTest(setting('_', () => null))),
  token('timestamp-required', 'with an empty _', notInTest(setting('_', () => ''))),
  ...NOT_ISO_FORMS.map((form) =>
    token(
      'timestamp-iso8601',
      `with the time ${form} as _`,
      notInTest(({ fields, session }, { nowMs }) => {
        fields['_'] = session.client.stamp.textOf(nowMs - 1_000, form);
      }),
    ),
  ),
  token(
    'timestamp-iso8601',
    'with a text or number that is no time as _',
    notInTest(setting('_', (random) => pick(['now', '-1 minute', 'today', 'x', 0, 1], random))),
  ),
  token(
    'timestamp-iso8601',
    'with a number of seconds as _',
    notInTest(({ fields }, { nowMs, random }) => {
      fields['_'] = random.next() < 0.5 ? Math.floor(nowMs / 1000) : Math.floor(nowMs);
    }),
  ),
  ...(
    [undefined, 'with a fraction and with Z', 'with +08:00', 'with +05:30', 'with -05:00'] as const
  ).map((form) =>
    token(
      'timestamp-expired',
      `with an expired _${form === undefined ? '' : ` ${form}`}`,
      notInTest(({ fields, session }, { nowMs, random }) => {
        const ageS = pick(random.next() < 0.7 ? OLD : VERY_OLD, random);
        fields['_'] = session.client.stamp.textOf(Math.max(0, nowMs - ageS * 1000), form);
      }),
    ),
  ),
  token(
    'timestamp-expired',
    'with an expired _ that looks current without its offset',
    notInTest(({ fields, session }, { nowMs, random }) => {
      const [agoS, form] = pick(
        [
          [0, 'in UTC, with +08:00'],
          [28_800, 'in UTC, with +08:00'],
          [-18_000, 'in UTC, with +05:30'],
        ] as const,
        random,
      );
      fields['_'] = session.client.stamp.textOf(nowMs - agoS * 1000, form);
    }),
  ),
];

const BODY: readonly Row[] = [
  ...required('grant-type', 'grant_type'),
  token(
    'grant-type-known',
    'with an unknown grant_type',
    setting('grant_type', (random, right) => pick(WRONG_GRANTS, random)[1](right)),
  ),
  ...WRONG_BODIES.map(([what, write]) =>
    token('json-body', `with ${what} for a body`, (draft) => {
      const isText = Object.values(draft.fields).every((one) => typeof one === 'string');
      draft.write = write;
      return isText;
    }),
  ),
  token('json-body', 'with an empty body and its fields in the URL', (draft) => {
    draft.write = () => '';
    draft.parts.inQuery = true;
  }),
];

/** Values that some stores take for any credential. */
const ANY: readonly unknown[] = [0, '%', '*', { $gt: '' }, 'null', 'undefined'];

const credential = (field: string, rule: string, more: Partial<Row>): Row[] => [
  ...NEAR.map(([what, alter]) =>
    token(
      rule,
      `whose ${field} has ${what}`,
      (draft, { random }) => {
        const right = String(draft.fields[field]);
        draft.fields[field] = alter(right, random);
        return draft.fields[field] !== right;
      },
      more,
    ),
  ),
  token(
    rule,
    `with a made-up ${field}`,
    setting(field, (random, right) =>
      random.next() < 0.6 ? likeness(right, random) : pick(ANY, random),
    ),
    more,
  ),
  ...(['accessToken', 'refreshToken'] as const).flatMap((kind) =>
    (['own', 'other'] as const).map((of) =>
      token(
        rule,
        `with ${of === 'own' ? 'its' : "another partner's"} ${kind} as ${field}`,
        (draft, around) => {
          const text = around.credential(kind, of);
          const isRight = of === 'own' && kind === 'refreshToken' && field === 'refresh_token';
          draft.fields[field] = text;
          return text !== null && !isRight;
        },
        more,
      ),
    ),
  ),
  token(
    rule,
    `with ${field === 'auth_code' ? "another partner's" : 'an'} auth_code as ${field}`,
    async (draft, { other, code }) => {
      draft.fields[field] = await code(field === 'auth_code' ? await other() : draft.session);
    },
    more,
  ),
];

const CREDENTIALS: readonly Row[] = [
  ...required('refresh-token', 'refresh_token', ofRefresh),
  ...credential('refresh_token', 'refresh-token-unknown', ofRefresh),
  ...required('auth-code', 'auth_code', ofUser),
  ...credential('auth_code', 'auth-code-unknown', ofUser),
  ...NEAR.map(([what, alter]) =>
    token('partner-unknown', `whose partner id has ${what}`, ({ parts, session }, { random }) => {
      parts.partnerId = alter(session.partner.id, random);
      return parts.partnerId !== session.partner.id;
    }),
  ),
  ...['', 'undefined', 'null', 'None'].map((key) =>
    token(
      'partner-unknown',
      `of an unknown partner, signed with the key "${key}"`,
      (draft, { random }) => {
        const { parts, session } = draft;
        parts.partnerId = likeness(session.partner.id, random);
        parts.signingKey = key;
        return parts.partnerId !== session.partner.id;
      },
    ),
  ),
];

const AUTHORIZATION: readonly Row[] = (['token', 'estimate'] as const).flatMap((on): Row[] => {
  const [missing, shape] =
    on === 'token'
      ? ['token/authorization-required', 'token/authorization-shape']
      : ['auth/authorization-required', 'auth/scheme'];
  const row = (rule: string, name: string, write: Draft['parts']['authorization']): Row => ({
    name,
    on,
    is: 'wrong',
    rule,
    apply: ({ parts }) => {
      parts.authorization = write;
    },
  });
  return [
    row(missing, 'without Authorization', null),
    row(missing, 'with an empty Authorization', () => ''),
    ...WRONG_SHAPES.map(([what, write]) => row(shape, `with ${what}`, write)),
    row(shape, 'with the scheme Barer', (id, second) => `Barer ${id}|${second}`),
  ];
});

const estimate = (
  rule: string,
  name: string,
  apply: Row['apply'],
  more: Partial<Row> = {},
): Row => ({
  name,
  on: 'estimate',
  is: 'wrong',
  rule,
  apply,
  ...more,
});

const PARAMETERS: readonly Row[] = [
  ...REQUIRED_ESTIMATE_PARAMETERS.map((name) =>
    estimate(
      'estimate/required-parameters',
      `without ${name}`,
      setting(name, () => undefined),
    ),
  ),
  ...['product_type', 'ride_type'].map((name) =>
    estimate(
      'estimate/required-parameters',
      `with an empty ${name}`,
      setting(name, () => ''),
      {
        orEmpty: true,
      },
    ),
  ),
  ...COORDINATES.flatMap((name) => [
    estimate(
      'estimate/coordinates-numeric',
      `with a ${name} that is no number`,
      setting(name, (random) => pick(NO_NUMBERS, random)),
      { orEmpty: true },
    ),
    estimate(
      'estimate/coordinates-range',
      `with a ${name} beyond its range`,
      setting(name, (random) => {
        const at = pick(BEYOND[name.endsWith('lat') ? 'lat' : 'lng'], random);
        return String(random.next() < 0.5 ? -at : at);
      }),
      { orEmpty: true },
    ),
  ]),
  estimate('estimate/version-prefix', 'at the path without /v1', ({ parts }) => {
    parts.path = '/estimates/prices';
  }),
];

const otherToken = (
  name: string,
  textOf: (draft: Draft, around: Surroundings) => string | null | Promise<string | null>,
  rule = 'auth/unknown-token',
): Row =>
  estimate(rule, name, async (draft, around) => {
    const text = await textOf(draft, around);
    if (text === null || text === draft.accessToken) return false;
    draft.accessToken = text;
    return true;
  });

const TOKENS: readonly Row[] = [
  ...NEAR.map(([what, alter]) =>
    otherToken(`whose access_token has ${what}`, ({ accessToken }, { random }) =>
      alter(accessToken, random),
    ),
  ),
  otherToken('with a made-up access_token', ({ accessToken }, { random }) =>
    likeness(accessToken, random),
  ),
  otherToken('with a word for its access_token', ({ session }, { random }) =>
    pick(['undefined', 'null', '%', '*', 'true', session.partner.id], random),
  ),
  otherToken('with a refresh_token as access_token', (_draft, { credential: of }) =>
    of('refreshToken', 'own'),
  ),
  otherToken('with an auth_code as access_token', ({ session }, { code }) => code(session)),
  estimate('auth/unknown-token', 'with no access_token', ({ parts }) => {
    parts.authorization = (id, credentials) => `Bearer ${id}|${credentials.replace(/[^|]*$/, '')}`;
  }),
  estimate('auth/token-of-partner', "with another partner's id", async (draft, { other }) => {
    const { id, signingKey } = (await other()).partner;
    Object.assign(draft.parts, { partnerId: id, signingKey });
  }),
  otherToken(
    "with another partner's access_token",
    (_draft, { credential: of }) => of('accessToken', 'other'),
    'auth/token-of-partner',
  ),
];

/** Ways in which a request is wrong in one thing, besides its signature. */
export const WRONG_ROWS: readonly Row[] = [
  ...NOSTR,
  ...TIME,
  ...BODY,
  ...CREDENTIALS,
  ...AUTHORIZATION,
  ...PARAMETERS,
  ...TOKENS,
];
