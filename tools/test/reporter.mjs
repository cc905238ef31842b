// A reporter for vitest that writes the outcome of a run for tools/test/run.mjs: the number of tests
// that passed, and what failed. FAREPROOF_TEST_REPORT names the file.

import { writeFileSync } from 'node:fs';

/**
 * @typedef {import('vitest/node').TestModule} TestModule
 * @typedef {import('vitest/node').SerializedError} SerializedError
 * @typedef {import('./outcome.mjs').Failure} Failure
 * @typedef {import('./outcome.mjs').Outcome} Outcome
 */

export default class TestReporter {
  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly SerializedError[]} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const file = process.env['FAREPROOF_TEST_REPORT'];
    if (file) writeFileSync(file, JSON.stringify(outcomeOf(modules, unhandled)));
  }
}

/**
 * @param {readonly TestModule[]} modules
 * @param {readonly SerializedError[]} unhandled
 * @returns {Outcome}
 */
function outcomeOf(modules, unhandled) {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failures: [
      ...tests
        .filter((test) => test.result().state === 'failed')
        .map((test) =>
          failure(`${test.module.relativeModuleId} > ${test.fullName}`, test.result().errors),
        ),
      ...modules.flatMap(failuresOutsideTests),
      ...unhandled.map((error) => failure('outside of any test', [error])),
    ],
  };
}

/**
 * A file that does not load, and what a file or a group sets up or tears down.
 *
 * @param {TestModule} module
 */
function failuresOutsideTests(module) {
  const { relativeModuleId: id } = module;
  return [
    { name: id, errors: module.errors() },
    ...[...module.children.allSuites()].map((group) => ({
      name: `${id} > ${group.fullName}`,
      errors: group.errors(),
    })),
  ]
    .filter(({ errors }) => errors.length > 0)
    .map(({ name, errors }) => failure(name, errors));
}

/**
 * @param {string} name
 * @param {readonly { message?: string, stack?: string, diff?: string }[] | undefined} errors
 * @returns {Failure}
 */
function failure(name, errors) {
  const { message = '', stack = '', diff = '' } = errors?.[0] ?? {};
  const at = stack
    .split('\n')
    .find((line) => /^\s+at .*(?<!node_modules.*):\d+:\d+\)?$/.test(line));
  return { name, message: [message, at, diff].filter(Boolean).join('\n') };
}
