import type { SignatureDiagnosis } from '../../../documents/parsed-request.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { RequestParts } from '../parsing/request.ts';
import { checkSignature, type MistakeSearch } from '../signature/check-signature.ts';
import type { EarlierValues, SignedFields } from '../signature/signing-context.ts';
import type { CapturedExchange } from '../traffic/captured.ts';

/** Unexplained signatures after which pairs of mistakes, which take long, are no longer tried. */
const MAX_FULL_SEARCHES = 6;
/** Earlier values of a field that are tried in place of the sent one. */
const EARLIER_VALUES = 5;

/** Checks the signatures of a client's requests, in their order. */
export class SignatureChecker {
  readonly #partners: readonly PartnerCredentials[];
  readonly #signedFields: SignedFields;
  readonly #explains: boolean;
  readonly #earlier = new Map<string | null, EarlierValues>();
  #unexplained = 0;

  /** @param explains false to leave wrong signatures unexplained, which is quick */
  constructor(
    partners: readonly PartnerCredentials[],
    signedFields: SignedFields,
    explains: boolean,
  ) {
    this.#partners = partners;
    this.#signedFields = signedFields;
    this.#explains = explains;
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
    const diagnosis = checkSignature(
      {
        kind,
        partner,
        signature,
        token: userToken,
        earlier,
        signedFields: this.#signedFields,
        ...(kind === 'token'
          ? {
              pairs: body.fields,
              encodedPairs: null,
              bodyText: Buffer.from(request.body).toString('utf8'),
            }
          : { pairs: query.parameters, encodedPairs: query.encoded }),
      },
      this.#search(),
    );
    if (diagnosis?.verdict === 'unexplained') this.#unexplained++;
    return diagnosis;
  }

  #search(): MistakeSearch {
    if (!this.#explains) return 'none';
    return this.#unexplained < MAX_FULL_SEARCHES ? 'pairs' : 'singles';
  }

  /** The partner of an id; of an unknown one, the only partner that there is. */
  #partnerOf(partnerId: string | null): PartnerCredentials | undefined {
    const known = this.#partners.find(({ id }) => id === partnerId);
    return known ?? (this.#partners.length === 1 ? this.#partners[0] : undefined);
  }
}

function withFields(earlier: EarlierValues, fields: RequestParts['body']['fields']): EarlierValues {
  const added = (name: '_' | 'nostr'): unknown[] =>
    [...earlier[name], fields[name]].slice(-EARLIER_VALUES);
  return { _: added('_'), nostr: added('nostr') };
}
