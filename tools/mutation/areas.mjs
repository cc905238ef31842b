/**
 * Sources of an area that are mutated, and the tests that may notice. Mutants exist in the process of
 * the test only: a test that runs the built program, or a worker, notices none.
 *
 * @typedef {{ mutate: readonly string[], tests: readonly string[] }} Area
 */

/** @type {Readonly<Record<string, Area>>} */
export const AREAS = {
  load: {
    mutate: [
      'src/load/threshold.ts',
      'src/load/seeded-random.ts',
      'src/load/plan/{schedule,stages}.ts',
      'src/load/record/{histogram,merge,series}.ts',
      'src/load/result/verdict.ts',
      'src/load/compare/{bootstrap,compare-runs,failures,pairs,shifts}.ts',
      'src/load/engine/native/answer-check.ts',
    ],
    tests: ['test/load/*.test.ts', 'test/load/{plan,record,result,compare}/*.test.ts'],
  },
  'find-max': {
    mutate: ['src/load/find-max/search.ts'],
    tests: ['test/load/find-max/search.test.ts'],
  },
  judging: {
    mutate: [
      'src/conformance/{verdict,waivers}.ts',
      'src/conformance/service/contract/judge.ts',
      'src/conformance/service/runner/judged-rule.ts',
      'src/conformance/service/rules/estimate/compare-refusals.ts',
      'src/conformance/service/target/{answers,clock,time-form}.ts',
    ],
    tests: [
      'test/conformance/waivers.test.ts',
      'test/conformance/service/contract/*.test.ts',
      'test/conformance/service/runner/judged-rule.test.ts',
      'test/conformance/service/rules/estimate/compare-refusals.test.ts',
      'test/conformance/service/target/*.test.ts',
    ],
  },
  client: {
    mutate: ['src/conformance/client/rules/*.ts', 'src/conformance/client/parsing/*.ts'],
    tests: ['test/conformance/client/rules/*.test.ts', 'test/conformance/client/parsing/*.test.ts'],
  },
  server: {
    mutate: [
      'src/server/{authorization,signature-check,iso8601,json-body,rate-limiter}.ts',
      'src/server/{token,estimate,state}/*.ts',
    ],
    tests: ['test/server/*.test.ts', 'test/server/{token,estimate,state}/*.test.ts'],
  },
  interface: {
    mutate: ['src/interface/{signature,openapi}.ts'],
    tests: ['test/interface/*.test.ts'],
  },
};
