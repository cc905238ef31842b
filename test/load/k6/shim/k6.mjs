import { record, scenario } from './record.mjs';

/**
 * @param {unknown} value
 * @param {Record<string, (value: unknown) => boolean>} checks
 * @param {object} tags
 */
export function check(value, checks, tags) {
  const results = Object.entries(checks).map(([name, test]) => {
    const isPassed = test(value);
    record.checks.push({ name, isPassed, tags: { scenario: scenario.name, ...tags } });
    return isPassed;
  });
  return results.every(Boolean);
}
