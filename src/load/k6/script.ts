import { ESTIMATES_PATH, PRODUCT_TYPES } from '../../interface/index.ts';
import { stageStartsMs } from '../plan.ts';
import { longestMs, type PlannedLoad } from '../plan-load.ts';
import { k6Duration, requestsOfWarmup, scenariosOf } from './scenarios.ts';
import { SCRIPT_BODY } from './script-body.ts';
import { JUDGED_DURATION, type K6Thresholds, MALFORMED_RATE, OK_COUNTER } from './thresholds.ts';

/** Facts of a script that its plan does not say. */
export interface ScriptFacts {
  /** Name and version of the program that writes it. */
  readonly writtenBy: string;
  /** Name of the file with the requests, beside the script. */
  readonly requestsFile: string;
  /** Name of the file with the issuer to trust, beside the script; null for those of the system. */
  readonly issuerFile: string | null;
  /** ISO 8601; null if unknown. */
  readonly validUntil: string | null;
  readonly thresholds: K6Thresholds;
  /** Sentences on settings that k6 has nothing for. */
  readonly notTranslated: readonly string[];
}

/** Statistics in the summary: those of k6, and the percentiles that `compare` reads. */
const SUMMARY_STATISTICS = ['avg', 'min', 'med', 'max', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)'];

/** Duration of a failed request in a threshold: eleven days. */
const BEYOND_ANY_BOUND_MS = 1e9;

/** Writes the k6 script of a plan; it has no secret. */
export function scriptOf(load: PlannedLoad, facts: ScriptFacts): string {
  const constants = Object.entries(constantsOf(load, facts)).map(
    ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
  );
  return [
    ...headerOf(load, facts).map((line) => (line === '' ? '//' : `// ${line}`)),
    '',
    "import { check } from 'k6';",
    "import { SharedArray } from 'k6/data';",
    "import exec from 'k6/execution';",
    "import http from 'k6/http';",
    "import { Counter, Rate, Trend } from 'k6/metrics';",
    '',
    ...constants,
    SCRIPT_BODY.trimEnd(),
    '',
    "/** @type {import('k6/options').Options} */",
    `export const options = ${optionsOf(load, facts)};`,
    '',
  ].join('\n');
}

function constantsOf({ plan, options }: PlannedLoad, { requestsFile }: ScriptFacts): object {
  return {
    REQUESTS_FILE: `./${requestsFile}`,
    OK_COUNTER,
    MALFORMED_RATE,
    JUDGED_DURATION,
    BEYOND_ANY_BOUND_MS,
    NAME: ESTIMATES_PATH,
    TIMEOUT: k6Duration(plan.timeoutMs),
    CHECKED_SHARE: plan.validateShare,
    FIRST_MEASURED: requestsOfWarmup(plan),
    STAGE_STARTS_MS: options.stages === undefined ? [] : stageStartsMs(plan),
    LONGEST_RUN_MS: longestMs(plan),
    PRODUCT_TYPES,
    TEXTS: ['ride_type', 'currency_code', 'estimate_id', 'pay_type'],
    INTEGERS: ['estimate_price', 'time_in_second', 'distance_in_meter', 'car_type'],
    ADDRESSES: ['jump_url', 'download_url'],
  };
}

function optionsOf({ plan }: PlannedLoad, { thresholds }: ScriptFacts): string {
  const options = {
    scenarios: scenariosOf(plan),
    thresholds: thresholds.thresholds,
    summaryTrendStats: SUMMARY_STATISTICS,
    discardResponseBodies: true,
    noConnectionReuse: plan.newConnections,
  };
  const text = JSON.stringify(options, null, 2);
  if (!plan.address.tls?.cert) return text;
  return text.replace(
    /\n\}$/,
    ',\n  "tlsAuth": [{ "cert": target.certificate, "key": target.key }]\n}',
  );
}

function headerOf(load: PlannedLoad, facts: ScriptFacts): string[] {
  const { plan } = load;
  const { secure, hostHeader } = plan.address;
  const { issuerFile, validUntil, writtenBy, requestsFile } = facts;
  const environment = [
    ...(issuerFile === null ? [] : [`SSL_CERT_FILE=${issuerFile}`]),
    // k6 speaks HTTP/2 where the target offers it.
    ...(secure ? ['GODEBUG=http2client=0'] : []),
  ].map((one) => `${one} `);
  return [
    `A load plan of fareproof as a script for k6, written by ${writtenBy}.`,
    '',
    `Target: ${secure ? 'https' : 'http'}://${hostHeader}`,
    `Plan:   ${planInWords(load)}`,
    '',
    'Run it in this folder, and compare the result with others:',
    '',
    `  ${environment.join('')}k6 run --summary-export=summary.json script.js`,
    '  fareproof compare --base summary.json --candidate other-summary.json',
    '',
    `${requestsFile} has the signed requests and an access token; keep it secret.`,
    validUntil === null
      ? 'The token is that of the profile; how long it is valid is not known.'
      : `The token is valid until ${validUntil}; a run that would last longer ends at once.`,
    '',
    'k6 measures in other ways than fareproof load:',
    ...DIFFERENCES,
    ...list('Not translated:', [...facts.notTranslated, ...facts.thresholds.notTranslated]),
  ];
}

const DIFFERENCES = [
  '- http_req_duration is from the send to the last byte. The response time of load is from the',
  '  planned time: it has the waiting for a connection, or for a free VU, too.',
  '- A request that no VU is free for is not sent, and counted in dropped_iterations. load sends it',
  '  late, up to its timeout. The bound on errors is on failed, dropped and malformed ones, each by',
  `  itself; ${MALFORMED_RATE} is of those answers whose shape is checked.`,
  `- A bound on a latency is on ${JUDGED_DURATION}, in which a failed request counts as slower than any`,
  '  bound; one that was dropped is not in it.',
  `- A bound on the rate is one on the number of successful answers, ${OK_COUNTER}.`,
  '- The summary has the figures of the measured window in braces: {scenario:measured}.',
];

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `- ${line}`)];

function planInWords({ plan, identity, routes }: PlannedLoad): string {
  const { model, connections, warmupMs, durationMs, seed } = plan;
  return [
    `${model} model`,
    `${connections} ${model === 'open' ? 'VUs at most' : 'VUs'}`,
    `${k6Duration(durationMs)} after ${k6Duration(warmupMs)} of warm-up`,
    `${identity} token`,
    routes === undefined ? `seed ${seed}` : `${routes.length} routes, seed ${seed}`,
  ].join(', ');
}
