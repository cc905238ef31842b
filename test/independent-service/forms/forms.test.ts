import { expect, it } from 'vitest';
import { SERVICE_RULES } from '../../../src/interface/catalogue.ts';
import { FORMS_BY_SUBJECT } from './all.ts';
import notYet from './not-yet-detected.json' with { type: 'json' };

const forms = Object.values(FORMS_BY_SUBJECT).flatMap(Object.keys);

it('each form names a rule, and no name occurs twice', () => {
  const rules = new Set<string>(SERVICE_RULES.map(({ id }) => id));
  expect(forms.filter((form) => !rules.has(form.split('#')[0] ?? ''))).toEqual([]);
  expect(forms.filter((form, at) => forms.indexOf(form) < at)).toEqual([]);
  expect(forms.length).toBeGreaterThan(600);
});

it('the lists of forms that are not detected name forms only', () => {
  const { undetected, accused } = notYet;
  const listed = [
    ...undetected.control,
    ...undetected.metered,
    ...Object.keys(accused.control),
    ...Object.keys(accused.metered),
  ];
  expect(listed.filter((form) => !forms.includes(form))).toEqual([]);
});
