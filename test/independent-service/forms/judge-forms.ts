import { hash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEED } from '../../support/property.ts';
import { Chance } from '../chance.ts';
import { FORMS_BY_SUBJECT } from './all.ts';
import { isDetected, type Mode, measure } from './measure.ts';
import notYet from './not-yet-detected.json' with { type: 'json' };

/** `all`, the number of a sixtieth (0 to 59), or a pattern of names. */
const { FAREPROOF_FORMS: part = '0', FAREPROOF_FORMS_ROWS: rowsFile } = process.env;

const PARTS = 60;

const numberOf = (form: string): number => Number.parseInt(hash('md5', form).slice(0, 8), 16);

/** A sixtieth is chosen by name, so that a form can move from table to table. */
const isChosen = (form: string): boolean =>
  /^\d+$/.test(part) ? numberOf(form) % PARTS === Number(part) : new RegExp(part).test(form);

/** The forms of this run. */
function chosenForms(): { readonly subject: string; readonly form: string }[] {
  return (
    Object.entries(FORMS_BY_SUBJECT)
      .flatMap(([subject, forms]) => Object.keys(forms).map((form) => ({ subject, form })))
      .filter(({ form }) => part === 'all' || isChosen(form))
      // Some are found by luck: they are only measured.
      .filter(({ form }) => rowsFile !== undefined || !form.endsWith('one-in-five'))
  );
}

/**
 * Judges the chosen forms. A form is red, unless `not-yet-detected.json` lists it; a listed one is
 * not, so that the list can only shrink. With `FAREPROOF_FORMS_ROWS` nothing is expected; the file
 * gets what was found.
 */
export function judgeForms(mode: Mode): void {
  const undetected: readonly string[] = notYet.undetected[mode];
  const accused: Readonly<Record<string, readonly string[]>> = notYet.accused[mode];
  describe(`a form, ${mode}`, { timeout: 120_000 }, () => {
    it.each(chosenForms())('$form', async ({ subject, form }) => {
      if (rowsFile !== undefined) {
        const chance = new Chance(numberOf(form) + SEED, 'drawn');
        const drawn = await measure(form, mode, chance);
        appendFileSync(rowsFile, `${JSON.stringify({ subject, form, mode, ...drawn })}\n`);
        return;
      }
      const found = await measure(form, mode);
      expect({ isDetected: isDetected(found), accused: found.accused }).toEqual({
        isDetected: !undetected.includes(form),
        accused: accused[form] ?? [],
      });
    });
  });
}
