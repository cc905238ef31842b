import type { PartnerUse, ProfilePartner } from '../interface/index.ts';

const CODES_EACH = 12;

/**
 * The partners of a server that is started without any: one for each use of a profile. Their keys are
 * public.
 */
export const DEMO_PARTNERS: readonly ProfilePartner[] = [
  demoPartner('demo', 'general'),
  demoPartner('demo-spendable', 'spendable'),
  demoPartner('demo-witness', 'witness'),
  demoPartner('demo-long-lock', 'long-lock'),
];

function demoPartner(id: string, use: PartnerUse): ProfilePartner {
  return {
    id,
    signingKey: `signing-key-of-${id}`,
    use,
    authCodes: Array.from({ length: CODES_EACH }, (_, index) => `${id}-code-${index + 1}`),
  };
}
