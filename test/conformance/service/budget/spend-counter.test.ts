import { expect, it } from 'vitest';
import { allowancesOf } from '../../../../src/conformance/service/budget/spend-counter.ts';
import { ALLOWANCE_KINDS } from '../../../../src/interface/limits.ts';

const fields = { grant_type: 'refresh_token' };
const purpose = 'a request';

it.each([
  ['its fields', { fields }, ['refresh']],
  [
    'a body that is written otherwise',
    { fields, body: '{\n "grant_type": "refresh_token"\n}' },
    ['refresh'],
  ],
  ['a body that is no JSON', { fields, body: '{"grant_type":"refresh_token"' }, ALLOWANCE_KINDS],
  ['a body of another grant type', { fields, body: '{"grant_type":"password"}' }, ALLOWANCE_KINDS],
  ['no grant type', { fields: {} }, ALLOWANCE_KINDS],
  ['an empty body', { fields, body: '' }, ALLOWANCE_KINDS],
])('a token request counts by %s', (_how, attempt, kinds) => {
  expect(allowancesOf({ ...attempt, purpose })).toEqual(kinds);
});
