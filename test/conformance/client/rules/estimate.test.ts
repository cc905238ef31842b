import { it } from 'vitest';
import {
  estimate,
  expectJudgement,
  query,
  type RuleCase,
  tokenRequest,
  userEstimate,
  userToken,
} from '../client-traffic.ts';

it.each<RuleCase>([
  ['client/estimate-method', [estimate('a')], [estimate('a', { method: 'POST' })], /POST/],
  [
    'client/estimate-content-type',
    [estimate('a')],
    [estimate('a', { headers: { 'content-type': undefined } })],
    /none/,
  ],
  [
    'client/estimate-authorization',
    [tokenRequest('a'), estimate('a', { at: 10 })],
    [estimate('a', { headers: { authorization: 'Bearer access-a' } })],
    /no \|/,
  ],
  [
    'client/estimate-authorization',
    [userToken('a'), userEstimate('a', { at: 10 })],
    [userToken('a'), estimate('a', { at: 10 })],
    /platform's header/,
  ],
  [
    'client/estimate-authorization',
    [tokenRequest('a'), estimate('a', { at: 10 })],
    [
      tokenRequest('a'),
      estimate('a', { at: 10, headers: { authorization: 'Bearer p-1|refresh-a' } }),
    ],
    /a refresh_token in place/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ to_name: undefined }) })],
    /no to_name/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ start_lat: '116.3' }) })],
    /beyond ±90/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a')],
    [estimate('a', { target: query({ end_lng: '116,3' }) })],
    /not a number/,
  ],
  [
    'client/estimate-parameters',
    [estimate('a', { target: query({ start_lng: '1e-05', end_lng: '-1.5E+1' }) })],
    [estimate('a', { target: query({ start_lng: '1e-', end_lng: '2e2' }) })],
    /start_lng is "1e-", not a number; end_lng is 2e2, beyond/,
  ],
  [
    'client/estimate-encoding',
    [estimate('a', { target: query({ from_name: '100%25 天' }) })],
    [estimate('a', { target: `${query({ from_name: undefined })}&from_name=%CC%EC` })],
    /not UTF-8 \(as GBK they are "天"\)/,
  ],
  [
    'client/estimate-encoding',
    [estimate('a')],
    [estimate('a', { target: query({ from_name: encodeURIComponent('天') }) })],
    /percent-encoded twice/,
  ],
  [
    'client/departure-time',
    [estimate('a', { target: query({ departure_time: '1772452800' }) })],
    [estimate('a', { target: query({ departure_time: '1772452800000' }) })],
    /milliseconds/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});
