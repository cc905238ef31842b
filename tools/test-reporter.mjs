// A reporter for vitest that writes down what tools/test.mjs has to know of a run: how many tests
// passed, and by name what failed, and what passed only when tried again. The file is named by
// FAREPROOF_TEST_REPORT.

import { writeFileSync } from 'node:fs';

/**
 * @typedef {import('vitest/node').TestModule} TestModule
 * @typedef {import('vitest/node').TestCase} TestCase
 * @typedef {import('vitest/node').SerializedError} SerializedError
 * @typedef {{ name: string, message: string }} Named
 * @typedef {{ passed: number, failed: Named[], flaky: Named[] }} TestReport
 */

export default class TestReporter {
  /**
   * @param {readonly TestModule[]} modules
   * @param {readonly SerializedError[]} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const file = process.env['FAREPROOF_TEST_REPORT'];
    if (file) writeFileSync(file, JSON.stringify(reportOf(modules, unhandled)));
  }
}

/**
 * @param {readonly TestModule[]} modules
 * @param {readonly SerializedError[]} unhandled
 * @returns {TestReport}
 */
function reportOf(modules, unhandled) {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const failed = tests.filter((test) => test.result().state === 'failed');
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failed: [
      ...failed.map((test) => named(nameOf(test), test.result().errors)),
      ...modules.flatMap(failuresBesideTests),
      ...unhandled.map((error) => named('outside of any test', [error])),
    ],
    flaky: tests
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => named(nameOf(test), test.result().errors)),
  };
}

/**
 * A file that does not load, and what a file or a group sets up or tears down.
 *
 * @param {TestModule} module
 */
function failuresBesideTests(module) {
  const groups = [...module.children.allSuites()];
  const broken = [
    { name: module.relativeModuleId, errors: module.errors() },
    ...groups.map((group) => ({
      name: `${module.relativeModuleId} > ${group.fullName}`,
      errors: group.errors(),
    })),
  ];
  return broken
    .filter(({ errors }) => errors.length > 0)
    .map(({ name, errors }) => named(name, errors));
}

/** @param {TestCase} test */
function nameOf(test) {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

/**
 * @param {string} name
 * @param {readonly { message?: string, stack?: string, diff?: string }[] | undefined} errors
 * @returns {Named}
 */
function named(name, errors) {
  const { message = '', stack = '', diff = '' } = errors?.[0] ?? {};
  const at = stack
    .split('\n')
    .find((line) => /^\s+at .*(?<!node_modules.*):\d+:\d+\)?$/.test(line));
  return { name, message: [message, at, diff].filter(Boolean).join('\n') };
}
