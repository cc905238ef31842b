// @module-tag long

import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ServiceResult } from '../../src/conformance/index.ts';
import { SERVICE_RULES } from '../../src/interface/catalogue.ts';
import { FareproofError } from '../../src/interface/errors.ts';
import fc from '../support/property.ts';
import accused from './accused-styles.json' with { type: 'json' };
import { Chance } from './chance.ts';
import { judgeControlled, judgeMetered, withVerdict } from './judge.ts';
import type { OddStyle } from './odd/odd-style.ts';
import { areCombinable, ODD_STYLES, styleWith } from './odd-styles.ts';

const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

/** `all`: by all parts of all rules. The seed of a run selects other areas, parts and answers of chance. */
const { FAREPROOF_STYLES: rules, FAREPROOF_FUZZ_SEED: seed = '11' } = process.env;

const AREAS_EACH = 3;
/** Every part of three areas is some thousand requests with a control API. */
const REQUESTS = rules === 'all' ? null : 150;

const AREAS = [...new Set(SERVICE_RULES.map(({ id }) => id.split('/')[0] ?? ''))];

/** Globs of the rules that a style is judged by: those of three areas that its name and the seed draw. */
function areasOf(name: string): readonly string[] {
  if (rules === 'all') return [];
  const drawn = (area: string): string => hash('md5', `${name} ${area} ${seed}`);
  const areas = AREAS.toSorted((a, b) => (drawn(a) < drawn(b) ? -1 : 1)).slice(0, AREAS_EACH);
  return areas.map((area) => `${area}/*`);
}

const STYLES = ODD_STYLES.map((style) => ({ ...style, only: areasOf(style.name) }));

/** Rules with a fail or a warning, or the code of the error that ended the run. */
async function accusedIn(run: Promise<ServiceResult>): Promise<string[]> {
  try {
    return withVerdict(await run, 'fail', 'warn');
  } catch (error) {
    if (error instanceof FareproofError) return [error.code];
    throw error;
  }
}

const RUN = { seed: Number(seed) };

const chanceOfRun = (): Chance => new Chance(RUN.seed);

/** Rules of a run, and its requests; by default all. */
interface StyleRun {
  readonly only?: readonly string[];
  readonly requests?: number | null;
}

const controlled = (style: OddStyle, run: StyleRun = {}): Promise<string[]> =>
  accusedIn(judgeControlled(style, [], { ...RUN, ...run }, undefined, chanceOfRun()));

const metered = (style: OddStyle, run: StyleRun = {}): Promise<string[]> =>
  accusedIn(
    judgeMetered(style, [], SIX, { ...RUN, ...run }, undefined, chanceOfRun()).then(
      ({ result }) => result,
    ),
  );

/** Rules that `check` accuses wrongly so far; an empty list is the aim. */
function knownOf(
  mode: keyof typeof accused,
  { name, only }: (typeof STYLES)[number],
): readonly string[] {
  const lists: Readonly<Record<string, readonly string[]>> = accused[mode];
  const isJudged = (id: string): boolean =>
    only.length === 0 || only.includes(`${id.split('/')[0]}/*`);
  return (lists[name] ?? []).filter(isJudged);
}

describe('an odd but conforming service', () => {
  it.each(STYLES)('that $name is not accused, with a control API', async (style) => {
    expect(await controlled(style, { only: style.only, requests: REQUESTS })).toEqual(
      knownOf('control', style),
    );
  });

  it.each(STYLES)('that $name is not accused, metered', async (style) => {
    expect(await metered(style, { only: style.only, requests: REQUESTS })).toEqual(
      knownOf('metered', style),
    );
  });

  it('is not accused for two or three differences together', { timeout: 600_000 }, async () => {
    const names = fc.constantFrom(...ODD_STYLES.map(({ name }) => name));
    const some = fc.uniqueArray(names, { minLength: 2, maxLength: 3 }).filter(areCombinable);
    const all = rules === 'all';
    const expectNothing =
      (judge: (style: OddStyle) => Promise<string[]>) =>
      async (chosen: readonly string[]): Promise<void> => {
        expect(await judge(styleWith(chosen))).toEqual([]);
      };
    await fc.assert(fc.asyncProperty(some, expectNothing(metered)), { numRuns: all ? 60 : 4 });
    await fc.assert(fc.asyncProperty(some, expectNothing(controlled)), { numRuns: all ? 30 : 2 });
  });
});
