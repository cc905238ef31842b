import { describe, expect, it } from 'vitest';
import {
  type CertifyOptions,
  type CheckOptions,
  type CompareOptions,
  certifyClient,
  checkService,
  compareRuns,
  type LoadOptions,
  planCheck,
  type RunDocument,
  runLoad,
  type ServerOptions,
  startServer,
} from '../../src/index.ts';
import { ALL_SAMPLES } from '../report/samples/all-samples.ts';

/** Values of each option that it does not take. Nothing may be sent, started or written for any of them. */
type Wrong<Options> = { readonly [Name in keyof Required<Options>]: readonly unknown[] };

const OBJECT = [5, 'x', null] as const;
const SWITCH = [1, 'true', null] as const;
const TIME = ['soon', '-1s', -1, 0, '0s', Number.NaN, Number.POSITIVE_INFINITY, null] as const;
const COUNT = [0, -1, 1.5, '1', Number.NaN, null, []] as const;
const SEED = [-1, 1.5, 'abc', '1', Number.NaN, 2 ** 53, null] as const;
const EXPRESSIONS = ['', [''], [5], 5, null] as const;
/** An empty list of expressions says that there is none, one of rules says nothing. */
const TEXTS = [[], ...EXPRESSIONS] as const;
const TEXT = ['', 5, null, []] as const;

const ON_TARGET = {
  target: [5, null, {}, 'http://'],
  ledger: [5, 'file.jsonl', null],
  serviceRestarted: SWITCH,
  signal: OBJECT,
} as const;

const OF_CHECK: Wrong<CheckOptions> = {
  ...ON_TARGET,
  suite: [5, 'no-such-suite', null, { rules: 5 }],
  rules: [...TEXTS, 'token/no-such-rule'],
  customRules: [5, 'x', null, [5], [{}]],
  waivers: [5, 'no-such-file.yaml', null, [{}]],
  requests: [...COUNT, 'most'],
  for: TIME,
  explore: TIME,
  maxRate: [0, -1, '5', Number.NaN, Number.POSITIVE_INFINITY, null],
  timeout: TIME,
  allowBan: SWITCH,
  wait: SWITCH,
  requireComplete: SWITCH,
  seed: SEED,
  onRule: OBJECT,
};

const OF_LOAD: Wrong<LoadOptions> = {
  ...ON_TARGET,
  iMayLoadThisTarget: ['yes', 1],
  timeout: TIME,
  rate: [0, -1, '5', Number.NaN, 10_000_001, null],
  arrivals: ['even', 5],
  stages: ['fast', '', 5],
  connections: [...COUNT, 65_536],
  duration: TIME,
  warmup: ['soon', '-1s', -1, Number.NaN, null],
  newConnections: SWITCH,
  mix: ['plain', '', 5],
  routes: ['no-such-file.csv', '', 5],
  as: ['nobody', 5],
  validate: [2, -1, 'some'],
  seed: SEED,
  thresholds: [...EXPRESSIONS, 'fast'],
  abortOn: [...EXPRESSIONS, 'slow'],
  findMax: ['fast', '', 5],
  runs: COUNT,
  against: [5, null, {}],
  marginPercent: [0, -1, '5', Number.NaN, null],
  engine: ['wrk', 5],
  workers: [...COUNT, 65],
  output: OBJECT,
};

const OF_CERTIFICATION: Wrong<CertifyOptions> = {
  command: ['', [], 'node', null],
  scenarios: [...TEXTS, 'no-such-scenario'],
  orders: ['maybe', true, null],
  seed: SEED,
  signal: OBJECT,
  onScenario: OBJECT,
};

const OF_COMPARISON: Wrong<CompareOptions> = {
  base: [[], 5, null, [5], 'no-such-file.json'],
  candidate: [[], 5, null, [5], 'no-such-file.json'],
  marginPercent: [0, -1, '5', Number.NaN, null],
  baseLabel: TEXT,
  candidateLabel: TEXT,
};

const OF_SERVER: Wrong<ServerOptions> = {
  port: [-1, 65_536, 1.5, '80', null],
  host: TEXT,
  controlPort: [-1, 65_536, 1.5, '80', null],
  controlToken: [5, null, []],
  environment: ['staging', 5, null],
  partners: [5, 'demo', [{}], null],
  behaviour: [5, null, { gap: 1 }],
  expiresInSeconds: [0, 0.5, '5', 1e12, null],
  tls: [5, null, { certificate: 'x' }],
  faults: ['token/nostr-case', ['token/no-such-rule'], [5], null],
  seed: [...SEED, 2 ** 32],
  clock: OBJECT,
  random: OBJECT,
  explainSignature: OBJECT,
  accessLog: OBJECT,
  metrics: SWITCH,
  interceptor: OBJECT,
  refusesForeign: SWITCH,
  timeouts: [5, null, { headMs: -1 }, { requestMs: '5' }, { idleMs: Number.NaN }],
  workers: [...COUNT, 257],
  workerSilenceMs: COUNT,
  fastPath: SWITCH,
  sharedReadBuffer: SWITCH,
  version: TEXT,
};

const target = {
  name: 'nowhere',
  baseUrl: 'http://127.0.0.1:1',
  partners: [{ id: 'p', signingKey: 'k' }],
  estimates: { plain: {} },
};
const CHECK = ALL_SAMPLES['conformance'] as RunDocument;
const run = ALL_SAMPLES['load'] as RunDocument;

const FUNCTIONS: readonly (readonly [
  name: string,
  call: (options: object) => Promise<unknown>,
  wrong: Readonly<Record<string, readonly unknown[]>>,
])[] = [
  ['checkService', (options) => checkService({ target, ledger: 'none', ...options }), OF_CHECK],
  ['planCheck', (options) => planCheck({ target, ledger: 'none', ...options }), OF_CHECK],
  ['runLoad', (options) => runLoad({ target, ledger: 'none', ...options }), OF_LOAD],
  [
    'certifyClient',
    (options) => certifyClient({ command: ['no-such-program'], ...options }),
    OF_CERTIFICATION,
  ],
  [
    'compareRuns',
    (options) => compareRuns({ base: run, candidate: run, ...options }),
    OF_COMPARISON,
  ],
  ['startServer', (options) => startServer(options), OF_SERVER],
];

/** Texts that are read as a name or a file, so that the message has them and no name of an option. */
const NAMED_BY_VALUE = /^no-such|^http:/;

/** Options that come to nothing without another one. */
const WITH: Readonly<Record<string, object>> = {
  arrivals: { rate: 5 },
  marginPercent: { against: target },
};

describe.each(FUNCTIONS)('%s', (name, call, wrong) => {
  const rows = Object.entries(wrong).flatMap(([option, values]) =>
    values.map((value) => [option, value] as const),
  );
  const more = (option: string): object => (name === 'runLoad' ? (WITH[option] ?? {}) : {});

  it.each(rows)('refuses %s of %j, and names it', async (option, value) => {
    const error = await call({ ...more(option), [option]: value }).then(
      () => null,
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      code: expect.stringMatching(/^[A-Z0-9_]+$/),
    });
    const isText = typeof value === 'string' && NAMED_BY_VALUE.test(value);
    if (!isText) expect(error?.message).toMatch(new RegExp(`\\b${option}\\b`));
  });
});

describe('an error from below the library', () => {
  it.each([
    [
      'a fault',
      () => startServer({ faults: ['token/nostr-cas'] as never }),
      /^faults: there is no fault/,
    ],
    [
      'a margin of checks',
      () => compareRuns({ base: CHECK, candidate: CHECK, marginPercent: 5 }),
      /^marginPercent is for/,
    ],
    [
      'thresholds of a search',
      () => runLoad({ target, thresholds: 'p99<1s', findMax: 'p99<1s' } as never),
      /^thresholds: conflicts with findMax/,
    ],
    [
      'runs of a search',
      () => runLoad({ target, runs: 2, findMax: 'p99<1s' } as never),
      /^findMax: conflicts with runs/,
    ],
    [
      'a part of a threshold',
      () => runLoad({ target, thresholds: ['errors<1%', 'fast'] }),
      /^thresholds\[1\]: /,
    ],
  ])('names options as the library does: %s', async (_, call, words) => {
    await expect(call()).rejects.toThrow(words);
  });
});
