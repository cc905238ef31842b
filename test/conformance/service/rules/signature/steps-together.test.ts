import { describe, expect, it } from 'vitest';
import {
  fieldsOf,
  groupsOf,
} from '../../../../../src/conformance/service/rules/signature/step-groups.ts';
import { STEPS_TOGETHER } from '../../../../../src/conformance/service/rules/signature/steps.ts';
import type { Attempt } from '../../../../independent-service/form.ts';
import {
  judgeControlled,
  judgeMetered,
  withVerdict,
} from '../../../../independent-service/judge.ts';
import { styleWith } from '../../../../independent-service/odd-styles.ts';
import { KNOWN_FIELDS, STYLES } from '../../../../independent-service/style.ts';

const [plain] = STYLES;
const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

const RULES = STEPS_TOGETHER.map(({ rule }) => rule);

describe('steps of the signature in one request', () => {
  const groups = groupsOf(STEPS_TOGETHER, 'all');

  it('are all shown by the first, and each witness that can be by one', () => {
    const [first = [], ...others] = groups;
    expect(first.map(({ step }) => step.rule)).toEqual(RULES);
    expect(others).toHaveLength(2);
    const shown = groups.flatMap((group) => group.flatMap(({ witnesses }) => witnesses));
    const left = STEPS_TOGETHER.flatMap(({ together }) => together).filter(
      (one) => !shown.includes(one),
    );
    // The order of the body is shown by each request.
    expect(left.map(({ fields }) => Object.keys(fields))).toEqual([[], []]);
  });

  it.each(groups.map((group, at) => [at, group] as const))(
    'are shown by fields of which no two may be taken for one (group %i)',
    (_at, group) => {
      const keys = group.flatMap(({ witnesses }) =>
        witnesses.flatMap(({ fields }) =>
          Object.keys(fields).map((key) => key.trim().toLowerCase()),
        ),
      );
      expect(new Set(keys).size).toBe(keys.length);
      const inOrder = Object.keys(fieldsOf(group)).sort();
      const trimmed = inOrder.map((key) => key.trim());
      expect(trimmed).toEqual(trimmed.toSorted());
    },
  );

  it('have no text beyond ASCII in the first but where UTF-8 is shown', () => {
    const others = (groups[0] ?? []).filter(({ step }) => step.rule !== 'signature/utf8');
    const texts = JSON.stringify(others.map(({ witnesses }) => witnesses.map((one) => one.fields)));
    expect(texts).toMatch(/^[\0-\x7f]*$/);
  });

  it('have keys at the ends of S where they are meant for them', () => {
    const group = groups.find((some) =>
      some.some(({ witnesses }) => witnesses.some(({ fields }) => '&&aa' in fields)),
    );
    const fields = (group ?? []).flatMap(({ witnesses }) => witnesses.map((one) => one.fields));
    const keys = [...fields.flatMap((one) => Object.keys(one)), 'grant_type', '_'].sort();
    expect([keys[0], keys.at(-1)]).toEqual(['&&aa', '~~zz']);
  });

  it('leave out what a list of signed fields does not show', () => {
    const shown = groupsOf(STEPS_TOGETHER, ['grant_type', 'nostr', '_']).flat();
    expect(shown.map(({ step }) => step.rule)).toEqual(['signature/key-order']);
  });
});

describe('with metered partners, a step', () => {
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
    // Eight rules share the requests: two groups of one lineage of a refresh, one of the other.
    const shared = result.exchanges.filter(
      ({ purpose, request }) =>
        purpose.startsWith('positive: steps of the signature') &&
        request.body?.includes('"grant_type":"refresh_token"'),
    );
    expect(shared).toHaveLength(3);
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

  it('is not blamed for one refused exchange that is accepted when it is sent again', async () => {
    let isRefused = false;
    const refuses = ({ kind, fields }: Attempt): string | false => {
      const shows = Object.keys(fields).some((name) => !KNOWN_FIELDS.includes(name));
      if (isRefused || kind !== 'user' || !shows) return false;
      isRefused = true;
      return 'signature';
    };
    const { result } = await judgeMetered({ ...plain!, oddities: { refuses } }, [], SIX);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    expect(result.rules.some(({ reason }) => reason?.includes('not when it was sent again'))).toBe(
      true,
    );
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

it('a list cannot be asked of a service that refuses unknown fields', async () => {
  const { rules } = await judgeControlled(styleWith(['refuses unknown fields']), [], {
    only: ['signature/array-json'],
  });
  expect(rules.find(({ id }) => id === 'signature/array-json')).toMatchObject({
    verdict: 'untestable',
    reason: expect.stringContaining('fields that it does not know'),
  });
});
