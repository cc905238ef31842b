import type { ServiceRuleText } from './rule.ts';

/** Rules for a service about the carpool fields of an estimate record. */
export const CARPOOL_RULES = [
  {
    id: 'carpool/tag',
    level: 'must',
    statement: '`carpool_tag`, if present, is 0, 1 or 2, as an integer or as a string.',
    section: 'Estimate record',
    needs: ['partner'],
  },
  {
    id: 'carpool/seat-sharing',
    level: 'must',
    statement:
      'With `carpool_tag` 2, `carpool_info` has one element for each seat count, each with an integer `seat` and an integer `estimate_price`.',
    section: 'Estimate record',
    needs: ['partner'],
  },
  {
    id: 'carpool/seats-distinct',
    level: 'must',
    statement: 'No two elements of `carpool_info` have the same `seat`.',
    section: 'Estimate record',
    needs: ['partner'],
  },
  {
    id: 'carpool/no-seat-sharing',
    level: 'must',
    statement:
      'With `carpool_tag` 1, `carpool_info` has exactly one element, with `estimate_price` and without `seat`.',
    section: 'Estimate record',
    needs: ['partner'],
  },
  {
    id: 'carpool/plain',
    level: 'must',
    statement:
      'Without carpooling, neither `carpool_tag` (unless 0) nor `carpool_info` is present.',
    section: 'Estimate record',
    needs: ['partner'],
  },
] as const satisfies readonly ServiceRuleText[];
