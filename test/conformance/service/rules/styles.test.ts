import { describe, expect, it } from 'vitest';
import { SERVICE_RULES } from '../../../../src/interface/catalogue.ts';
import { judgeControlled, judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';

const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

describe.each(STYLES)('a conforming service in the style $name', (style) => {
  it('breaks no rule, and is judged completely, with a control API', {
    timeout: 120_000,
  }, async () => {
    const result = await judgeControlled(style, []);
    const fallen = result.rules.filter(({ verdict }) =>
      ['fail', 'warn', 'inconclusive'].includes(verdict),
    );
    expect(fallen.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    expect(result.rules.map(({ id }) => id)).toEqual(SERVICE_RULES.map(({ id }) => id));
  });

  it('breaks no rule, and bans nobody, with six metered partners', {
    timeout: 120_000,
  }, async () => {
    const { result, service } = await judgeMetered(style, [], SIX);
    const fallen = result.rules.filter(({ verdict }) =>
      ['fail', 'warn', 'inconclusive'].includes(verdict),
    );
    expect(fallen.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    expect(service.bans).toEqual([]);
    expect(withVerdict(result, 'pass').length).toBeGreaterThanOrEqual(80);
  });
});

describe('a conforming service that writes 100 Continue before each answer, unasked', () => {
  const style = { ...STYLES[0]!, continuesUnasked: true };

  it('is judged completely', { timeout: 120_000 }, async () => {
    const result = await judgeControlled(style, []);
    expect(result.summary).toMatchObject({ fail: 0, warn: 0, inconclusive: 0, untestable: 0 });
  });

  it('gets each token request once', { timeout: 120_000 }, async () => {
    const { result, service } = await judgeMetered(style, [], SIX);
    expect(withVerdict(result, 'fail', 'warn', 'inconclusive')).toEqual([]);
    const sent = result.exchanges.filter(({ request }) => request.method === 'POST');
    expect(service.bodies).toHaveLength(sent.length);
    expect(service.bans).toEqual([]);
  });
});
