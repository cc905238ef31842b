import { timingSafeEqual } from 'node:crypto';
import type { Behaviour, SignaturePairs, SignedFields } from '../interface/index.ts';
import { sign, signatureSettingsOf } from '../interface/index.ts';
import type { Signer } from './faults/faulty-signing.ts';
import { signerWith } from './faults/faulty-signing.ts';
import type { FaultSwitches } from './faults/switches.ts';
import type { Settings } from './settings.ts';
import type { Partner } from './state/partners.ts';

const HEX = /^[0-9a-f]{32}$/i;

/** Judges signatures (interface.md, "Signature algorithm"). */
export class SignatureCheck {
  readonly #behaviour: Behaviour;
  readonly #faults: FaultSwitches;
  readonly #signToken: Signer;
  readonly #signEstimate: Signer;

  constructor({ behaviour, faults }: Settings) {
    this.#behaviour = behaviour;
    this.#faults = faults;
    const settings = signatureSettingsOf(behaviour);
    this.#signToken = signerWith(faults, settings);
    this.#signEstimate = (pairs, key) => sign(pairs, key, settings);
  }

  /** Whether a token request's signature is right. */
  isTokenSigned(partner: Partner, fields: SignaturePairs, signature: string): boolean {
    const pairs = select(fields, this.#behaviour['signed-fields-token']);
    const expected = signed(this.#signToken, pairs, partner);
    if (expected === null) return false;
    if (this.#isSame(signature, expected)) return !this.#faults['signature/valid-accepted'];
    return this.#isWronglyAccepted(partner, pairs, signature.toLowerCase(), expected);
  }

  /** Whether a user estimate's signature over its query is right. */
  isEstimateSigned(partner: Partner, parameters: SignaturePairs, signature: string): boolean {
    const pairs = select(parameters, this.#behaviour['signed-fields-estimate']);
    const expected = signed(this.#signEstimate, pairs, partner);
    return expected !== null && this.#isSame(signature, expected);
  }

  #isSame(given: string, expected: string): boolean {
    if (!HEX.test(given)) return false;
    const text = this.#behaviour['signature-hex-case'] === 'any' ? given.toLowerCase() : given;
    return timingSafeEqual(Buffer.from(text), Buffer.from(expected));
  }

  /** What a service with one of these rules broken lets pass beside the right signature. */
  #isWronglyAccepted(
    partner: Partner,
    pairs: SignaturePairs,
    signature: string,
    expected: string,
  ): boolean {
    const faults = this.#faults;
    if (!HEX.test(signature)) return false;
    if (faults['signature/invalid-refused']) return true;
    if (faults['signature/wrong-key-refused'] && !isNear(signature, expected)) return true;
    if (faults['signature/covers-fields'] && !isNear(signature, expected)) return true;
    return (
      faults['token/nostr-case'] &&
      caseVariants(String(pairs['nostr'])).some(
        (nostr) => this.#signToken({ ...pairs, nostr }, partner.signingKey) === signature,
      )
    );
  }
}

/** The pairs that enter; `Object.fromEntries` keeps a pair named `__proto__` a pair. */
function select(pairs: SignaturePairs, fields: SignedFields): SignaturePairs {
  if (fields === 'all') return pairs;
  return Object.fromEntries(Object.entries(pairs).filter(([name]) => fields.includes(name)));
}

/** Null where the pairs can have no signature: none of them, or lists nested without measure. */
function signed(signer: Signer, pairs: SignaturePairs, partner: Partner): string | null {
  try {
    return signer(pairs, partner.signingKey);
  } catch {
    return null;
  }
}

/** The right signature with some digits changed, or one digit over and over. */
function isNear(signature: string, expected: string): boolean {
  const agreeing = signature.split('').filter((digit, at) => digit === expected[at]).length;
  return agreeing >= 16 || new Set(signature).size === 1;
}

function caseVariants(text: string): string[] {
  return text.split('').reduce<string[]>(
    (variants, unit) => {
      const cases = new Set([unit.toLowerCase(), unit.toUpperCase()]);
      return variants.flatMap((variant) => [...cases].map((one) => variant + one));
    },
    [''],
  );
}
