import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkService, suiteSchema } from '../../src/conformance/index.ts';
import { selectRules } from '../../src/conformance/suite.ts';
import { SERVICE_RULES } from '../../src/interface/catalogue.ts';
import {
  judgeControlled,
  judgeMetered,
  RUN,
  targetOf,
  withVerdict,
} from '../independent-service/judge.ts';
import { OutsideService } from '../independent-service/service.ts';
import { STYLES } from '../independent-service/style.ts';

const ids = SERVICE_RULES.map(({ id }) => id);
const suite = (name: string) =>
  suiteSchema.parse(
    parse(readFileSync(new URL(`../../suites/service/${name}.yaml`, import.meta.url), 'utf8')),
  );

describe('suites', () => {
  it('full and certification select every rule', () => {
    for (const name of ['full', 'certification']) {
      expect(selectRules(ids, suite(name), []).size).toBe(ids.length);
    }
    expect(suite('certification')).toMatchObject({ requireComplete: true, environment: 'own' });
  });

  it('a glob that matches nothing is refused', () => {
    expect(() => selectRules(ids, suite('full'), ['tokn/*'])).toThrow(
      expect.objectContaining({ code: 'RULE_UNKNOWN' }),
    );
  });

  it('an unknown field is refused', () => {
    expect(suiteSchema.safeParse({ name: 'x', rulez: {} }).success).toBe(false);
  });

  it.each(STYLES)(
    'smoke takes six token requests at most and passes ($name)',
    { tags: ['long'] },
    async (style) => {
      for (const result of [
        await judgeControlled(style, [], { suite: suite('smoke') }),
        (await judgeMetered(style, [], ['general'], { suite: suite('smoke') })).result,
      ]) {
        const posts = result.exchanges.filter(({ request }) =>
          request.url.endsWith('/v1/oauth/token'),
        );
        expect(posts.length).toBeLessThanOrEqual(6);
        expect(withVerdict(result, 'fail', 'warn', 'inconclusive', 'untestable')).toEqual([]);
        expect(result.summary.pass).toBeGreaterThan(30);
      }
    },
  );

  it('no-token-spend judges estimates with the token of the profile, and requests none', async () => {
    const service = await new OutsideService(STYLES[0]!, []).start();
    const partner = service.addPartner('p');
    const scope = 'public';
    service.tokens.set('held-token', {
      text: 'held-token',
      partner,
      user: null,
      scope,
      issued: 0,
      expires: Infinity,
      generation: 0,
      endedAt: null,
      usedAt: null,
      uses: 0,
    });
    const held = { accessToken: 'held-token', authCodes: [], use: 'general' as const };
    const partners = [{ id: 'p', signingKey: partner.key, ...held }];
    const target = targetOf(service, false, partners);
    const result = await checkService({
      ...RUN,
      clock: service.clock,
      target,
      suite: suite('no-token-spend'),
    });
    await service.stop();
    const posts = result.exchanges.filter(({ request }) => request.method === 'POST');
    expect(posts).toEqual([]);
    expect(withVerdict(result, 'fail', 'warn', 'inconclusive', 'untestable')).toEqual([]);
    expect(result.summary.pass).toBeGreaterThan(30);
    expect(JSON.stringify(result)).not.toContain('held-token');
  });
});
