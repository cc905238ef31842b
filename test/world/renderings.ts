import type { ConformanceDocument } from '../../src/documents/conformance.ts';
import { toConsole, toJunit } from '../../src/report/index.ts';
import { parseXml } from '../report/parse-xml.ts';

const OF_SUMMARY = ['fail', 'warn', 'pass', 'inconclusive', 'untestable'] as const;

/** Renderings of a document that say something else than it. */
export function renderingFaults(document: ConformanceDocument): string[] {
  const { exit, summary, rules, interrupted = false, verdict, scenarios = [] } = document;
  const suite = parseXml(toJunit(document)).children[0];
  const cases = suite?.children.filter(({ name }) => name === 'testcase') ?? [];
  const failed = cases
    .filter(({ children }) => children.some(({ name }) => name === 'failure'))
    .map(({ attributes }) => attributes['name'] ?? '');
  const broken = rules.filter((one) => one.verdict === 'fail').map(({ id }) => id);
  const shown = toConsole(document, { color: false });
  const isBroken = broken.length > 0 || scenarios.some((one) => one.verdict === 'fail');
  // A scenario is no test case: where it alone failed, the exit code is one.
  const expected = isBroken && broken.length === 0 ? ['exit code'] : broken;
  const code = interrupted ? 130 : isBroken ? 1 : null;
  return [
    ...OF_SUMMARY.filter((one) => summary[one] !== rules.filter((r) => r.verdict === one).length),
    ...((verdict === 'not-conformant') === isBroken ? [] : [`verdict ${verdict}`]),
    ...(code !== null && exit?.code !== code ? [`exit code ${exit?.code}, not ${code}`] : []),
    ...(code === null && exit?.code === 1 ? ['exit code 1 without a failure'] : []),
    ...(failed.join() === expected.join() ? [] : [`JUnit fails ${failed.join()}`]),
    ...broken.filter((id) => !shown.includes(id)).map((id) => `the terminal has no ${id}`),
  ];
}
