/**
 * Sources of an area that are mutated, and the tests that may notice. Mutants exist in the process of
 * the test only: a test that runs the built program, or a worker, notices none.
 *
 * @typedef {{ mutate: readonly string[], tests: readonly string[] }} Area
 */

/** @type {Readonly<Record<string, Area>>} */
export const AREAS = {
  plan: {
    mutate: ['src/load/{seeded-random,threshold}.ts', 'src/load/plan/{schedule,stages}.ts'],
    tests: ['test/load/{seeded-random,threshold}.test.ts', 'test/load/plan/*.test.ts'],
  },
  record: {
    mutate: [
      'src/load/record/{histogram,merge,recorder,series}.ts',
      'src/load/result/{build,generator-health,verdict}.ts',
    ],
    tests: ['test/load/{record,result}/*.test.ts'],
  },
  compare: {
    mutate: [
      'src/load/compare/{bootstrap,compare-runs,failures,pair-series,pairs,shifts}.ts',
      'src/load/find-max/search.ts',
    ],
    tests: ['test/load/compare/*.test.ts', 'test/load/find-max/search.test.ts'],
  },
  judging: {
    mutate: [
      'src/conformance/{verdict,waivers}.ts',
      'src/conformance/service/contract/{judge,observation}.ts',
      'src/conformance/service/runner/{confirm,judged-rule}.ts',
      'src/conformance/service/target/{answers,clock,stability,time-form}.ts',
    ],
    tests: [
      'test/conformance/{verdict,waivers}.test.ts',
      'test/conformance/service/contract/*.test.ts',
      'test/conformance/service/runner/{confirm,judged-rule}.test.ts',
      'test/conformance/service/target/{answers,clock,stability,time-form}.test.ts',
    ],
  },
  observations: {
    mutate: [
      'src/conformance/service/rules/{carpool,record}.ts',
      'src/conformance/service/rules/token/response.ts',
      'src/conformance/service/rules/estimate/{compare-refusals,price}.ts',
    ],
    tests: [
      'test/conformance/service/rules/{carpool,record}.test.ts',
      'test/conformance/service/rules/token/*.test.ts',
      'test/conformance/service/rules/estimate/{compare-refusals,price}.test.ts',
    ],
  },
  client: {
    mutate: ['src/conformance/client/{parsing,rules}/*.ts'],
    tests: ['test/conformance/client/{parsing,rules}/*.test.ts'],
  },
  server: {
    mutate: [
      'src/server/{authorization,iso8601,json-body,rate-limiter,signature-check}.ts',
      'src/server/{estimate,state,token}/*.ts',
    ],
    tests: ['test/server/*.test.ts', 'test/server/{estimate,state,token}/*.test.ts'],
  },
  interface: {
    mutate: ['src/interface/{openapi,signature}.ts'],
    tests: ['test/interface/*.test.ts'],
  },
};
