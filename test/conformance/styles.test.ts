import { describe, expect, it } from 'vitest';
import { SERVICE_RULES } from '../../src/interface/catalogue-service.ts';
import { judgeControlled, judgeMetered, withVerdict } from './services/judge.ts';
import { STYLES } from './services/style.ts';

const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

describe.each(STYLES)('a conforming service in the style $name', (style) => {
  it('is accused of nothing, and judged whole, with a control API', {
    timeout: 120_000,
  }, async () => {
    const result = await judgeControlled(style, []);
    const fallen = result.rules.filter(({ verdict }) =>
      ['fail', 'warn', 'inconclusive'].includes(verdict),
    );
    expect(fallen.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    expect(result.rules.map(({ id }) => id)).toEqual(SERVICE_RULES.map(({ id }) => id));
  });

  it('is accused of nothing, and banned nowhere, by six metered partners', {
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
