import { expect, it } from 'vitest';
import type { CheckContext } from '../../../../src/conformance/service/contract/check.ts';
import type { TokenAnswer } from '../../../../src/conformance/service/contract/messages.ts';
import { estimateProbes } from '../../../../src/conformance/service/gaps/estimate.ts';
import type { GapProbe } from '../../../../src/conformance/service/gaps/probe.ts';
import { tokenLifeProbes } from '../../../../src/conformance/service/gaps/token-life.ts';

/** Status of an answer, and the scope that it names. */
type Told = number | { readonly scope: string };

const SECOND_MS = 1000;

/** A target that answers as it is told, 200 beyond that, a second after each request. */
class Scripted {
  /** Requests in order: a kind, and the token, code or scope that it is sent with. */
  readonly sent: string[] = [];
  readonly met: string[] = [];
  readonly #told: readonly Told[];

  constructor(told: readonly Told[]) {
    this.#told = told;
  }

  async look({ look }: GapProbe) {
    return look(this as unknown as CheckContext, (condition, { status }) =>
      this.met.push(`${condition} ${status}`),
    );
  }

  #answer(request: string): Promise<TokenAnswer> {
    const at = this.sent.push(request) - 1;
    const told = this.#told[at] ?? 200;
    const status = typeof told === 'number' ? told : 200;
    return Promise.resolve({
      exchange: `${at}`,
      status,
      headers: {},
      body: '',
      truncated: false,
      json: typeof told === 'number' ? {} : told,
      outcome: status === 200 ? 'accepted' : 'refused',
      failure: '',
      sentAtMs: at * SECOND_MS,
      answeredAtMs: (at + 1) * SECOND_MS,
      accessToken: `access-${at}`,
      refreshToken: `refresh-${at}`,
      expiresInSeconds: 3600,
    });
  }

  token = ({ fields }: { fields: string }) => this.#answer(fields);
  estimate = ({ accessToken = 'access' }) => this.#answer(`estimate ${accessToken}`);
  sendEstimate = (accessToken: string, _purpose: string, as = 'platform') =>
    this.#answer(`${as} estimate ${accessToken}`);
  sendRefresh = (refreshToken: string) => this.#answer(`refresh ${refreshToken}`);
  issued = () => this.#answer('platform');
  refreshable = () => this.#answer('platform');
  authCode = (user = 'user') => Promise.resolve(`code-of-${user}`);
  exchange = (code: string) => `exchange ${code}`;
  platform = ({ scope = '' } = {}) => `platform ${scope}`.trim();
  refresh = (token: string, { scope = '' } = {}) => `refresh ${token} ${scope}`.trim();
  query = () => ({});
}

const BOTH = { scope: 'public rides.read' };
const PUBLIC = { scope: 'public' };

it.each<[string, readonly Told[], object, string]>([
  ['kept, widened', [200, BOTH, BOTH], { unnamed: 'kept', wider: 'granted' }, 'refresh-1'],
  ['lost, widened', [200, BOTH, PUBLIC], { unnamed: 'public', wider: 'granted' }, 'refresh-1'],
  ['kept, not widened', [200, PUBLIC, BOTH, BOTH], { unnamed: 'kept', wider: 'kept' }, 'refresh-2'],
  ['kept, refused', [200, 400, BOTH, BOTH], { unnamed: 'kept', wider: 'refused' }, 'refresh-2'],
])('a scope at a refresh: %s', async (_, told, value, refreshed) => {
  const target = new Scripted(told);
  const found = await target.look(tokenLifeProbes['refresh-scope']);
  expect(found).toMatchObject({ value, exchanges: ['1', `${told.length - 1}`] });
  expect(target.sent.slice(0, 2)).toEqual(['platform', 'refresh refresh-0 public rides.read']);
  expect(target.sent.at(-1)).toBe(`refresh ${refreshed}`);
});

it('a scope at a refresh is not observed without a token of a wide one', async () => {
  await expect(
    new Scripted([200, 400, PUBLIC]).look(tokenLifeProbes['refresh-scope']),
  ).rejects.toThrow('has not that scope');
});

it.each<[readonly Told[], object, readonly string[]]>([
  [[200, 200], { value: 'accepted', exchanges: ['1'] }, []],
  [[200, 400], { value: 'refused', exchanges: ['1', '2'] }, ['auth-code-invalid 400']],
  [
    [200, 401, 403],
    { words: expect.stringContaining('401, and the token of the first exchange ends') },
    ['auth-code-invalid 401'],
  ],
])('an auth code that is used twice: %j', async (told, found, met) => {
  const target = new Scripted(told);
  expect(await target.look(tokenLifeProbes['auth-code-reuse'])).toMatchObject(found);
  // The condition of a request that was accepted is not taken.
  expect(target.met.filter((one) => !one.endsWith('200'))).toEqual(met);
  expect(target.sent.slice(0, 2)).toEqual(['exchange code-of-user', 'exchange code-of-user']);
  expect(target.sent[2]).toBe(told[1] === 200 ? undefined : 'user estimate access-0');
});

it.each([
  [[], 'valid'],
  [[200, 200, 200, 401], 'ended'],
])('a platform token after its refresh: %j', async (told, value) => {
  const target = new Scripted(told);
  const found = await target.look(tokenLifeProbes['platform-token-after-refresh']);
  expect(found).toMatchObject({ value, exchanges: ['3', '4'] });
  expect(target.sent).toEqual([
    'platform',
    'platform estimate access-0',
    'refresh refresh-0',
    'platform estimate access-0',
    'platform estimate access-2',
  ]);
});

it.each([
  [[], 'user'],
  [[200, 200, 200, 401], 'partner'],
])('the newest token of another user: %j', async (told, value) => {
  const target = new Scripted(told);
  const found = await target.look(tokenLifeProbes['newest-user-token-reach']);
  expect(found).toMatchObject({ value, exchanges: ['3', '4'] });
  expect(target.sent).toEqual([
    'exchange code-of-user-1',
    'user estimate access-0',
    'exchange code-of-user-2',
    'user estimate access-0',
    'user estimate access-2',
  ]);
});

it('the rate of estimates is what a burst and the seconds after it had', async () => {
  const free = new Scripted([]);
  expect(await free.look(estimateProbes['estimate-rate-limit'])).toEqual({
    value: 'none',
    words: 'no limit met by 30 estimates within 30 s',
    exchanges: ['1', '30'],
  });
  expect(free.met).toEqual([]);
  const passed = 23;
  const limited = new Scripted([...Array<Told>(passed + 1).fill(200), 429]);
  expect(await limited.look(estimateProbes['estimate-rate-limit'])).toEqual({
    value: { perSecond: 1 },
    words: 'about 1 a second, then status 429',
    exchanges: [`${passed}`, `${passed + 1}`],
  });
  expect(limited.met).toEqual(['rate-limited 429']);
});
