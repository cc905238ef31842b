import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { ESTIMATES_PATH, REQUIRED_ESTIMATE_PARAMETERS } from '../../../interface/limits.ts';
import { sentAccessToken } from '../traffic/request-fields.ts';
import { isUnreceived, type Traffic } from '../traffic/traffic.ts';
import { type ClientCheck, everyRequest, isPath, quoted } from './check.ts';
import { changedTexts } from './given-texts.ts';

/** A float with an optional exponent, which Python writes for 0.00001. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const DATE = /^\d{4}[-/]\d{1,2}[-/]\d{1,2}/;
const DAY_S = 86_400;
/** Texts that programs write for a value that they do not have. */
const NO_VALUE = /^(undefined|null|NaN|<nil>|\[object Object\])$/;
/** Unix times in seconds have ten digits from 2001 to 2286. */
const UNIX_SECONDS = /^[1-9]\d{9}$/;

/** Estimate requests (interface.md, "2. Estimate prices"). */
export const ESTIMATE_CHECKS: readonly ClientCheck[] = [
  everyRequest('client/estimate-method', 'estimate', {
    expected: `GET ${ESTIMATES_PATH}, with the parameters in the query`,
    passed: `each estimate request is a GET of ${ESTIMATES_PATH}`,
    fault: ({ method, path, estimate }) => {
      if (method !== 'GET' || !isPath(path, ESTIMATES_PATH)) return `${method} ${path}`;
      return estimate?.inBody ? 'parameters in the body' : null;
    },
  }),
  everyRequest('client/estimate-content-type', 'estimate', {
    expected: 'Content-Type: application/x-www-form-urlencoded',
    passed: 'each estimate request carries the Content-Type',
    fault: ({ contentType }) => {
      const type = contentType?.split(';')[0]?.trim().toLowerCase();
      return type === 'application/x-www-form-urlencoded' ? null : (contentType ?? 'none');
    },
  }),
  everyRequest('client/estimate-authorization', 'estimate', {
    expected: 'Bearer ID|ACCESS_TOKEN, or Bearer ID|SIGN openid|ACCESS_TOKEN for a user',
    passed: 'each estimate request carries one of the two header values',
    fault: authorizationFault,
  }),
  everyRequest('client/estimate-parameters', 'estimate', {
    expected: `${REQUIRED_ESTIMATE_PARAMETERS.join(', ')}, with coordinates in degrees`,
    passed: 'every required parameter is present and well formed',
    fault: parametersFault,
  }),
  everyRequest('client/estimate-encoding', 'estimate', {
    expected: 'a query of percent-encoded UTF-8',
    passed: 'each query is percent-encoded UTF-8',
    fault: (request, { scenario }) => {
      const { wrong } = changedTexts(request, scenario);
      return request.estimate?.encodingFault ?? (wrong.join('; ') || null);
    },
    doubt: (request, { scenario }) => {
      const { wrong, changed } = changedTexts(request, scenario);
      if (wrong.length > 0) return null;
      return changed.join('; ') || (request.estimate?.encodingDoubt ?? null);
    },
  }),
  everyRequest('client/departure-time', 'estimate', {
    expected: 'departure_time, if sent, as a Unix time in seconds',
    passed: (requests) =>
      requests.some(({ estimate }) => estimate?.parameters['departure_time'])
        ? 'departure_time is a Unix time in seconds'
        : 'departure_time, which is optional, is never sent',
    fault: ({ estimate }) => {
      const time = estimate?.parameters['departure_time'];
      if (time === undefined || time === '' || UNIX_SECONDS.test(time)) return null;
      // The interface permits a text, and does not say which.
      if (DATE.test(time)) return null;
      const unit = /^\d{13}$/.test(time) ? ', which is milliseconds' : '';
      return `departure_time=${quoted(time)}${unit}`;
    },
    doubt: ({ estimate, receivedMs }) => {
      const time = estimate?.parameters['departure_time'] ?? '';
      const days = Math.floor((receivedMs / 1000 - Number(time)) / DAY_S);
      if (!UNIX_SECONDS.test(time) || days < 1) return null;
      return `departure_time=${time}, ${days === 1 ? 'a day' : `${days} days`} in the past`;
    },
  }),
];

function authorizationFault(request: ParsedRequest, traffic: Traffic): string | null {
  const { tokens } = traffic;
  const { authorization, partnerKnown } = request;
  const { form, shape, partnerId } = authorization;
  if (form !== 'pair' && form !== 'user') return shape;
  if (partnerKnown === false) return `the partner id ${quoted(partnerId)}`;
  const sent = sentAccessToken(request);
  const token = tokens.find(({ accessToken }) => accessToken === sent);
  if (token === undefined) {
    if (!isUnreceived(traffic, 'accessToken', sent)) return null;
    const isRefresh = tokens.some(({ refreshToken }) => refreshToken === sent);
    return isRefresh ? 'a refresh_token in place of the access_token' : 'a token it never received';
  }
  if (token.kind === 'user' && form === 'pair') return "a user's token in the platform's header";
  return token.kind === 'platform' && form === 'user'
    ? "a platform's token in the user's header"
    : null;
}

function parametersFault({ estimate }: ParsedRequest): string | null {
  const faults = REQUIRED_ESTIMATE_PARAMETERS.flatMap((name) => {
    const value = estimate?.parameters[name];
    if (value === undefined || value.trim() === '') return `no ${name}`;
    if (NO_VALUE.test(value)) return `${name} is ${quoted(value)}, which stands for no value`;
    if (!/_l(at|ng)$/.test(name)) return [];
    const max = name.endsWith('_lat') ? 90 : 180;
    if (!DECIMAL.test(value)) return `${name} is ${quoted(value)}, not a number`;
    return Math.abs(Number(value)) > max ? `${name} is ${value}, beyond ±${max}` : [];
  });
  return faults.length > 0 ? faults.join('; ') : null;
}
