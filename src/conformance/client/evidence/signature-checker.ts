import type { SignatureDiagnosis } from '../../../documents/parsed-request.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { RequestParts } from '../parsing/request.ts';
import { checkSignature } from '../signature/check-signature.ts';
import type { EarlierValues, SignedFields } from '../signature/signing-context.ts';
import type { CapturedExchange } from '../traffic/captured.ts';

/** Unexplained signatures after which pairs of mistakes, which take long, are no longer tried. */
const MAX_FULL_SEARCHES = 6;
/** Earlier values of a field that are tried in place of the sent one. */
const EARLIER_VALUES = 5;

/** Keys and fields that signatures are checked with. */
export interface SignatureOptions {
  readonly partners: readonly PartnerCredentials[];
  readonly signedFields: SignedFields;
  /** False to leave wrong signatures unexplained, which is quick; true by default. */
  readonly explainsSignatures?: boolean;
}

/** Checks the signatures of a client's requests, in their order. */
export class SignatureChecker {
  readonly #options: SignatureOptions;
  readonly #earlier = new Map<string | null, EarlierValues>();
  #unexplained = 0;

  constructor(options: SignatureOptions) {
    this.#options = options;
  }

  /** Checks the signature of a request; null if it has none, or none of a known partner. */
  check({ request, scenario }: CapturedExchange, parts: RequestParts): SignatureDiagnosis | null {
    const { kind, authorization, body, query } = parts;
    if (kind !== 'token' && kind !== 'estimate') return null;
    const earlier = this.#earlier.get(scenario) ?? { _: [], nostr: [] };
    if (kind === 'token') this.#earlier.set(scenario, withFields(earlier, body.fields));
    const { form, partnerId, salvagedSignature: signature, userToken } = authorization;
    const partner = this.#partnerOf(partnerId);
    if (partner === undefined || signature === null) return null;
    if (kind === 'estimate' && form !== 'user') return null;
    const { signedFields, explainsSignatures = true } = this.#options;
    const signed =
      kind === 'token'
        ? { pairs: body.fields, bodyText: Buffer.from(request.body).toString('utf8') }
        : { pairs: query.parameters, encodedPairs: query.encoded };
    const thorough = this.#unexplained < MAX_FULL_SEARCHES ? 'pairs' : 'singles';
    const diagnosis = checkSignature(
      { kind, partner, signature, token: userToken, earlier, signedFields, ...signed },
      explainsSignatures ? thorough : 'none',
    );
    if (diagnosis?.verdict === 'unexplained') this.#unexplained++;
    return diagnosis;
  }

  /** The partner of an id; of an unknown one, the only partner that there is. */
  #partnerOf(partnerId: string | null): PartnerCredentials | undefined {
    const { partners } = this.#options;
    const known = partners.find(({ id }) => id === partnerId);
    return known ?? (partners.length === 1 ? partners[0] : undefined);
  }
}

function withFields(earlier: EarlierValues, fields: RequestParts['body']['fields']): EarlierValues {
  const added = (name: '_' | 'nostr'): unknown[] =>
    [...earlier[name], fields[name]].slice(-EARLIER_VALUES);
  return { _: added('_'), nostr: added('nostr') };
}
