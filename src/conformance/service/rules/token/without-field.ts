import type { Check } from '../../contract/check.ts';
import { refusals } from '../../contract/templates.ts';

/** A request that names no grant type counts, at worst, for each allowance. */
export const ANY_KIND = { platform: 1, user: 1, refresh: 1 } as const;

/** A request without one of its fields, its signature right for the fields that are left. */
export const withoutField = (rule: string, field: string, kinds?: typeof ANY_KIND): Check =>
  refusals({
    rule,
    baseRequest: 'platform',
    alsoOn: kinds ? [] : ['refresh'],
    refusedAs: 'field-missing',
    each: kinds,
    variants: [[`no ${field}`, (ctx) => ({ fields: ctx.base({ [field]: undefined }) })]],
  });
