import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceResult } from '../../../../src/conformance/index.ts';
import type { Form } from '../../../independent-service/form.ts';
import { judgeControlled, judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { MeteredRun } from '../../../independent-service/metered-run.ts';
import type { OddStyle } from '../../../independent-service/odd/odd-style.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { partName } from '../part-name.ts';
import { expectSameAgain } from '../recheck/same-again.ts';

const ONE = ['general'] as const;
const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

const SHOWN = [
  'signature/key-order',
  'signature/empty-skipped',
  'signature/zero-kept',
  'signature/trimmed',
  'signature/array-json',
  'signature/utf8',
  'signature/ampersands-stripped',
];

const REFUSED = [
  'signature/invalid-refused',
  'signature/wrong-key-refused',
  'signature/covers-fields',
  'auth/user-signature',
];

const styleWith = (oddities: Form): OddStyle => ({ ...STYLES[0]!, oddities });

const SOUND = styleWith({});
const CHECKS_NOTHING = styleWith({ signs: () => true });
const CHECKS_TOKENS_ONLY = styleWith({ signs: (r) => r.asUser });
const CHECKS_ESTIMATES_ONLY = styleWith({ signs: (r) => r.endpoint === 'token' });

/** Judges a service by some rules, with a control API and with metered partners. */
async function judgeBoth(
  style: OddStyle,
  only: readonly string[],
  uses: Parameters<typeof judgeMetered>[2] = ONE,
): Promise<ServiceResult[]> {
  const { result } = await judgeMetered(style, [], uses, { only });
  return [await judgeControlled(style, [], { only }), result];
}

const reasonOf = ({ rules }: ServiceResult, id: string): string =>
  rules.find((rule) => rule.id === id)?.reason ?? '';

describe('an acceptance that shows how a signature is made', () => {
  it('proves it on a service that refuses wrong ones, also of a single rule', async () => {
    for (const result of await judgeBoth(SOUND, ['signature/key-order'])) {
      expect(result.verdict).toBe('conformant');
      expect(withVerdict(result, 'pass')).toEqual(['signature/key-order']);
      await expectSameAgain(result);
    }
  });

  it.each(SHOWN)('proves nothing of %s where none is checked', async (rule) => {
    for (const result of await judgeBoth(CHECKS_NOTHING, [rule])) {
      expect([result.verdict, withVerdict(result, 'inconclusive')]).toEqual(['incomplete', [rule]]);
      expect(reasonOf(result, rule)).toContain(
        'whether the target checks the signature of a token request is not verified',
      );
      await expectSameAgain(result);
    }
  });

  it('leaves those rules open beside the rules that such a service breaks', {
    tags: ['long'],
  }, async () => {
    for (const result of await judgeBoth(CHECKS_NOTHING, [...SHOWN, ...REFUSED], SIX)) {
      expect(withVerdict(result, 'inconclusive')).toEqual(SHOWN);
      expect(withVerdict(result, 'fail')).toEqual(REFUSED);
    }
  });

  it("is none of a user's estimate where only token requests are checked", async () => {
    const only = ['signature/trimmed'];
    // Then no token request can carry what shows the rule.
    const tokenFields = ['grant_type', 'nostr', '_'];
    const [sound, open] = [
      await judgeControlled({ ...SOUND, tokenFields }, [], { only }),
      await judgeControlled({ ...CHECKS_TOKENS_ONLY, tokenFields }, [], { only }),
    ];
    expect(withVerdict(sound, 'pass')).toEqual(only);
    expect(withVerdict(open, 'inconclusive')).toEqual(only);
    expect(reasonOf(open, 'signature/trimmed')).toContain("of a user's estimate is not verified");
    for (const result of [sound, open]) await expectSameAgain(result);
  });

  it('counts for the kind of request that is checked', { tags: ['long'] }, async () => {
    const only = ['signature/trimmed'];
    const ofTokens = await judgeControlled(CHECKS_TOKENS_ONLY, [], { only });
    expect(withVerdict(ofTokens, 'pass')).toEqual(only);
    expect(reasonOf(ofTokens, 'signature/trimmed')).toContain(
      'not determined on a user estimate: accepted',
    );
    const ofEstimates = await judgeControlled(CHECKS_ESTIMATES_ONLY, [], { only });
    expect(withVerdict(ofEstimates, 'pass')).toEqual(only);
    expect(reasonOf(ofEstimates, 'signature/trimmed')).toMatch(
      /^accepted.*? \(seen with: a user estimate\)/,
    );
  });

  it.each([
    ['pass', SOUND],
    ['inconclusive', CHECKS_NOTHING],
  ] as const)(
    'is judged by a resumed run, whose first part has not sent the wrong one: %s',
    async (verdict, style) => {
      const only = ['signature/key-order'];
      const run = new MeteredRun(style, [], ONE, { only });
      await run.service.start();
      onTestFinished(() => run.service.stop());
      const interruption = new AbortController();
      // The opening requests of both kinds, and the one that shows the order.
      run.service.onRequest = () => run.service.bodies.length === 3 && interruption.abort();
      const first = await run.judge('start', { signal: interruption.signal });
      expect(first.exchanges.map(partName)).toContain('signature/key-order#1');
      expect(withVerdict(first, 'inconclusive')).toEqual(only);
      run.service.onRequest = () => undefined;
      const resumed = await run.judge('resume');
      expect(withVerdict(resumed, verdict)).toEqual(only);
      await expectSameAgain(resumed);
    },
  );
});
