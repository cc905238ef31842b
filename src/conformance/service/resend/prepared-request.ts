import type { Exchange } from '../../../documents/exchange.ts';
import type { Exchange as SealedExchange } from '../../../documents/sealed.ts';
import { FareproofError } from '../../../interface/errors.ts';
import type { EstimateAttempt, TokenAttempt } from '../contract/messages.ts';
import type { WireRequest } from '../http/message.ts';
import { sentFields } from '../recheck/stored-session.ts';
import {
  type AuthorizedEstimate,
  buildEstimateRequest,
  buildTokenRequest,
} from '../wire/requests.ts';
import type { Session } from '../wire/session.ts';
import { alteredSignature } from '../wire/signed-text.ts';
import { isTokenRequest, pseudonymsIn } from './former-run.ts';
import type { RenewedRequest } from './renewal.ts';

/** A request that was rebuilt. */
export interface PreparedRequest {
  /**
   * Sends it; returns the id of the exchange.
   *
   * @param secrets tokens that were put into it
   * @throws FareproofError `EXCHANGE_NOT_REPEATABLE` if one is missing, or as {@link Session.token}
   */
  send(secrets: ReadonlyMap<string, string>): Promise<string>;
}

/**
 * Signs a renewed request, and rebuilds it in the way that checks send requests.
 *
 * @param otherKey signing key of the other partner in whose name it is sent
 * @throws FareproofError `EXCHANGE_NOT_REPEATABLE` if what is rebuilt is not what was renewed
 */
export function prepareRequest(
  exchange: Exchange,
  renewed: RenewedRequest,
  session: Session,
  otherKey = '',
): PreparedRequest {
  const { purpose, expects, request } = exchange;
  const { signer, partner, client } = session;
  const { baseUrl } = client.target;
  const signature = signatureOf(exchange, renewed, session, otherKey);
  const header = renewed.authorization?.replaceAll(/\[signature [^\]]+\]/g, signature ?? '');
  const missing = [renewed.path, renewed.body ?? '', header ?? ''].flatMap(pseudonymsIn)[0];
  const requireSecrets = (): void => {
    if (missing !== undefined) throw notRepeatable(exchange, `${missing} is not stored`);
  };
  const common: Pick<
    TokenAttempt,
    'purpose' | 'expects' | 'authorization' | 'signature' | 'partnerId'
  > = {
    purpose,
    expects,
    authorization: header === undefined ? null : () => header,
    ...(signature === null ? {} : { signature }),
    // A request in the name of nobody, or of another one, is charged to nobody.
    ...(header?.includes(partner.id) ? {} : { partnerId: 'nobody' }),
  };
  const type = request.headers['content-type'];
  const { part = { number: 1 } } = exchange;
  if (isTokenRequest(exchange)) {
    const attempt: TokenAttempt = {
      ...tokenBody(renewed.body ?? ''),
      ...common,
      contentType: type ?? false,
      ...(renewed.path.includes('?') ? { inQuery: true as const } : {}),
    };
    const built = buildTokenRequest(attempt, partner.id, signer, baseUrl).request;
    requireSame(exchange, renewed, built, baseUrl);
    return {
      send: async () => {
        requireSecrets();
        return (await session.token(attempt, part)).exchange;
      },
    };
  }
  const [path = '', query = ''] = renewed.path.split(/\?(.*)/s);
  const attempt: EstimateAttempt = {
    ...common,
    method: request.method,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    ...(signature === null ? {} : { as: 'user' as const }),
    ...(type === undefined ? { contentType: false as const } : {}),
  };
  const authorized = (accessToken: string): AuthorizedEstimate => ({ ...attempt, accessToken });
  const built = buildEstimateRequest(authorized(''), partner.id, signer, baseUrl).request;
  requireSame(exchange, renewed, built, baseUrl);
  return {
    send: async (secrets) => {
      requireSecrets();
      const token = [...secrets].find(([pseudonym]) => pseudonym.startsWith('[access_token '));
      return (await session.estimate(authorized(token?.[1] ?? ''), part)).exchange;
    },
  };
}

/** Body of a token request as an attempt has it: fields, and the text where that is not their JSON. */
export function tokenBody(body: string): Pick<TokenAttempt, 'fields' | 'body' | 'purpose'> {
  const fields = sentFields({ request: { body } });
  const isPlain = fields !== null && JSON.stringify(fields) === body;
  return { purpose: '', fields: fields ?? {}, ...(isPlain ? {} : { body }) };
}

/** Error for an exchange that cannot be sent again. */
export function notRepeatable(
  { id, purpose }: Pick<SealedExchange, 'id' | 'purpose'>,
  reason: string,
): FareproofError {
  return new FareproofError(
    'EXCHANGE_NOT_REPEATABLE',
    `${id} (${purpose}) cannot be sent again as what it was: ${reason}. Nothing was sent. Check its rule again, which sends all of its requests anew.`,
  );
}

function signatureOf(
  { signed }: Exchange,
  { signedText }: RenewedRequest,
  { signer, partner: { id, signingKey } }: Session,
  otherKey: string,
): string | null {
  if (!signed || signedText === null) return null;
  const keys = { own: signingKey, empty: '', 'partner-id': id, other: otherKey };
  const signature = signer.signText(signedText, keys[signed.key]);
  if (signed.alteration === undefined) return signature;
  return alteredSignature(signed.alteration, { signature, text: signedText, signingKey });
}

function requireSame(
  exchange: Exchange,
  { path, body }: RenewedRequest,
  built: WireRequest,
  baseUrl: string,
): void {
  const type = exchange.request.headers['content-type'];
  const isSame =
    built.url === baseUrl + path && built.body === body && built.headers['content-type'] === type;
  if (!isSame) throw notRepeatable(exchange, 'its spelling cannot be rebuilt');
}
