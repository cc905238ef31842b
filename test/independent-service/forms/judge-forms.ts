import { hash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEED } from '../../support/property.ts';
import { Chance } from '../chance.ts';
import { BY_LUCK, FORMS_BY_SUBJECT } from './all.ts';
import { isDetected, type Mode, measure } from './measure.ts';
import notYet from './not-yet-detected.json' with { type: 'json' };

/** `all`, the number of a part, or a pattern of names; and a file for what is measured, by which rules. */
const {
  FAREPROOF_FORMS: part = '0',
  FAREPROOF_FORMS_ROWS: rowsFile,
  FAREPROOF_FORMS_BY: measuredBy = 'own',
} = process.env;

/** Every form is judged by its own rule, and one of so many by all rules. */
const PARTS = { own: 1, all: 120 } as const;

type By = keyof typeof PARTS;

const numberOf = (form: string): number => Number.parseInt(hash('md5', form).slice(0, 8), 16);

/** A part is chosen by name, so that a form can move from table to table. */
const isChosen = (form: string, by: By): boolean =>
  /^\d+$/.test(part)
    ? numberOf(form) % PARTS[by] === Number(part) % PARTS[by]
    : new RegExp(part).test(form);

/** The forms of this run. */
function chosenForms(by: By): { readonly subject: string; readonly form: string }[] {
  return Object.entries(FORMS_BY_SUBJECT)
    .flatMap(([subject, forms]) => Object.keys(forms).map((form) => ({ subject, form })))
    .filter(({ form }) => part === 'all' || isChosen(form, by))
    .filter(({ form }) => rowsFile !== undefined || !BY_LUCK.test(form));
}

/**
 * Judges the chosen forms. By its own rule a form is red, unless `not-yet-detected.json` lists it; a listed one
 * is not, so that the list can only shrink. By all rules, none is accused but those of the list. With
 * `FAREPROOF_FORMS_ROWS` nothing is expected; the file gets what was found.
 */
export function judgeForms(mode: Mode): void {
  const undetected: readonly string[] = notYet.undetected[mode];
  const accused: Readonly<Record<string, readonly string[]>> = notYet.accused[mode];
  const by = rowsFile === undefined ? 'own' : (measuredBy as By);
  describe(`a form, ${mode}`, () => {
    it.each(chosenForms(by))(`$form by ${by} rules`, async ({ subject, form }) => {
      if (rowsFile !== undefined) {
        const chance = new Chance(numberOf(form) + SEED, 'drawn');
        const row = { subject, form, mode, ...(await measure(form, mode, by, chance)) };
        appendFileSync(rowsFile, `${JSON.stringify(row)}\n`);
        return;
      }
      expect(isDetected(await measure(form, mode, by))).toBe(!undetected.includes(form));
    });

    it.each(rowsFile === undefined ? chosenForms('all') : [])(
      '$form by all rules',
      async ({ form }) => {
        expect((await measure(form, mode, 'all')).accused).toEqual(accused[form] ?? []);
      },
    );
  });
}
