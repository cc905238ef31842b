// @module-tag long

import { describe, expect, it } from 'vitest';
import type { ServiceResult } from '../../src/conformance/index.ts';
import { FareproofError } from '../../src/interface/errors.ts';
import accused from './accused-styles.json' with { type: 'json' };
import { judgeControlled, judgeMetered, withVerdict } from './judge.ts';
import { ODD_STYLES } from './odd-styles.ts';

const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

/** Rules with a fail or a warning, or the code of the error that ended the run. */
async function accusedIn(run: Promise<ServiceResult>): Promise<string[]> {
  try {
    return withVerdict(await run, 'fail', 'warn');
  } catch (error) {
    if (error instanceof FareproofError) return [error.code];
    throw error;
  }
}

/** Rules that `check` accuses wrongly so far; an empty list is the aim. */
const known: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = accused;

describe('an odd but conforming service', { timeout: 120_000 }, () => {
  it.each(ODD_STYLES)('that $name is not accused, with a control API', async (style) => {
    const found = await accusedIn(judgeControlled(style, []));
    expect(found).toEqual(known['control']?.[style.name] ?? []);
  });

  it.each(ODD_STYLES)('that $name is not accused, metered', async (style) => {
    const run = judgeMetered(style, [], SIX).then(({ result }) => result);
    expect(await accusedIn(run)).toEqual(known['metered']?.[style.name] ?? []);
  });
});
