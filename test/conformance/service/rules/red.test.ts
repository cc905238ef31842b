import { describe, expect, it } from 'vitest';
import { SERVICE_RULES } from '../../../../src/interface/catalogue.ts';
import { judgeControlled, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { saidTwice } from '../../said-twice.ts';
import { expectSameAgain } from '../recheck/same-again.ts';
import { NEVER_IN_REASONS, WORDS_OF_REASONS } from './words-of-reasons.ts';

/** Rules that a service which signs only named fields leaves untestable. */
const NEED_ALL_FIELDS = /^signature\/(zero-kept|trimmed|array-json|utf8|ampersands-stripped)$/;

/** Rules whose check sends hundreds of requests. */
const LONG = new Set(['lifecycle/platform-tokens-coexist', 'estimate/departure-time-price']);

describe('a service with one rule broken', () => {
  const [plain] = STYLES;
  const rules = SERVICE_RULES.map(({ id, level }, at) => ({ id, level, at }));
  const expectRed = async ({ id, level, at }: (typeof rules)[number]): Promise<void> => {
    const style = NEED_ALL_FIELDS.test(id) ? plain : STYLES[at % STYLES.length];
    const result = await judgeControlled(style!, [id], { only: [id] });
    const broken = result.rules.find((rule) => rule.id === id);
    expect(broken).toMatchObject({ id, verdict: level === 'must' ? 'fail' : 'warn' });
    const { statement, reason, expected, shownBy } = broken!;
    for (const detail of [statement, reason, expected, shownBy]) expect(detail).toBeTruthy();
    expect(broken?.expected).not.toBe(broken?.statement);
    // The partners that the control API made have no keys that a reader knows.
    expect(broken?.curl).toBeUndefined();
    expect(saidTwice(broken!)).toEqual([]);
    const [has, lacks] = WORDS_OF_REASONS[id]!;
    expect(broken?.reason).toContain(has);
    for (const words of [lacks, ...NEVER_IN_REASONS]) expect(broken?.reason).not.toContain(words);
    expect(broken?.exchanges.length).toBeGreaterThan(0);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([id]);
    await expectSameAgain(result);
  };
  it.each(rules.filter(({ id }) => !LONG.has(id)))(
    '$id turns red, and is as red when the run is judged again',
    async (rule) => expectRed(rule),
  );

  it.each(rules.filter(({ id }) => LONG.has(id)))(
    '$id turns red, and is as red again',
    { tags: ['long'] },
    async (rule) => expectRed(rule),
  );
});

describe('the effect of a broken rule on others', () => {
  const [plain] = STYLES;

  it('a broken signature leaves all other rules undecided, not violated', {
    tags: ['long'],
  }, async () => {
    const result = await judgeControlled(plain!, ['signature/valid-accepted']);
    expect(withVerdict(result, 'fail', 'warn')).toEqual(['signature/valid-accepted']);
  });

  it('a broken grant is distinguished from a broken signature', {
    tags: ['long'],
  }, async () => {
    const result = await judgeControlled(plain!, ['token/grant-client-credentials']);
    expect(withVerdict(result, 'fail', 'warn')).toEqual(['token/grant-client-credentials']);
  });

  it('a ban that reaches other partners spoils no other check', { tags: ['long'] }, async () => {
    const result = await judgeControlled(plain!, ['quota/per-partner']);
    expect(withVerdict(result, 'fail', 'warn')).toEqual(['quota/per-partner']);
  });

  it('a success with another status is still a success for the other rules', {
    tags: ['long'],
  }, async () => {
    const result = await judgeControlled(plain!, ['token/response-status']);
    expect(withVerdict(result, 'fail', 'warn')).toEqual(['token/response-status']);
    expect(result.summary.inconclusive).toBe(0);
  });
});
