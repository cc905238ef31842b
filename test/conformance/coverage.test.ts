import { expect, it } from 'vitest';
import { SERVICE_CHECKS, SERVICE_OBSERVATIONS } from '../../src/conformance/service/rules/all.ts';
import { SERVICE_RULES } from '../../src/interface/catalogue.ts';

it.each(['controlled', 'metered'])(
  'every service rule is judged by exactly one check or observation of a %s target',
  (kind) => {
    const judged = [
      ...SERVICE_CHECKS.filter(({ only = kind }) => only === kind).flatMap(({ rules }) => rules),
      ...SERVICE_OBSERVATIONS.map(({ rule }) => rule),
    ];
    expect([...judged].sort()).toEqual(SERVICE_RULES.map(({ id }) => id).sort());
  },
);
