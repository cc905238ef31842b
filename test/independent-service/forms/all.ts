import type { Form } from '../form.ts';
import { BASE, NAMED } from './base.ts';
import { CARRIERS } from './carriers.ts';
import { FLAKY } from './flaky.ts';
import { FURTHER } from './further.ts';
import { HISTORY } from './history.ts';
import { MISTAKES } from './mistakes.ts';
import { SIGNATURE } from './signature.ts';
import { SPOILINGS } from './spoilings.ts';
import { VALUES } from './values.ts';

/** The forms `RULE_ID#form` by cause: ways of breaking a rule besides its first. */
export const FORMS_BY_CAUSE: Readonly<Record<string, Readonly<Record<string, Form>>>> = {
  'on one carrier only': CARRIERS,
  'spoiled otherwise': SPOILINGS,
  'a step of the signature': SIGNATURE,
  'in time and history': HISTORY,
  'in values': VALUES,
  'in what surrounds the service': FURTHER,
  'by a mistake of its language or store': MISTAKES,
  'one answer in five': FLAKY,
};

const FORMS: Readonly<Record<string, Form>> = Object.assign(
  {},
  BASE,
  NAMED,
  ...Object.values(FORMS_BY_CAUSE),
);

/** The form of a name. @throws Error for an unknown one */
export function formOf(name: string): Form {
  const form = FORMS[name];
  if (!form) throw new Error(`no form ${name}`);
  return form;
}
