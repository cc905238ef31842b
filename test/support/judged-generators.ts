import { judgeGenerator } from '../../src/load/result/generator-health.ts';
import type { JudgeGenerator } from '../../src/load/run-context.ts';

/** Judges as on a system that does not report core wait: other tests may take the cores. */
export const judgeWithoutCoreWait: JudgeGenerator = (measured) =>
  judgeGenerator({
    ...measured,
    reports: measured.reports.map((report) => ({
      ...report,
      usage: { ...report.usage, coreWait: null },
    })),
  });

/** Finds every generator late, or none, whatever the speed of this machine. */
export const judgeAs =
  ({ late }: { readonly late: boolean }): JudgeGenerator =>
  (measured) => ({
    ...judgeGenerator(measured),
    saturated: late,
    late,
    reasons: late ? ['The generator sent late.'] : [],
  });
