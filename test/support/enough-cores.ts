import type * as Health from '../../src/load/result/generator-health.ts';

/**
 * The verdicts on a system that does not report core wait: other tests may take the cores. For `vi.mock`.
 */
export async function judgingWithoutCoreWait(
  importOriginal: () => Promise<typeof Health>,
): Promise<typeof Health> {
  const original = await importOriginal();
  const judgeGenerator: typeof original.judgeGenerator = (measured) =>
    original.judgeGenerator({
      ...measured,
      reports: measured.reports.map((report) => ({
        ...report,
        usage: { ...report.usage, coreWait: null },
      })),
    });
  return { ...original, judgeGenerator };
}
