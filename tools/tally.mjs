// What a step of the test run counts for in the line `N passed, N failed`.

/** @typedef {{ passed: number, failed: number }} Tally */

/**
 * A vitest run counts its tests, and one failure for a file that failed without a failed test in
 * it, such as one that does not load. A run that failed in yet another way, or ran no test, counts
 * at least one failure.
 *
 * @param {string | null} report the text of vitest's JSON report; null where it wrote none
 * @param {boolean} ok whether vitest ended with exit code 0
 * @returns {Tally}
 */
export function tallyOfTests(report, ok) {
  const { passed, failed } = readReport(report);
  return { passed, failed: ok && passed > 0 ? failed : Math.max(failed, 1) };
}

/**
 * Any other step counts as one.
 *
 * @param {boolean} ok
 * @returns {Tally}
 */
export function tallyOfStep(ok) {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * @param {string | null} report
 * @returns {Tally}
 */
function readReport(report) {
  try {
    /** @type {{ numPassedTests: number, numFailedTests: number, testResults: { status: string, assertionResults: { status: string }[] }[] }} */
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(report ?? '');
    const failedFiles = testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    );
    return { passed: numPassedTests, failed: numFailedTests + failedFiles.length };
  } catch {
    // A run that was cut off leaves no report, or half of one.
    return { passed: 0, failed: 0 };
  }
}
