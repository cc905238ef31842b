import type { ServiceResult } from '../../../../src/conformance/index.ts';

type Gap = ServiceResult['gaps'][number];

/** Observed setting of a gap. */
export const settingOf = (gaps: readonly Gap[], id: string): unknown =>
  gaps.find((gap) => gap.id === id)?.observed?.value;

/** Observation of a gap in words. */
export const wordsOf = (gaps: readonly Gap[], id: string): string =>
  gaps.find((gap) => gap.id === id)?.observed?.words ?? '';
