import { readdirSync } from 'node:fs';

/**
 * Sources of an area that are mutated, and the tests that may notice, of all or of each source. Mutants
 * exist in the process of the test only: a test that runs the built program, or a worker, notices none.
 *
 * @typedef {object} Area
 * @property {readonly string[]} sources
 * @property {readonly string[] | ((source: string) => readonly string[])} tests
 */

/**
 * Paths of the files of a folder: of those named, or of all.
 *
 * @param {string} folder
 * @param {readonly string[]} names
 */
const filesOf = (folder, ...names) =>
  names.length > 0
    ? names.map((name) => `${folder}/${name}.ts`)
    : readdirSync(folder)
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${folder}/${name}`);

/** @type {Readonly<Record<string, Area>>} */
export const AREAS = {
  plan: {
    sources: [
      ...filesOf('src/load', 'seeded-random', 'threshold'),
      ...filesOf('src/load/plan', 'schedule', 'stages'),
    ],
    tests: ['test/load/{seeded-random,threshold}.test.ts', 'test/load/plan/*.test.ts'],
  },
  record: {
    sources: [
      ...filesOf('src/load/record', 'histogram', 'merge', 'recorder', 'series'),
      ...filesOf('src/load/result', 'build', 'generator-health', 'verdict'),
    ],
    tests: ['test/load/{record,result}/*.test.ts'],
  },
  compare: {
    sources: [
      ...filesOf(
        'src/load/compare',
        'bootstrap',
        'compare-runs',
        'failures',
        'pair-series',
        'shifts',
      ),
      ...filesOf('src/load/find-max', 'search'),
    ],
    // Without those of calibration, which draw samples by the million.
    tests: [
      'test/load/compare/{bootstrap,bootstrap-precision,compare,compare-runs,failures,margins,open-comparisons,pair-series,shifts}.test.ts',
      'test/load/find-max/{search,search-order}.test.ts',
    ],
  },
  judging: {
    sources: [
      ...filesOf('src/conformance', 'verdict', 'waivers'),
      ...filesOf('src/conformance/service/contract', 'judge', 'observation'),
      ...filesOf('src/conformance/service/runner', 'confirm', 'judged-rule'),
      ...filesOf('src/conformance/service/target', 'answers', 'clock', 'stability', 'time-form'),
    ],
    tests: [
      'test/conformance/{verdict,waivers}.test.ts',
      'test/conformance/service/contract/*.test.ts',
      'test/conformance/service/runner/{confirm,judged-rule}.test.ts',
      'test/conformance/service/target/{answers,clock,stability,time-form}.test.ts',
    ],
  },
  observations: {
    sources: [
      ...filesOf('src/conformance/service/rules', 'carpool', 'record'),
      ...filesOf('src/conformance/service/rules/token', 'response'),
      ...filesOf('src/conformance/service/rules/estimate', 'compare-refusals', 'price'),
    ],
    tests: [
      'test/conformance/service/rules/{carpool,record}.test.ts',
      'test/conformance/service/rules/token/*.test.ts',
      'test/conformance/service/rules/estimate/{compare-refusals,price}.test.ts',
    ],
  },
  'client-parsing': {
    sources: filesOf('src/conformance/client/parsing'),
    tests: ['test/conformance/client/parsing/*.test.ts'],
  },
  'client-rules': {
    sources: filesOf('src/conformance/client/rules'),
    // Most mutants are in tables, and run every test: so these are those of one file.
    tests: (source) => [
      source.replace(/^src/, 'test').replace('.ts', '.test.ts'),
      'test/conformance/client/rules/all.test.ts',
    ],
  },
  // Rules of requests that both endpoints share.
  server: {
    sources: filesOf(
      'src/server',
      'authorization',
      'iso8601',
      'json-body',
      'rate-limiter',
      'signature-check',
    ),
    tests: ['test/server/{authorization,iso8601,json-body,rate-limiter,signature-check}.test.ts'],
  },
  'server-token': {
    sources: filesOf('src/server/token'),
    tests: ['test/server/token/*.test.ts', 'test/server/gaps.test.ts'],
  },
  'server-estimate': {
    sources: filesOf('src/server/estimate'),
    tests: ['test/server/estimate/*.test.ts', 'test/server/gaps.test.ts'],
  },
  'server-state': {
    sources: filesOf('src/server/state'),
    tests: [
      'test/server/state/*.test.ts',
      'test/server/token/lifecycle.test.ts',
      'test/server/gaps.test.ts',
    ],
  },
  interface: {
    sources: filesOf('src/interface', 'openapi', 'signature'),
    tests: ['test/interface/*.test.ts'],
  },
};
