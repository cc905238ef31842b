// What a step of the test run counts for in the line `N passed, N failed`, and what is said of it.

/**
 * @typedef {'FAILED' | 'FLAKY'} TroubleKind
 * @typedef {{ kind: TroubleKind, name: string, message: string }} Trouble
 * @typedef {{ passed: number, failed: number, troubles: Trouble[] }} Tally
 */

/**
 * A vitest run counts its tests, and one failure for whatever else failed, such as a file that does
 * not load. A run that failed in yet another way, or ran no test, counts at least one failure. What
 * passed only when tried again has passed, and is named.
 *
 * @param {string} step
 * @param {string | null} text the report of tools/test-reporter.mjs; null where there is none
 * @param {boolean} ok whether vitest ended with exit code 0
 * @returns {Tally}
 */
export function tallyOfTests(step, text, ok) {
  const report = readReport(text);
  const { passed, failed, flaky } = report ?? { passed: 0, failed: [], flaky: [] };
  const troubles = [
    ...failed.map((one) => trouble('FAILED', step, one)),
    ...flaky.map((one) => trouble('FLAKY', step, one)),
  ];
  if (failed.length > 0 || (ok && passed > 0)) return { passed, failed: failed.length, troubles };
  const why = report === null ? 'it ended without a report' : 'no test failed, and yet it did';
  return {
    passed,
    failed: 1,
    troubles: [...troubles, { kind: 'FAILED', name: step, message: ok ? 'no test ran' : why }],
  };
}

/**
 * Any other step counts as one.
 *
 * @param {string} step
 * @param {boolean} ok
 * @param {string} output what the step printed
 * @returns {Tally}
 */
export function tallyOfStep(step, ok, output) {
  if (ok) return { passed: 1, failed: 0, troubles: [] };
  return { passed: 0, failed: 1, troubles: [{ kind: 'FAILED', name: step, message: output }] };
}

/**
 * @param {TroubleKind} kind
 * @param {string} step
 * @param {{ name: string, message: string }} one
 * @returns {Trouble}
 */
function trouble(kind, step, { name, message }) {
  return { kind, name: `${step}: ${name}`, message };
}

/**
 * @param {string | null} text
 * @returns {import('./test-reporter.mjs').TestReport | null}
 */
function readReport(text) {
  try {
    const report = JSON.parse(text ?? '');
    return Array.isArray(report.failed) ? report : null;
  } catch {
    // A run that was cut off leaves no report, or half of one.
    return null;
  }
}
