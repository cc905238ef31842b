import type { ServiceRuleId } from '../../../src/interface/index.ts';
import { sign } from '../../../src/interface/index.ts';
import { Caller, DAY_S, HOUR_S } from '../caller.ts';
import {
  accepts,
  aged,
  allows,
  answers,
  CARPOOL_SEATS,
  CARPOOL_SINGLE,
  estimates,
  exceed,
  holder,
  isText,
  isUrl,
  lockProbe,
  not,
  ok,
  type Probe,
  partner,
  record,
  refreshTimes,
  refused,
  refuses,
  refusesAfter,
  refusesEstimate,
  userHolder,
} from './probe.ts';

/**
 * For each service rule, a probe that distinguishes a server that follows it from one that does
 * not.
 */
export const PROBES: Readonly<Record<ServiceRuleId, Probe>> = {
  'signature/valid-accepted': accepts({}),
  'signature/invalid-refused': partner(async (caller) => {
    const fields = caller.fields();
    const right = sign(fields, caller.key);
    const flipped = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
    const replies = [
      await caller.send(fields, { signature: flipped }),
      await caller.send(fields, { signature: '0'.repeat(32) }),
    ];
    return replies.every(refused);
  }),
  'signature/wrong-key-refused': partner(async (caller) => {
    const keys = ['', `${caller.key}x`, (await Caller.fresh(caller.server)).key];
    for (const key of keys) if (!refused(await caller.platform({}, { key }))) return false;
    return true;
  }),
  'signature/covers-fields': partner(async (caller) => {
    const fields = caller.fields({ scope: 'public' });
    return refused(await caller.send(fields, { sent: { ...fields, scope: 'public profile' } }));
  }),
  'signature/key-order': partner(async (caller) => {
    const reversed = Object.fromEntries(Object.entries(caller.fields()).toReversed());
    return ok(await caller.send(reversed));
  }),
  'signature/empty-skipped': accepts({ note: '', other: null, list: [] }),
  'signature/zero-kept': accepts({ zero: 0 }),
  'signature/trimmed': accepts({ ' padded ': '\tx ' }),
  'signature/array-json': accepts({ list: ['a', '路', 1] }),
  'signature/utf8': accepts({ note: '颐和园' }),
  'signature/ampersands-stripped': accepts({ '&first': 'x', zz: 'last&&' }),
  'token/grant-client-credentials': accepts({}),
  'token/grant-refresh-token': holder(async (caller, { refresh_token }) =>
    ok(await caller.refresh(refresh_token)),
  ),
  'token/grant-authorization-code': userHolder(async () => true),
  'token/json-body': partner(async (caller) => {
    const form = new URLSearchParams(caller.fields() as Record<string, string>).toString();
    return (
      refused(await caller.platform({}, { rawBody: form })) &&
      refused(await caller.platform({}, { rawBody: '{"grant_type":' }))
    );
  }),
  'token/grant-type-required': refuses({ grant_type: undefined }),
  'token/grant-type-known': refuses({ grant_type: 'password' }),
  'token/timestamp-required': refuses({ _: undefined }),
  'token/timestamp-iso8601': refuses({ _: 'Mon, 02 Mar 2026 12:00:00 GMT' }),
  'token/timestamp-fresh': aged(590),
  'token/timestamp-expired': not(aged(610)),
  'token/timestamp-unchecked-in-test': aged(86_400),
  'token/nostr-required': refuses({ nostr: undefined }),
  'token/nostr-length': partner(async (caller) => {
    return (
      refused(await caller.platform({ nostr: 'abcd5' })) &&
      refused(await caller.platform({ nostr: 'abcdef7' }))
    );
  }),
  'token/nostr-alphabet': refuses({ nostr: 'abc-12' }),
  'token/nostr-case': partner(async (caller) => {
    const fields = caller.fields({ nostr: 'aBcDeF' });
    return refused(await caller.send(fields, { sent: { ...fields, nostr: 'AbCdEf' } }));
  }),
  'token/refresh-token-required': refuses({ grant_type: 'refresh_token' }),
  'token/refresh-token-unknown': partner(async (caller) => refused(await caller.refresh('nope'))),
  'token/auth-code-required': refuses({ grant_type: 'authorization_code' }),
  'token/auth-code-unknown': refuses({ grant_type: 'authorization_code', auth_code: 'nope' }),
  'token/partner-unknown': async (server) =>
    refused(await new Caller(server, 'nobody', 'k').platform()),
  'token/authorization-required': partner(async (caller) =>
    refused(await caller.platform({}, { authorization: null })),
  ),
  'token/authorization-shape': partner(async (caller) => {
    const fields = caller.fields();
    const signature = sign(fields, caller.key);
    const shapes = [`Basic ${caller.id}|${signature}`, `Bearer ${caller.id} ${signature}`];
    for (const authorization of shapes) {
      if (ok(await caller.send(fields, { authorization }))) return false;
    }
    return true;
  }),
  'token/scope-default': answers(({ scope }) => scope === 'public'),
  'token/scope-echo': answers(({ scope }) => scope === 'rides.read public', {
    scope: 'rides.read public',
  }),
  'token/response-status': answers((_, { status }) => status === 200),
  'token/response-content-type': answers(
    (_, { headers }) => headers.get('content-type') === 'application/json; charset=utf-8',
  ),
  'token/response-access-token': answers(({ access_token }) => isText(access_token)),
  'token/response-refresh-token': answers(({ refresh_token }) => isText(refresh_token)),
  'token/response-expires': answers(({ expires_in_second }) => expires_in_second === 7200),
  'token/response-token-type': answers(({ token_type }) => token_type === 'bearer'),
  'lifecycle/refresh-rotates': holder(async (caller, { access_token, refresh_token }) => {
    const { body } = await caller.refresh(refresh_token);
    return body.access_token !== access_token && body.refresh_token !== refresh_token;
  }),
  'lifecycle/refresh-single-use': holder(async (caller, { refresh_token }) => {
    return ok(await caller.refresh(refresh_token)) && refused(await caller.refresh(refresh_token));
  }),
  'lifecycle/refresh-single-use-concurrent': holder(async (caller, { refresh_token }) => {
    const atOnce = [1, 2, 3, 4];
    // Opens the connections first: a new one would arrive later than the rest.
    const health = `${caller.server.baseUrl}/healthz`;
    await Promise.all(atOnce.map(async () => (await fetch(health)).text()));
    const replies = await Promise.all(atOnce.map(() => caller.refresh(refresh_token)));
    return replies.filter(ok).length === 1;
  }),
  'lifecycle/refresh-never-expires': holder(async (caller, { refresh_token }) => {
    caller.server.clock.advance(90 * DAY_S);
    return ok(await caller.refresh(refresh_token));
  }),
  'lifecycle/platform-tokens-coexist': holder(async (caller, { access_token }) => {
    return ok(await caller.platform()) && ok(await caller.estimate(access_token));
  }),
  'lifecycle/user-token-newest-only': userHolder(async (caller, { access_token }) => {
    const newer = await caller.user();
    return (
      ok(await caller.userEstimate(newer.body.access_token)) &&
      refused(await caller.userEstimate(access_token))
    );
  }),
  'lifecycle/access-token-valid-until-expiry': holder(async (caller, { access_token }) => {
    caller.server.clock.advance(7199);
    return ok(await caller.estimate(access_token));
  }),
  'lifecycle/access-token-expires': holder(async (caller, { access_token }) => {
    caller.server.clock.advance(7200);
    return refused(await caller.estimate(access_token));
  }),
  'lifecycle/expired-replaced-by-refresh': holder(async (caller, { refresh_token }) => {
    caller.server.clock.advance(7201);
    const { body } = await caller.refresh(refresh_token);
    return ok(await caller.estimate(body.access_token));
  }),
  'quota/platform-allows-10': allows('platform', 10),
  'quota/platform-refuses-11th': refusesAfter('platform', 10),
  'quota/user-allows-5': allows('user', 5),
  'quota/user-refuses-6th': refusesAfter('user', 5),
  'quota/refresh-allows-10': partner(async (caller) => (await refreshTimes(caller, 10)) === 10),
  'quota/refresh-refuses-11th': partner(async (caller) => (await refreshTimes(caller, 11)) < 11),
  'quota/counters-independent': holder(async (caller, { refresh_token }) => {
    for (let sent = 1; sent < 10; sent++) await caller.platform();
    return ok(await caller.user()) && ok(await caller.refresh(refresh_token));
  }),
  'quota/ban-lasts-24h': partner(async (caller) => {
    await exceed(caller);
    caller.server.clock.advance(DAY_S - 10);
    return refused(await caller.platform());
  }),
  'quota/ban-lifts': partner(async (caller) => {
    await exceed(caller);
    caller.server.clock.advance(DAY_S + 10);
    return ok(await caller.platform());
  }),
  'quota/daily-reset': partner(async (caller) => {
    for (let sent = 0; sent < 10; sent++) await caller.platform();
    caller.server.clock.advance(DAY_S);
    for (let sent = 0; sent < 10; sent++) if (refused(await caller.platform())) return false;
    return true;
  }),
  'quota/per-partner': async (server) => {
    const witness = await Caller.fresh(server);
    await exceed(await Caller.fresh(server));
    return ok(await witness.platform());
  },
  'estimate/platform': estimates({}),
  'estimate/user': userHolder(async (caller, { access_token }) =>
    ok(await caller.userEstimate(access_token)),
  ),
  'estimate/required-parameters': holder(async (caller, { access_token }) => {
    const names = ['start_lat', 'start_lng', 'from_name', 'end_lat', 'end_lng', 'to_name'];
    for (const name of [...names, 'product_type', 'ride_type']) {
      if (ok(await caller.estimate(access_token, { query: { [name]: '' } }))) return false;
    }
    return true;
  }),
  'estimate/coordinates-numeric': refusesEstimate({ end_lat: 'north' }),
  'estimate/coordinates-range': refusesEstimate({ start_lng: '180.1' }),
  'estimate/imei-optional': estimates({ imei: '490154203237518' }),
  'estimate/map-type-optional': estimates({ map_type: 'soso' }),
  'estimate/departure-time': estimates({ departure_time: '1772452800' }),
  'estimate/departure-time-price': holder(async (caller, { access_token }) => {
    const prices = new Set<unknown>();
    for (let hour = 0; hour < 24; hour += 2) {
      const query = { departure_time: String(1772409600 + hour * HOUR_S) };
      const { body } = await caller.estimate(access_token, { query });
      prices.add(body?.[0]?.estimate_price);
    }
    return prices.size > 1;
  }),
  'estimate/private-car': estimates({ product_type: 'private-car' }),
  'estimate/express-car': estimates({ product_type: 'express-car', ride_type: 'express' }),
  'estimate/non-ascii-names': estimates({ from_name: '天安门', to_name: 'Žižkov' }),
  'estimate/version-prefix': holder(async (caller, { access_token }) =>
    refused(await caller.estimate(access_token, { path: '/estimates/prices' })),
  ),
  'auth/authorization-required': partner(async (caller) =>
    refused(await caller.estimate('', { authorization: null })),
  ),
  'auth/scheme': holder(async (caller, { access_token }) => {
    const authorization = `Basic ${caller.id}|${access_token}`;
    return refused(await caller.estimate(access_token, { authorization }));
  }),
  'auth/unknown-token': partner(async (caller) => refused(await caller.estimate('neverissued'))),
  'auth/user-signature': userHolder(async (caller, { access_token }) =>
    refused(await caller.userEstimate(access_token, { signature: 'f'.repeat(32) })),
  ),
  'auth/scope-public': partner(async (caller) => {
    const { body } = await caller.platform({ scope: 'rides.read' });
    return refused(await caller.estimate(body?.access_token));
  }),
  'auth/token-of-partner': holder(async (caller, { access_token }) => {
    return refused(await (await Caller.fresh(caller.server)).estimate(access_token));
  }),
  'record/array': holder(async (caller, { access_token }) =>
    Array.isArray((await caller.estimate(access_token)).body),
  ),
  'record/product-type': record(({ product_type }) => product_type === 'private-car'),
  'record/ride-type': record(({ ride_type }) => isText(ride_type)),
  'record/currency-code': record(({ currency_code }) => currency_code === 'CNY'),
  'record/estimate-price': record(({ estimate_price }) => Number.isInteger(estimate_price)),
  'record/time-in-second': record(({ time_in_second }) => Number.isInteger(time_in_second)),
  'record/distance-in-meter': record(({ distance_in_meter }) =>
    Number.isInteger(distance_in_meter),
  ),
  'record/car-type': record(({ car_type }) => Number.isInteger(car_type)),
  'record/dynamic': record(({ dynamic }) => typeof dynamic === 'number'),
  'record/amounts-plausible': record(
    (one) =>
      one.estimate_price >= 0 &&
      one.time_in_second >= 0 &&
      one.distance_in_meter >= 0 &&
      one.dynamic > 0,
  ),
  'record/echoes-request': record(
    ({ product_type, ride_type }) => product_type === 'private-car' && ride_type === 'compact',
  ),
  'record/estimate-id': record(({ estimate_id }) => isText(estimate_id)),
  'record/estimate-id-unique': holder(async (caller, { access_token }) => {
    const first = await caller.estimate(access_token);
    const second = await caller.estimate(access_token);
    return `${first.body[0]?.estimate_id}` !== `${second.body[0]?.estimate_id}`;
  }),
  'record/pay-type': record(({ pay_type }) => /^[^,]+(,[^,]+)*$/.test(pay_type)),
  'record/jump-url': record(({ jump_url }) => isUrl(jump_url)),
  'record/download-url': record(({ download_url }) => isUrl(download_url)),
  'carpool/tag': record(({ carpool_tag }) => carpool_tag === '1', CARPOOL_SINGLE),
  'carpool/seat-sharing': record(
    ({ carpool_tag, carpool_info }) =>
      carpool_tag === '2' && carpool_info?.every(({ seat }) => Number.isInteger(seat)) === true,
    CARPOOL_SEATS,
  ),
  'carpool/seats-distinct': record(({ carpool_info }) => {
    const seats = (carpool_info ?? []).flatMap(({ seat }) => (seat === undefined ? [] : [seat]));
    return new Set(seats).size === seats.length;
  }, CARPOOL_SEATS),
  'carpool/no-seat-sharing': record(
    ({ carpool_tag, carpool_info }) =>
      carpool_tag === '1' && carpool_info?.length === 1 && carpool_info[0]?.seat === undefined,
    CARPOOL_SINGLE,
  ),
  'carpool/plain': record((one) => one.carpool_tag === undefined && one.carpool_info === undefined),
  'lock/default-10-minutes': lockProbe(false, 10),
  'lock/partner-60-minutes': lockProbe(true, 60),
};
