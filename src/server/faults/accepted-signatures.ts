import type { SignaturePairs } from '../../interface/index.ts';
import type { SignatureCheck } from '../service/signature-check.ts';
import type { Partner } from '../service/state/partners.ts';
import type { Replacement } from './parts.ts';
import { withMethods } from './with-methods.ts';

const HEX = /^[0-9a-f]{32}$/i;

/** Accepts further signatures of token requests than the right one, as long as they are 32 hex digits. */
export function accepting(
  accepts: (signature: string, right: string, partner: Partner) => boolean,
): Replacement<'signatures'> {
  return (check) =>
    withMethods(check, {
      isTokenSigned: (partner, fields, signature) => {
        if (check.isTokenSigned(partner, fields, signature)) return true;
        const right = check.tokenSignature(partner, fields);
        return (
          right !== null && HEX.test(signature) && accepts(signature.toLowerCase(), right, partner)
        );
      },
    });
}

/** Accepts signatures of token requests that are made with other keys. */
export function alsoSignedWith(
  keysOf: (partner: Partner, partners: readonly Partner[]) => readonly string[],
): Replacement<'signatures'> {
  return (check, { partners }) =>
    alsoSigned(check, (partner, fields, signature) =>
      keysOf(partner, partners).some((signingKey) =>
        check.isTokenSigned({ ...partner, signingKey }, fields, signature),
      ),
    );
}

/** Accepts signatures of token requests over other fields. */
export function alsoSignedAs(
  fieldsOf: (fields: SignaturePairs) => readonly SignaturePairs[],
): Replacement<'signatures'> {
  return (check) =>
    alsoSigned(check, (partner, fields, signature) =>
      fieldsOf(fields).some((other) => check.isTokenSigned(partner, defined(other), signature)),
    );
}

/** Accepts further signatures of token requests. */
function alsoSigned(
  check: SignatureCheck,
  accepts: SignatureCheck['isTokenSigned'],
): SignatureCheck {
  return withMethods(check, {
    isTokenSigned: (...request) => check.isTokenSigned(...request) || accepts(...request),
  });
}

/** The pairs without those that are undefined. */
function defined(pairs: SignaturePairs): SignaturePairs {
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined));
}
