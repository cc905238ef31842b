import { must, rulesOf } from './rule.ts';

/** Rules for a service about the carpool fields of an estimate record. */
export const CARPOOL_RULES = rulesOf('service', ['partner'], {
  'carpool/tag': must(
    '`carpool_tag`, if present, is 0, 1 or 2, as an integer or as a string.',
    'Estimate record',
  ),
  'carpool/seat-sharing': must(
    'With `carpool_tag` 2, `carpool_info` has one element for each seat count, each with an integer `seat` and an integer `estimate_price`.',
    'Estimate record',
  ),
  'carpool/seats-distinct': must(
    'No two elements of `carpool_info` have the same `seat`.',
    'Estimate record',
  ),
  'carpool/no-seat-sharing': must(
    'With `carpool_tag` 1, `carpool_info` has exactly one element, with `estimate_price` and without `seat`.',
    'Estimate record',
  ),
  'carpool/plain': must(
    'Without carpooling, neither `carpool_tag` (unless 0) nor `carpool_info` is present.',
    'Estimate record',
  ),
});
