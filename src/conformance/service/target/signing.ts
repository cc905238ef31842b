import { hash } from 'node:crypto';
import { sign } from '../../../interface/signature.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { Fields } from '../contract/messages.ts';
import type { Facts, SignedFields } from '../contract/target.ts';

/** Signs for one partner, over the fields that its target signs (interface.md, "Authentication"). */
export class Signer {
  readonly #signingKey: string;
  readonly #signed: Pick<Facts, 'tokenFields' | 'estimateFields'>;

  constructor(
    { signingKey }: PartnerCredentials,
    signed: Pick<Facts, 'tokenFields' | 'estimateFields'>,
  ) {
    this.#signingKey = signingKey;
    this.#signed = signed;
  }

  /** Pairs of a token request that the target signs. */
  signedPairs(fields: Fields): Fields {
    return pairsOf(fields, this.#signed.tokenFields);
  }

  /** Signature of a token request. */
  sign(fields: Fields, signingKey: string = this.#signingKey): string {
    return signPairs(this.signedPairs(fields), signingKey);
  }

  /** Signature of a user's estimate request. */
  signEstimate(query: Fields, signingKey: string = this.#signingKey): string {
    return signPairs(pairsOf(query, this.#signed.estimateFields), signingKey);
  }

  /** Signature of the text S as it is, by step 6 only. */
  signText(text: string, signingKey: string = this.#signingKey): string {
    return signText(text, signingKey);
  }
}

/** Those of the fields that enter the signature. */
function pairsOf(fields: Fields, signedFields: SignedFields): Fields {
  if (signedFields === 'all') return fields;
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => signedFields.includes(name.trim())),
  );
}

/** Signature of pairs; where there are none, that of an empty text, so that a request can be sent. */
function signPairs(pairs: Fields, signingKey: string): string {
  return Object.keys(pairs).length === 0 ? signText('', signingKey) : sign(pairs, signingKey);
}

function signText(text: string, signingKey: string): string {
  return hash('md5', hash('md5', text) + signingKey);
}
