import { describe, expect, it } from 'vitest';
import { STEPS_TOGETHER } from '../../../../../src/conformance/service/rules/signature/steps.ts';
import { compatible } from '../../../../../src/conformance/service/rules/signature/steps-together.ts';
import { judgeMetered, withVerdict } from '../../../../independent-service/judge.ts';
import { styleWith } from '../../../../independent-service/odd-styles.ts';
import { STYLES } from '../../../../independent-service/style.ts';

const [plain] = STYLES;
const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

const RULES = STEPS_TOGETHER.map(({ rule }) => rule);

describe('steps of the signature in one request', () => {
  it('are all shown, by fields of which no two may be taken for one', () => {
    const shown = compatible(STEPS_TOGETHER, 'all');
    expect(shown.map(({ step }) => step.rule)).toEqual(RULES);
    const keys = shown.flatMap(({ witnesses }) =>
      witnesses.flatMap(({ fields }) => Object.keys(fields).map((key) => key.trim().toLowerCase())),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('have no text beyond ASCII but where UTF-8 is shown', () => {
    const others = compatible(STEPS_TOGETHER, 'all').filter(
      ({ step }) => step.rule !== 'signature/utf8',
    );
    const texts = JSON.stringify(others.map(({ witnesses }) => witnesses.map((one) => one.fields)));
    expect(texts).toMatch(/^[\0-\x7f]*$/);
  });

  it('leave out what a list of signed fields does not show', () => {
    const shown = compatible(STEPS_TOGETHER, ['grant_type', 'nostr', '_']);
    expect(shown.map(({ step }) => step.rule)).toEqual(['signature/key-order']);
  });
});

describe('with metered partners, a step', { timeout: 120_000 }, () => {
  const judge = async (broken: readonly string[], odd: readonly string[] = []) => {
    const style = odd.length > 0 ? styleWith(odd) : plain!;
    const { result } = await judgeMetered(style, broken, SIX, { only: RULES });
    return result;
  };

  it('passes on refreshes and exchanges too', async () => {
    const result = await judge([]);
    expect(withVerdict(result, 'pass')).toEqual(expect.arrayContaining(RULES));
    const { reason } = result.rules.find(({ id }) => id === 'signature/key-order')!;
    expect(reason).toContain('a refresh');
    expect(reason).toContain('an exchange of an auth code');
    // Eight rules share the request: it goes once on each lineage of a refresh.
    const shared = result.exchanges.filter(
      ({ purpose, request }) =>
        purpose.startsWith('positive: steps of the signature') &&
        request.body?.includes('"grant_type":"refresh_token"'),
    );
    expect(shared).toHaveLength(2);
  });

  it.each([
    ['refuses lists and objects'],
    ['refuses numbers'],
    ['limits tokens to 20 per second'],
    ['answers each 5th with 503'],
    ['limits tokens to 8 per minute and partner with 403'],
  ])('does not fail where a service %s', async (style) => {
    expect(withVerdict(await judge([], [style]), 'fail', 'warn')).toEqual([]);
  });

  it.each([
    ['signature/key-order#exchange'],
    ['signature/utf8#refresh'],
    ['signature/trimmed#refresh'],
    ['signature/array-json#refresh'],
    ['signature/empty-skipped#refresh'],
    ['signature/zero-kept#refresh'],
    ['signature/ampersands-stripped#refresh'],
  ])('fails, and no other, where a service has %s', async (form) => {
    expect(withVerdict(await judge([form]), 'fail', 'warn')).toEqual([form.split('#')[0]]);
  });

  it.each([['signature/valid-accepted#plus-as-space'], ['signature/valid-accepted#cut-at-equals']])(
    'fails, and no other, where a service has %s',
    async (form) => {
      expect(withVerdict(await judge([form]), 'fail', 'warn')).toEqual([form.split('#')[0]]);
    },
  );
});
