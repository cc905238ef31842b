import type { Behaviour } from '../../interface/index.ts';

/** The fast path counts characters as bytes. */
const ASCII = /^[\x21-\x7e]+$/;

/**
 * Checks whether the fast path gives the same answers as the service: it implements only the defaults
 * of the gaps that concern estimates.
 */
export function supports(behaviour: Behaviour): boolean {
  return (
    behaviour['ban-reach'] !== 'everything' &&
    behaviour['estimate-rate-limit'] === 'none' &&
    behaviour['estimate-content-type-required'] === 'no' &&
    behaviour['signed-fields-estimate'] === 'all' &&
    behaviour['estimate-signed-decoded-or-encoded'] === 'decoded' &&
    behaviour['text-zero-signed'] === 'kept' &&
    behaviour['pay-type-codes'].every((code) => ASCII.test(code))
  );
}
