import { type Apply, between, type On, pick, type Row, type Surroundings } from './row.ts';
import { FORMS } from './texts.ts';

const wrong = (on: On, rule: string, name: string, apply: Apply): Row => ({
  name,
  on,
  is: 'wrong',
  rule,
  apply,
});

const NOSTR: readonly Row[] = [
  wrong(
    'token',
    'token/nostr-length',
    'with a nostr of another length',
    ({ fields }, { random }) => {
      const length = between(1, 63, random);
      fields['nostr'] = random.text(length < 6 ? length : length + 1);
    },
  ),
  wrong(
    'token',
    'token/nostr-length',
    'with a nostr of 6 letters, some of them spaces apart',
    ({ fields }, { random }) => {
      fields['nostr'] = `${random.text(3)} ${random.text(3)}`;
    },
  ),
];

const DAY_S = 86_400;

/** Ages beyond the limit at which readers are wrong, s. */
const OLD = [612, 615, 625, 650, 660, 700, 890, 3_900, 43_500, DAY_S + 300, 2 * DAY_S] as const;
const VERY_OLD = [7 * DAY_S, 30 * DAY_S, 365 * DAY_S + 300, 4_294_967 + 300, 20_000 * DAY_S];

const EXPIRED: readonly Row[] = [undefined, ...FORMS].map((form) =>
  wrong(
    'token',
    'token/timestamp-expired',
    `with an expired _${form === undefined ? '' : ` ${form}`}`,
    ({ fields }, around) => {
      const { random, facts } = around;
      const ageS = pick(random.next() < 0.7 ? OLD : VERY_OLD, random);
      fields['_'] = around.timestamp(ageS, form);
      return facts.environment !== 'test';
    },
  ),
);

/** Words that some stores take for any credential. */
const ANY = ['undefined', 'null', '%', '*', 'true'];

/** A credential of the walk; null if there is none. */
type Found = (around: Surroundings) => string | null | Promise<string | null>;

/** Credentials that are right elsewhere or look so, in words, and the rule that an estimate with them breaks. */
const ELSEWHERE: readonly (readonly [what: string, find: Found, rule?: string])[] = [
  [
    "another partner's access_token",
    ({ credential }) => credential('accessToken', 'other'),
    'auth/token-of-partner',
  ],
  ["another partner's refresh_token", ({ credential }) => credential('refreshToken', 'other')],
  [
    "another partner's auth_code",
    async (around) => (await around.otherPartner())?.authCode() ?? null,
  ],
  ['a word', ({ random }) => pick(ANY, random)],
];

const inField =
  (field: string, find: Found): Apply =>
  async (draft, around) => {
    const found = await find(around);
    draft.fields[field] = found;
    return found !== null;
  };

const CREDENTIALS: readonly Row[] = [
  ...ELSEWHERE.flatMap(([what, find, rule = 'auth/unknown-token']) => [
    wrong(
      'refresh',
      'token/refresh-token-unknown',
      `with ${what} as refresh_token`,
      inField('refresh_token', find),
    ),
    wrong(
      'user',
      'token/auth-code-unknown',
      `with ${what} as auth_code`,
      inField('auth_code', find),
    ),
    wrong('estimate', rule, `with ${what} as access_token`, async (draft, around) => {
      draft.accessToken = (await find(around)) ?? '';
      return draft.accessToken !== '';
    }),
  ]),
  wrong(
    'refresh',
    'token/refresh-token-unknown',
    'with an auth_code as refresh_token',
    inField('refresh_token', (around) => around.authCode()),
  ),
  wrong(
    'estimate',
    'auth/token-of-partner',
    "with another partner's id",
    async ({ parts }, around) => {
      const other = await around.otherPartner();
      Object.assign(parts, { partnerId: other?.id, signingKey: other?.signingKey });
      return other !== null;
    },
  ),
];

/** Ways in which a request is wrong in one thing that no check of refusals has, besides its signature. */
export const WRONG_ROWS: readonly Row[] = [...NOSTR, ...EXPIRED, ...CREDENTIALS];
