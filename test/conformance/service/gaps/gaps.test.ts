import { describe, expect, it } from 'vitest';
import { checkService, FULL_SUITE } from '../../../../src/conformance/index.ts';
import { judgeControlled, RUN, targetOf } from '../../../independent-service/judge.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { settingOf, wordsOf } from './observed.ts';

/** Suite that asks for all rules, and so for probes, but leaves the areas that send the most out. */
const MOSTLY_PROBES = {
  ...FULL_SUITE,
  rules: { include: ['*'], exclude: ['lifecycle/*', 'quota/*', 'signature/*', 'token/*'] },
};

describe('limits of probes', () => {
  const [plain] = STYLES;

  it('a day in another time zone is found, and described', {
    tags: ['long'],
  }, async () => {
    const { gaps } = await judgeControlled({ ...plain!, day: 5.5 }, [], {
      suite: MOSTLY_PROBES,
    });
    expect(wordsOf(gaps, 'day-boundary')).toBe('it ends at 18:30 UTC, midnight of UTC+05:30');
    expect(settingOf(gaps, 'day-boundary')).toBeUndefined();
  });

  it.each([
    ['all forms but the basic one', {}, 'accepted, read as UTC; refused too: the basic format'],
    [
      'Z or +08:00 only',
      { timeForm: /(Z|\+08:00)$/ },
      'refused with status 400; refused too: the offset -05:00, the offset +05:30, the basic format',
    ],
  ])('a target that takes %s is described', { tags: ['long'] }, async (_what, more, words) => {
    const { gaps } = await judgeControlled({ ...plain!, ...more }, [], { suite: MOSTLY_PROBES });
    expect(wordsOf(gaps, 'timestamp-without-offset')).toBe(words);
  });

  it('broken rules have the same verdict as without probes', { tags: ['long'] }, async () => {
    const broken = ['lifecycle/platform-tokens-coexist', 'record/jump-url'];
    const { rules } = await judgeControlled(plain!, broken);
    const fallen = rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
    expect(fallen.map(({ id }) => id).toSorted()).toEqual(broken);
  });

  it('a run of a few rules sends no probe, but observes gaps in its own traffic', async () => {
    const { exchanges, gaps } = await judgeControlled(plain!, [], { only: ['token/nostr-*'] });
    expect(exchanges.filter(({ part }) => part?.check?.startsWith('gap/'))).toEqual([]);
    expect(settingOf(gaps, 'error-status')).toEqual({ 'field-invalid': 400, 'field-missing': 400 });
  });

  it('a run of verdicts only sends no probe either', { tags: ['long'] }, async () => {
    const { exchanges } = await judgeControlled(plain!, [], {
      suite: MOSTLY_PROBES,
      probesGaps: false,
    });
    expect(exchanges.filter(({ part }) => part?.check?.startsWith('gap/'))).toEqual([]);
  });

  it('a target that goes away during probes keeps its verdicts', {
    tags: ['long'],
  }, async () => {
    let unknownPaths = 0;
    // Ten are a rule's, one for each header, shape and way to get a token; the next is a probe's.
    const refusal = (why: string): number => {
      if (why === 'path' && ++unknownPaths === 11) void service.stop();
      return 400;
    };
    const service = await new OutsideService({ ...plain!, refusal }, []).start();
    const { rules, gaps } = await checkService({
      ...RUN,
      clock: service.clock,
      target: targetOf(service, true),
      suite: MOSTLY_PROBES,
    });
    const fallen = rules.filter(({ verdict }) =>
      ['fail', 'warn', 'inconclusive'].includes(verdict),
    );
    expect(fallen.map(({ id }) => id)).toEqual([]);
    expect(gaps.some(({ note }) => note !== undefined)).toBe(true);
  });
});
