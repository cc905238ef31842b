import { timingSafeEqual } from 'node:crypto';
import type {
  Behaviour,
  SignaturePairs,
  SignatureSettings,
  SignedFields,
} from '../../interface/index.ts';
import { sign, signatureSettingsOf } from '../../interface/index.ts';
import { Refusal } from './messages.ts';
import type { Settings } from './settings.ts';
import type { Partner } from './state/partners.ts';

/** Signs pairs with a key; throws for pairs that have no signature. */
export type Signer = (
  pairs: SignaturePairs,
  signingKey: string,
  settings: SignatureSettings,
) => string;

const HEX = /^[0-9a-f]{32}$/i;

/** Checks signatures (interface.md, "Signature algorithm"). */
export class SignatureCheck {
  readonly #behaviour: Behaviour;
  readonly #settings: SignatureSettings;
  readonly #signToken: Signer;

  /** @param signToken signs token requests; default the algorithm of the interface */
  constructor(behaviour: Behaviour, signToken: Signer = sign) {
    this.#behaviour = behaviour;
    this.#settings = signatureSettingsOf(behaviour);
    this.#signToken = signToken;
  }

  /** Checks the signature of a token request. */
  isTokenSigned(partner: Partner, fields: SignaturePairs, signature: string): boolean {
    return this.#isSame(signature, this.tokenSignature(partner, fields));
  }

  /** The right signature of a token request; null if the fields have none. */
  tokenSignature({ signingKey }: Partner, fields: SignaturePairs): string | null {
    const pairs = select(fields, this.#behaviour['signed-fields-token']);
    return this.#signWith(this.#signToken, pairs, signingKey);
  }

  /** Checks the signature of a user's estimate over its query. */
  isEstimateSigned(
    { signingKey }: Partner,
    parameters: SignaturePairs,
    signature: string,
  ): boolean {
    const pairs = select(parameters, this.#behaviour['signed-fields-estimate']);
    return this.#isSame(signature, this.#signWith(sign, pairs, signingKey));
  }

  /** Null for pairs that have no signature: an empty set, or lists nested too deep. */
  #signWith(signer: Signer, pairs: SignaturePairs, signingKey: string): string | null {
    try {
      return signer(pairs, signingKey, this.#settings);
    } catch {
      return null;
    }
  }

  #isSame(given: string, expected: string | null): boolean {
    if (expected === null || !HEX.test(given)) return false;
    const text = this.#behaviour['signature-hex-case'] === 'any' ? given.toLowerCase() : given;
    return timingSafeEqual(Buffer.from(text), Buffer.from(expected));
  }
}

/** The pairs that are signed; `Object.fromEntries` keeps a pair named `__proto__`. */
function select(pairs: SignaturePairs, fields: SignedFields): SignaturePairs {
  if (fields === 'all') return pairs;
  return Object.fromEntries(Object.entries(pairs).filter(([name]) => fields.includes(name)));
}

/** The refusal of a wrong signature of a body or a query, with the mistake in it where one is known. */
export function signatureRefusal(
  { explainSignature }: Pick<Settings, 'explainSignature'>,
  signed: { readonly what: 'body' | 'query'; readonly pairs: SignaturePairs },
  { signingKey }: Partner,
  signature: string,
): Refusal {
  const rule = signed.what === 'body' ? 'signature/invalid-refused' : 'auth/user-signature';
  const refusal = (mistake: string | null, explained?: Promise<Refusal>): Refusal => {
    const words = mistake === null ? '' : `: it ${mistake}`;
    const message = `SIGN is not the signature of this ${signed.what}${words}.`;
    return new Refusal('signature-invalid', message, { field: 'Authorization', rule }, explained);
  };
  const mistake = explainSignature?.(signed.pairs, signingKey, signature) ?? null;
  return mistake instanceof Promise
    ? refusal(
        null,
        mistake.then((found) => refusal(found)),
      )
    : refusal(mistake);
}
