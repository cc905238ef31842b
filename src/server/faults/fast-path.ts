import type { ServiceRuleId } from '../../interface/index.ts';
import type { TokenObjection } from '../service/estimate/authorize.ts';
import type { FastPathRules } from '../service/estimate/fast-path-rules.ts';
import { type FaultDefinition, fault, type PlacedFaults } from './fault.ts';
import { withMethods } from './with-methods.ts';

/** Objections to an access_token that the fast path misses. */
const MISSED: readonly (readonly [rule: ServiceRuleId, what: string, TokenObjection])[] = [
  ['auth/scope-public', 'a token without scope `public`', 'not-public'],
  ['auth/token-of-partner', "another partner's token", 'other-partner'],
  ['lifecycle/access-token-expires', 'an expired token', 'expired'],
  ['lifecycle/user-token-newest-only', 'an earlier token of a user', 'superseded'],
];

/**
 * Faults of the fast path only: the service that answers the other requests follows every rule. A
 * checker sees them only by requests like those of ordinary clients.
 */
export const FAST_PATH_FAULTS: PlacedFaults = {
  ...Object.fromEntries(
    MISSED.map(([rule, what, missed]): [string, FaultDefinition] => [
      `${rule}#fast-path`,
      onFastPath(`On the fast path, ${what} passes.`, ({ objectionTo }) => ({
        objectionTo: (...use) => {
          const objection = objectionTo(...use);
          return objection === missed ? null : objection;
        },
      })),
    ]),
  ),
  'auth/user-signature#fast-path': onFastPath(
    'On the fast path, the last digit of a signature is not compared.',
    () => ({ comparedDigits: 31 }),
  ),
  'estimate/coordinates-range#fast-path-end-lat': onFastPath(
    'On the fast path, end_lat may be up to 180.',
    ({ bounds }) => ({ bounds: { ...bounds, end_lat: 180 } }),
  ),
  'estimate/coordinates-range#fast-path-start-lng': onFastPath(
    'On the fast path, start_lng may be up to 360.',
    ({ bounds }) => ({ bounds: { ...bounds, start_lng: 360 } }),
  ),
  'record/currency-code#fast-path': withRecords('currency_code is `yuan`', {
    currency_code: 'yuan',
  }),
  'record/car-type#fast-path': withRecords('car_type is a text', { car_type: '1' }),
  'record/pay-type#fast-path': withRecords('pay_type is empty', { pay_type: '' }),
  'record/jump-url#fast-path': withRecords('jump_url is relative', { jump_url: '/open' }),
};

function onFastPath(
  how: string,
  change: (rules: FastPathRules) => Partial<FastPathRules>,
): FaultDefinition {
  return fault(how, { fastPath: (rules) => ({ ...rules, ...change(rules) }) });
}

function withRecords(what: string, fields: object): FaultDefinition {
  return onFastPath(`On the fast path, ${what}.`, ({ records }) => ({
    records: withMethods(records, {
      record: (...estimate) => ({ ...records.record(...estimate), ...fields }),
    }),
  }));
}
