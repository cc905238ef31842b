// Workloads of the comparison: Lua scripts for `wrk`.

import { sign } from '../build/interface/index.js';
import { SAMPLE_ROUTE } from '../build/server/speed/sample-route.js';
import { ACCESS_TOKEN, PARTNER } from './targets/credentials.mjs';

export const REPEATED = 10_000;

/** @param {number} index @returns {Record<string, string>} */
export function parametersOf(index) {
  const [north, east] = [index % 9_973, Math.floor(index / 9_973) % 9_973];
  return {
    start_lat: `39.${String(north).padStart(4, '0')}`,
    ...SAMPLE_ROUTE,
    start_lng: `116.${String(east).padStart(4, '0')}`,
  };
}

/** @param {Record<string, string>} parameters */
export function queryOf(parameters) {
  return new URLSearchParams(parameters).toString();
}

/** @param {Record<string, string>} parameters @param {string} userToken */
export function userAuthorization(parameters, userToken) {
  return `Bearer ${PARTNER.id}|${sign(parameters, PARTNER.signingKey)} openid|${userToken}`;
}

export const PLATFORM_AUTHORIZATION = `Bearer ${PARTNER.id}|${ACCESS_TOKEN}`;

/** @param {string} query @param {string} authorization */
export function requestOf(query, authorization) {
  return (
    `GET /v1/estimates/prices?${query} HTTP/1.1\r\n` +
    `Host: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`
  );
}

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

/** Prints the figures as one line of JSON, latencies in microseconds. */
const DONE = `
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format('\\nRESULT {"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"failed":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
`;

/** Makes a new query for each request, unique within a run and between runs with different starts. */
function different() {
  const [before, after] = requestOf(
    queryOf({ ...parametersOf(0), start_lat: 'NORTH', start_lng: 'EAST' }),
    PLATFORM_AUTHORIZATION,
  ).split(/NORTH&start_lng=EAST/);
  return `
local before, after = ${JSON.stringify(before)}, ${JSON.stringify(after)}
local count = 0
function init(args) count = tonumber(args[1]) end
function request()
  count = count + 1
  local north, east = count % 9973, math.floor(count / 9973) % 9973
  return before .. string.format('39.%04d&start_lng=116.%04d', north, east) .. after
end
${DONE}`;
}

/** @param {string[]} requests */
function inTurn(requests) {
  return `
local requests = {
${requests.map((request) => JSON.stringify(request)).join(',\n')}
}
local count = 0
function request()
  count = count % #requests + 1
  return requests[count]
end
${DONE}`;
}

/**
 * Lua script of each workload.
 *
 * @param {string} userToken a user token of the server
 * @returns {Record<string, string>}
 */
export function workloads(userToken) {
  const indices = Array.from({ length: REPEATED }, (_, index) => index);
  const platform = indices.map((index) =>
    requestOf(queryOf(parametersOf(index)), PLATFORM_AUTHORIZATION),
  );
  const mixed = platform.map((request, index) => (index % 100 === 99 ? HEALTH : request));
  const user = indices.map((index) => {
    const parameters = parametersOf(index);
    return requestOf(queryOf(parameters), userAuthorization(parameters, userToken));
  });
  return {
    different: different(),
    repeated: inTurn(platform),
    mixed: inTurn(mixed),
    one: inTurn(platform.slice(0, 1)),
    user: inTurn(user),
  };
}
