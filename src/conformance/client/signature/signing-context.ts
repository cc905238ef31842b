import type { SignaturePairs } from '../../../interface/signature.ts';
import { otherTimes } from './other-times.ts';
import type { SentSignature } from './sent-signature.ts';

/** Values that a client may have signed instead of those sent. */
export interface SigningContext {
  /** Fields that may have been signed without being sent, by name. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
  /** Values that a field had in earlier requests, or has in another form, by name. */
  readonly otherValues?: Readonly<Record<string, readonly unknown[]>>;
  /** Values too numerous to be combined with another mistake, by name. */
  readonly manyValues?: Readonly<Record<string, readonly unknown[]>>;
  /** The body of the request as sent. */
  readonly bodyText?: string | undefined;
}

/** Collects what may have been signed instead of `pairs`, from the rest of the request. */
export function signingContext(sent: SentSignature, pairs: SignaturePairs): SigningContext {
  return {
    bodyText: sent.bodyText,
    extraFields: extraFields(sent),
    otherValues:
      sent.kind === 'estimate' ? encodedValues(sent, pairs) : otherTokenValues(sent, pairs),
    manyValues: sent.kind === 'token' ? { _: otherTimes(pairs['_']) } : {},
  };
}

function extraFields({ kind, partner, token }: SentSignature): Record<string, unknown> {
  const { id, signingKey } = partner;
  const common = {
    partner_id: id,
    partnerId: id,
    client_id: id,
    app_id: id,
    id,
    key: signingKey,
    signing_key: signingKey,
    sign_key: signingKey,
    secret: signingKey,
    client_secret: signingKey,
  };
  const own =
    kind === 'token'
      ? { scope: 'public' }
      : { map_type: 'soso', access_token: token, openid: token, token };
  const known = Object.entries({ ...common, ...own }).filter(([, value]) => value);
  return Object.fromEntries(known);
}

function encodedValues(
  { encodedPairs }: SentSignature,
  pairs: SignaturePairs,
): Record<string, unknown[]> {
  const encoded = Object.entries(encodedPairs ?? {}).filter(
    ([name, value]) => pairs[name] !== value,
  );
  return Object.fromEntries(encoded.map(([name, value]) => [name, [value]]));
}

function otherTokenValues(
  { earlier }: SentSignature,
  { _: time, nostr, scope }: SignaturePairs,
): Record<string, unknown[]> {
  const cases =
    typeof nostr === 'string' ? [nostr.toLowerCase(), nostr.toUpperCase(), nostr.trim()] : [];
  const scopes = typeof scope === 'string' ? scope.split(' ') : null;
  return {
    _: earlier._.filter((value) => value !== time),
    nostr: [...earlier.nostr, ...cases].filter((value) => value !== nostr),
    ...(scopes && {
      scope: [scopes.toSorted().join(' '), scopes.join(','), scopes].filter(
        (value) => value !== scope,
      ),
    }),
  };
}
