import { describe, expect, it } from 'vitest';
import { judgeControlled, judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import type { OddStyle } from '../../../independent-service/odd/odd-style.ts';
import { styleWith } from '../../../independent-service/odd-styles.ts';
import { STYLES } from '../../../independent-service/style.ts';

const [plain] = STYLES;
const SILENT = { errorBody: 'none' } as const;

const fallen = async (mode: string, style: OddStyle, rule: string): Promise<string[]> => {
  const only = { only: [rule] };
  const six = Array.from({ length: 6 }, () => 'general' as const);
  const result =
    mode === 'control'
      ? await judgeControlled(style, [], only)
      : (await judgeMetered(style, [], six, only)).result;
  return withVerdict(result, 'fail', 'warn');
};

describe('the signature is not blamed for a value that is refused for itself', {
  timeout: 120_000,
}, () => {
  it.each([
    ['refuses text beyond ASCII in a token request', 'signature/utf8'],
    ['refuses spaces around a value', 'signature/trimmed'],
    ['refuses ampersands', 'signature/ampersands-stripped'],
    ['refuses capitals in names', 'signature/key-order'],
    ['refuses more than eight fields', 'signature/array-json'],
  ])('%s: %s', { tags: ['long'] }, async (name, rule) => {
    expect(await fallen('control', styleWith([name]), rule)).toEqual([]);
    expect(await fallen('metered', styleWith([name]), rule)).toEqual([]);
  });

  it('nor for a request that is too long, and accepted as a part of it signed by the rules', {
    tags: ['long'],
  }, async () => {
    const six = Array.from({ length: 6 }, () => 'general' as const);
    const style = styleWith(['limits bodies to 512 bytes']);
    const { result } = await judgeMetered(style, [], six);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  });

  it('nor where all refusals look the same', { tags: ['long'] }, async () => {
    const style = { ...styleWith(['refuses text beyond ASCII in a token request']), ...SILENT };
    expect(await fallen('control', style, 'signature/utf8')).toEqual([]);
    expect(await fallen('metered', style, 'signature/utf8')).toEqual([]);
  });
});

describe('the target is not blamed', () => {
  it.each([
    ['metered', 'has a clock 20 s ahead, and no Date', 'token/timestamp-fresh'],
    ['metered', 'has a clock 20 s behind, and no Date', 'token/timestamp-expired'],
    ['metered', 'alternates between two prices', 'estimate/map-type-optional'],
    ['control', 'signs query values as they are spelled', 'estimate/non-ascii-names'],
    ['control', 'limits tokens to 4 per second and partner with 403', 'quota/platform-allows-10'],
    ['control', 'limits tokens to 4 per second and partner with 403', 'quota/counters-independent'],
    ['control', 'limits tokens to 8 per minute and partner with 403', 'quota/*'],
    ['control', 'limits tokens to 12 per minute and partner with 401', 'quota/*'],
    [
      'control',
      'limits estimates to 8 per second and partner with 403',
      'lifecycle/platform-tokens-coexist',
    ],
    ['control', 'has no car at times', 'estimate/private-car'],
    ['metered', 'has a car in one answer of four', 'estimate/express-car'],
    ['control', 'answers a request that comes twice as before', 'lifecycle/refresh-single-use'],
    ['control', 'keeps the price of a query for ten minutes', 'estimate/map-type-optional'],
    ['metered', 'keeps the price of a query for ten minutes', 'estimate/departure-time'],
  ])('%s: %s (%s)', { tags: ['long'] }, async (mode, name, rule) => {
    expect(await fallen(mode, styleWith([name]), rule)).toEqual([]);
  });

  it('and is judged where it wants a User-Agent', async () => {
    const only = ['estimate/platform'];
    const { result } = await judgeMetered(styleWith(['wants a User-Agent']), [], ['general'], {
      only,
    });
    expect(withVerdict(result, 'pass')).toEqual(only);
  });

  it('for a refusal that does not come again', async () => {
    let refused = 0;
    const isOld = ({ _: time }: Readonly<Record<string, unknown>>, nowMs: number): boolean =>
      nowMs - Date.parse(String(time)) > 500_000;
    const style: OddStyle = {
      ...plain!,
      oddities: {
        refuses: (r) =>
          r.endpoint === 'token' &&
          isOld(r.fields, r.service.now()) &&
          refused++ === 0 &&
          'overload',
      },
    };
    expect(await fallen('metered', style, 'token/timestamp-fresh')).toEqual([]);
    expect(refused).toBe(2);
  });
});

describe('a rule is not accused for another that is broken', () => {
  it.each([
    ['token/response-refresh-token#refresh', 'quota/refresh-allows-10'],
    ['token/grant-refresh-token#user-refresh', 'quota/counters-independent'],
    ['token/grant-refresh-token#second-refresh', 'quota/refresh-allows-10'],
    ['signature/utf8#utf-16', 'estimate/non-ascii-names'],
    ['signature/valid-accepted#leading-zeros-dropped', 'token/nostr-alphabet'],
    ['record/amounts-plausible#minus-one', 'lock/default-10-minutes'],
  ])('%s: %s', async (form, rule) => {
    const result = await judgeControlled(plain!, [form], { only: [rule] });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  });
});

// By all rules: what others send shows that no rate limit refused.
it('a lock-out after refusals is not taken for a ban', { tags: ['long'] }, async () => {
  const result = await judgeControlled(styleWith(['locks a partner out after 3 refusals']), []);
  expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
});
