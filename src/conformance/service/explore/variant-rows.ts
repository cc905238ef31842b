import type { Check } from '../contract/check.ts';
import { type AnyAttempt, type Variant, variantsOf } from '../contract/templates.ts';
import { SERVICE_CHECKS } from '../rules/all.ts';
import type { Apply, Row } from './row.ts';

function rowOf(check: Check, variant: Variant<AnyAttempt>): Row {
  const [{ baseRequest }] = check.places;
  const [words, , traits] = variant;
  return {
    name: `with ${words}`,
    // What varies a platform token request varies each other in the same way.
    on: baseRequest === 'platform' || baseRequest === 'standalone' ? 'token' : baseRequest,
    is: 'wrong',
    rule: check.id,
    tolerates: traits?.tolerates,
    apply: applying(check, variant),
  };
}

const applying =
  ({ needs }: Check, [, vary]: Variant<AnyAttempt>): Apply =>
  async (draft, around) => {
    const { environment } = around.facts;
    if (needs?.environment !== undefined && needs.environment !== environment) return false;
    const varied = await vary(around);
    if (!varied) return false;
    const { fields, query, accessToken = draft.accessToken, ...parts } = varied;
    const changed = fields ?? query ?? draft.fields;
    const isSame =
      Object.keys(parts).length === 0 &&
      accessToken === draft.accessToken &&
      JSON.stringify(changed) === JSON.stringify(draft.fields);
    draft.fields = { ...changed };
    draft.accessToken = accessToken;
    Object.assign(draft.parts, parts);
    return !isSame;
  };

/** Ways in which the checks of refusals vary a request, as rows. */
export const VARIANT_ROWS: readonly Row[] = SERVICE_CHECKS.flatMap((check) => {
  const once = new Map(variantsOf(check).map((variant) => [variant[0], variant]));
  return [...once.values()]
    .filter(([, , traits]) => !traits?.needsMore && !traits?.isOpen)
    .map((variant) => rowOf(check, variant));
});
