import { ESTIMATES_PATH, REQUIRED_ESTIMATE_PARAMETERS } from '../../../interface/limits.ts';
import type { ParsedRequest } from '../traffic/parsed-request.ts';
import { sentAccessToken, type Traffic } from '../traffic/traffic.ts';
import { type ClientCheck, checkEach, quoted } from './check.ts';

const ONE = 'an estimate request';
/** The interface says "float" and no more: an exponent, as Python writes 0.00001, is in order. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const MOST: Readonly<Record<string, number>> = {
  start_lat: 90,
  end_lat: 90,
  start_lng: 180,
  end_lng: 180,
};
/** Unix times in seconds have ten digits from 2001 to 2286. */
const UNIX_SECONDS = /^[1-9]\d{9}$/;

/** How estimates are asked for (interface.md, "2. Estimate prices" and "Versioning"). */
export const ESTIMATE_CHECKS: readonly ClientCheck[] = [
  {
    rule: 'client/path-version',
    judge: ({ requests }) =>
      checkEach(
        requests.filter(({ kind }) => kind !== 'malformed'),
        { one: 'a request', expected: 'a path below /v1/', held: 'every path starts with /v1/' },
        ({ path }) => (path.startsWith('/v1/') ? null : `the path ${quoted(path)}`),
      ),
  },
  {
    rule: 'client/estimate-method',
    judge: ({ estimates }) =>
      checkEach(
        estimates,
        {
          one: ONE,
          expected: `GET ${ESTIMATES_PATH}`,
          held: 'each estimate is asked for with GET',
        },
        ({ method }) => (method === 'GET' ? null : method),
      ),
  },
  {
    rule: 'client/estimate-content-type',
    judge: ({ estimates }) =>
      checkEach(
        estimates,
        {
          one: ONE,
          expected: 'Content-Type: application/x-www-form-urlencoded',
          held: 'each estimate request carries the Content-Type',
        },
        ({ contentType }) => {
          const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? null;
          return type === 'application/x-www-form-urlencoded' ? null : (contentType ?? 'none');
        },
      ),
  },
  {
    rule: 'client/estimate-authorization',
    judge: (traffic) =>
      checkEach(
        traffic.estimates,
        {
          one: ONE,
          expected: 'Bearer ID|ACCESS_TOKEN, or Bearer ID|SIGN openid|ACCESS_TOKEN for a user',
          held: 'each estimate request carries one of the two header values',
        },
        (request) => faultOfAuthorization(traffic, request),
      ),
  },
  {
    rule: 'client/estimate-parameters',
    judge: ({ estimates }) =>
      checkEach(
        estimates,
        {
          one: ONE,
          expected: `${REQUIRED_ESTIMATE_PARAMETERS.join(', ')}, with coordinates in degrees`,
          held: 'every required parameter is there and well formed',
        },
        faultOfParameters,
      ),
  },
  {
    rule: 'client/estimate-encoding',
    judge: ({ estimates }) =>
      checkEach(
        estimates,
        {
          one: ONE,
          expected: 'a query of percent-encoded UTF-8',
          held: 'each query is percent-encoded UTF-8',
        },
        ({ estimate }) => estimate?.encodingFault ?? null,
      ),
  },
  {
    rule: 'client/departure-time',
    judge: ({ estimates }) =>
      checkEach(
        estimates,
        {
          one: ONE,
          expected: 'departure_time, where sent, as a Unix time in seconds',
          held: estimates.some(({ estimate }) => estimate?.parameters['departure_time'])
            ? 'departure_time is a Unix time in seconds'
            : 'departure_time, which is optional, is never sent',
        },
        ({ estimate }) => {
          const time = estimate?.parameters['departure_time'];
          if (time === undefined || time === '' || UNIX_SECONDS.test(time)) return null;
          const why = /^\d{13}$/.test(time) ? ', which is milliseconds' : '';
          return `departure_time=${quoted(time)}${why}`;
        },
      ),
  },
];

function faultOfAuthorization(traffic: Traffic, request: ParsedRequest): string | null {
  const { authorization, partnerKnown } = request;
  if (authorization.form !== 'pair' && authorization.form !== 'user') return authorization.shape;
  if (partnerKnown === false) return `the partner id ${quoted(authorization.partnerId)}`;
  const sent = sentAccessToken(request);
  const token = traffic.tokens.find(({ accessToken }) => accessToken === sent);
  if (token === undefined) {
    const fromFailure = traffic.requests.some(
      ({ answer }) => sent !== null && answer.status !== 200 && answer.accessToken === sent,
    );
    if (!traffic.complete || fromFailure) return null;
    const isRefresh = traffic.tokens.some(({ refreshToken }) => refreshToken === sent);
    return isRefresh ? 'a refresh_token in place of the access_token' : 'a token it never received';
  }
  if (token.kind === 'user' && authorization.form === 'pair') {
    return "a user's token in the platform's header";
  }
  return token.kind === 'platform' && authorization.form === 'user'
    ? "a platform's token in the user's header"
    : null;
}

function faultOfParameters({ estimate }: ParsedRequest): string | null {
  const parameters = estimate?.parameters ?? {};
  const faults = REQUIRED_ESTIMATE_PARAMETERS.flatMap((name) => {
    const value = parameters[name];
    if (value === undefined || value.trim() === '') return [`no ${name}`];
    const most = MOST[name];
    if (most === undefined) return [];
    if (!DECIMAL.test(value)) return [`${name} is ${quoted(value)}, no number`];
    return Math.abs(Number(value)) > most ? [`${name} is ${value}, beyond ±${most}`] : [];
  });
  return faults.length > 0 ? faults.join('; ') : null;
}
