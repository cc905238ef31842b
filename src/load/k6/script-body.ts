/**
 * The part of a k6 script that is the same for every plan; the constants before it are of one plan. In the
 * JavaScript that older versions of k6 run too: no optional chaining, no `URL`.
 */
export const SCRIPT_BODY = String.raw`
/**
 * @typedef {{ origin: string, headers: Record<string, string>, accessToken: string,
 *   validUntil: string | null, certificate: string, key: string }} Target
 * @typedef {{ shape: string, path: string, authorizationPrefix: string }} EstimateRequest
 * @returns {{ target: Target, requests: EstimateRequest[] }}
 */
const data = () => JSON.parse(open(REQUESTS_FILE));
// Parsed once for all VUs.
const target = new SharedArray('target', () => [data().target])[0];
const requests = new SharedArray('requests', () => data().requests);
const okEstimates = new Counter(OK_COUNTER);
const malformed = new Rate(MALFORMED_RATE);
const duration = new Trend(JUDGED_DURATION, true);

// As load counts: any other status is a failure, a redirect too.
http.setResponseCallback(http.expectedStatuses(200));

export function setup() {
  endWithoutToken(LONGEST_RUN_MS);
}

/** Sends the requests before the measured window. */
export function warmUp() {
  send(0, {});
}

/** Sends the requests of the measured window, in the order of the plan. */
export default function measured() {
  const isOk = send(FIRST_MEASURED, stageTags());
  if (isOk) okEstimates.add(1);
}

function send(firstSlot, tagsOfStage) {
  endWithoutToken(0);
  const iteration = exec.scenario.iterationInTest;
  const request = requests[(firstSlot + iteration) % requests.length];
  const tags = Object.assign({ name: NAME, shape: request.shape }, tagsOfStage);
  // The first answer, and a share of all.
  const isRead = Math.ceil((iteration + 1) * CHECKED_SHARE) > Math.ceil(iteration * CHECKED_SHARE);
  const response = http.get(target.origin + request.path, {
    headers: Object.assign({}, target.headers, {
      Authorization: request.authorizationPrefix + target.accessToken,
    }),
    redirects: 0,
    responseType: isRead ? 'text' : 'none',
    tags: tags,
    timeout: TIMEOUT,
  });
  const isOk = isSuccess(response, isRead, tags);
  duration.add(isOk ? response.timings.duration : BEYOND_ANY_BOUND_MS, tags);
  return isOk;
}

function isSuccess(response, isRead, tags) {
  const isAccepted = check(response, { 'status is 200': ({ status }) => status === 200 }, tags);
  if (!isAccepted || !isRead) return isAccepted;
  const isEstimates = check(response, { 'body is a list of estimates': hasEstimates }, tags);
  malformed.add(!isEstimates, tags);
  return isEstimates;
}

/** The signatures and the token are of the export: a refresh would need the signing key. */
function endWithoutToken(neededMs) {
  if (target.validUntil === null) return;
  if (Date.now() + neededMs < Date.parse(target.validUntil)) return;
  exec.test.abort(
    'the access token in ' + REQUESTS_FILE + ' is valid until ' + target.validUntil +
      ', and the run would last longer; write both files again: fareproof export k6',
  );
}

/** Tag of the stage, counted from 1, that the iteration began in. */
function stageTags() {
  if (STAGE_STARTS_MS.length === 0) return {};
  const elapsedMs = Date.now() - exec.scenario.startTime;
  const started = STAGE_STARTS_MS.filter((startMs) => startMs <= elapsedMs);
  return { stage: String(Math.max(1, started.length)) };
}

const isText = (value) => typeof value === 'string' && value !== '';
const isAddress = (value) => isText(value) && /^[a-z][a-z0-9+.-]*:\S/i.test(value);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function hasEstimates({ body }) {
  try {
    const list = JSON.parse(body);
    return Array.isArray(list) && list.every((one) => isObject(one) && isEstimate(one));
  } catch (error) {
    return false;
  }
}

function isEstimate(one) {
  return (
    PRODUCT_TYPES.includes(one.product_type) &&
    TEXTS.every((name) => isText(one[name])) &&
    INTEGERS.every((name) => Number.isSafeInteger(one[name])) &&
    Number.isFinite(one.dynamic) &&
    ADDRESSES.every((name) => isAddress(one[name])) &&
    isCarpool(one.carpool_tag, one.carpool_info)
  );
}

/** Tag 1 has one price; tag 2 one for each number of seats. */
function isCarpool(given, info) {
  const tag = given === undefined || given === null ? 0 : given;
  if (![0, 1, 2, '0', '1', '2'].includes(tag)) return false;
  if (Number(tag) === 0) return info === undefined || info === null;
  if (!Array.isArray(info) || info.length === 0) return false;
  return (Number(tag) === 2 || info.length === 1) && info.every((one) => isPrice(one, Number(tag) === 2));
}

function isPrice(one, hasSeat) {
  if (!isObject(one) || !Number.isSafeInteger(one.estimate_price)) return false;
  if (!hasSeat) return one.seat === undefined || one.seat === null;
  return Number.isSafeInteger(one.seat) && one.seat >= 1;
}
`;
