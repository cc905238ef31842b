import type { Judgement } from '../../../verdict.ts';
import { swapCase } from '../../contract/altered-text.ts';
import { type Check, type CheckContext, standalone } from '../../contract/check.ts';
import { judgeRefusals } from '../../contract/judge.ts';
import type {
  Answer,
  EstimateAnswer,
  EstimateAttempt,
  Fields,
  TokenAttempt,
} from '../../contract/messages.ts';
import { issueMany } from './survey.ts';

type Request = Partial<TokenAttempt> & { readonly fields: Fields };

/** A request that must be refused: its rule, what is wrong with it, and how it differs from a right one. */
type Negative<Made> = readonly [
  rule: string,
  wrong: string,
  make: (right: Fields, ctx: CheckContext) => Made,
];

const changed =
  (changes: (right: Fields, ctx: CheckContext) => Fields): Negative<Request>[2] =>
  (right, ctx) => ({ fields: { ...right, ...changes(right, ctx) } });

const without =
  (name: string): Negative<Request>[2] =>
  ({ [name]: _left, ...fields }) => ({ fields });

/** By grant; of each no more than a service permits that counts what it refuses. */
const PLATFORM: readonly Negative<Request>[] = [
  [
    'signature/invalid-refused',
    'a random signature',
    (fields, { random }) => ({ fields, signature: random.hex(32) }),
  ],
  [
    'signature/wrong-key-refused',
    'a signature made with the empty key',
    (fields) => ({ fields, signingKey: '' }),
  ],
  [
    'signature/covers-fields',
    'nostr altered after signing',
    (fields, { random }) => ({ fields, signed: { ...fields, nostr: random.nostr() } }),
  ],
  [
    'token/json-body',
    'JSON with a letter after it',
    (fields) => ({ fields, body: `${JSON.stringify(fields)}x` }),
  ],
  ['token/timestamp-required', 'no _', without('_')],
  [
    'token/nostr-length',
    'a nostr of 5 characters',
    changed((_one, { random }) => ({ nostr: random.nostr(5) })),
  ],
  [
    'token/authorization-shape',
    'Authorization with the scheme Basic',
    (fields) => ({ fields, authorization: (id, signature) => `Basic ${id}|${signature}` }),
  ],
];
const REFRESH: readonly Negative<Request>[] = [
  [
    'token/timestamp-expired',
    'a _ that is an hour old',
    changed((_one, ctx) => ({ _: ctx.timestamp(3_600) })),
  ],
  ['token/timestamp-iso8601', 'the text now for _', changed(() => ({ _: 'now' }))],
  ['token/nostr-required', 'no nostr', without('nostr')],
  [
    'token/nostr-alphabet',
    'a nostr with a hyphen',
    changed((_one, { random }) => ({ nostr: `${random.nostr(5)}-` })),
  ],
  [
    'token/nostr-case',
    'a nostr whose letters changed their case after signing',
    (fields) => ({ fields, signed: { ...fields, nostr: swapCase(String(fields['nostr'])) } }),
  ],
  ['token/refresh-token-required', 'no refresh_token', without('refresh_token')],
  [
    'token/refresh-token-unknown',
    'a refresh_token that was never issued',
    changed((_one, { random }) => ({ refresh_token: `never-issued-${random.text(12)}` })),
  ],
  [
    'token/authorization-required',
    'no Authorization',
    (fields) => ({ fields, authorization: null }),
  ],
];
const USER: readonly Negative<Request>[] = [
  [
    'token/grant-type-known',
    'the grant_type password',
    changed(() => ({ grant_type: 'password' })),
  ],
  [
    'token/auth-code-unknown',
    'an auth_code that was never issued',
    changed((_one, { random }) => ({ auth_code: `never-issued-${random.text(12)}` })),
  ],
  ['token/auth-code-required', 'no auth_code', without('auth_code')],
];

const ESTIMATE: readonly Negative<Partial<EstimateAttempt>>[] = [
  ['auth/authorization-required', 'no Authorization', () => ({ authorization: null })],
  [
    'auth/unknown-token',
    'an access token that was never issued',
    (_query, { random }) => ({ accessToken: `never-issued-${random.text(16)}` }),
  ],
  [
    'auth/user-signature',
    'a random signature',
    (_query, { random }) => ({ signature: random.hex(32) }),
  ],
  [
    'estimate/required-parameters',
    'no to_name',
    (_query, ctx) => ({ query: ctx.query({ to_name: undefined }) }),
  ],
  [
    'estimate/coordinates-numeric',
    'end_lng abc',
    (_query, ctx) => ({ query: ctx.query({ end_lng: 'abc' }) }),
  ],
  [
    'estimate/coordinates-range',
    'start_lat 91',
    (_query, ctx) => ({ query: ctx.query({ start_lat: '91' }) }),
  ],
];

/** Time after which another day's allowances hold, however a service counts days. */
const NEXT_DAY_MS = 25 * 3_600_000;

const OF_TIME = /^token\/timestamp-(iso8601|expired)$/;

/** A partner that had already sent many requests: what is refused of a new partner is refused of it too. */
export const longLife: Check = {
  id: 'token/long-life',
  rules: [...PLATFORM, ...REFRESH, ...USER, ...ESTIMATE].map(([rule]) => rule),
  places: [standalone('a partner that had already sent many requests')],
  needs: { control: true },
  priority: { stage: 'further', rank: 1 },
  effect: 'waits',
  parts: ({ metered }) => (metered ? [] : [longLife]),
  run: async (ctx) => {
    await issueMany(ctx);
    const other = await ctx.otherPartner();
    const foreign = await other?.refreshable("another partner's token");
    await ctx.reach(ctx.now() + NEXT_DAY_MS);
    const expired: readonly Negative<Request>[] = foreign
      ? [
          [
            'token/refresh-token-unknown',
            "another partner's refresh_token, whose access_token has expired",
            changed(() => ({ refresh_token: foreign.refreshToken })),
          ],
        ]
      : [];
    const judgements: Record<string, Judgement> = {};
    const isAsked = ([rule]: readonly [string, ...unknown[]]): boolean =>
      !(ctx.facts.environment === 'test' && OF_TIME.test(rule));
    const judge = async <Made>(
      all: readonly Negative<Made>[],
      right: () => Fields,
      send: (made: Made, purpose: string) => Promise<Answer>,
      compare: () => Promise<Answer>,
    ): Promise<void> => {
      const found = new Map<string, { readonly wrong: string; readonly answer: Answer }[]>();
      for (const [rule, wrong, make] of all.filter(isAsked)) {
        const answer = await send(make(right(), ctx), `negative: ${wrong}`);
        found.set(rule, [...(found.get(rule) ?? []), { wrong, answer }]);
      }
      if (found.size === 0) return;
      const closing = await compare();
      for (const [rule, some] of found)
        judgements[rule] = judgeRefusals(some, { opening: null, closing });
    };
    const sendToken = (made: Request, purpose: string): Promise<Answer> =>
      ctx.token({ ...made, purpose, expects: 'refused' });
    const issued = await ctx.refreshable('a token of another day');
    await judge(
      PLATFORM,
      () => ctx.platform(),
      sendToken,
      async () => issued,
    );
    await judge(
      [...REFRESH, ...expired],
      () => ctx.refresh(issued.refreshToken),
      sendToken,
      () => ctx.sendRefresh(issued.refreshToken, 'baseline: a refresh'),
    );
    const [code, spare] = [await ctx.authCode(), await ctx.authCode()];
    const exchange = await ctx.token({
      purpose: 'baseline: an exchange',
      fields: ctx.exchange(code),
      wellFormed: true,
    });
    await judge(
      USER,
      () => ctx.exchange(spare),
      sendToken,
      async () => exchange,
    );
    const accessToken = exchange.accessToken ?? '';
    // A service may trust the connection of a right request.
    const connection = `${longLife.id} ${ctx.id}`;
    const estimate = (more: Partial<EstimateAttempt>, purpose: string): Promise<EstimateAnswer> =>
      ctx.estimate({ query: ctx.query(), accessToken, as: 'user', connection, ...more, purpose });
    const sendRight = () => estimate({ wellFormed: true }, 'baseline: an estimate');
    await sendRight();
    await judge(
      ESTIMATE,
      () => ctx.query(),
      (made, purpose) => estimate({ ...made, expects: 'refused' }, purpose),
      sendRight,
    );
    return judgements;
  },
};
