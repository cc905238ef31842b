import type { GrantType } from '../../interface/index.ts';
import type { Sender } from '../service/authorization.ts';
import { Refusal } from '../service/messages.ts';
import type { ServiceState } from '../service/service-state.ts';
import type { SignatureCheck } from '../service/signature-check.ts';
import { userOf } from '../service/state/auth-codes.ts';
import type { Partner, Partners } from '../service/state/partners.ts';
import type { GrantRequest, IssuedToken, Tokens } from '../service/state/tokens.ts';
import type { TokenSteps } from '../service/token/token-endpoint.ts';
import { isAbsent, type TokenFields, type TokenGrant } from '../service/token/token-fields.ts';
import type { Replacement } from './parts.ts';
import { withMethods } from './with-methods.ts';

/** Placeholder for a text that was left out. */
export const LEFT_OUT = '\0left out';

/** The sender of a request from an unknown partner. */
const GUEST: Partner = { id: 'guest', signingKey: '', longLock: false, index: 0 };

/** The fields that a body that is not JSON is replaced by. */
export const UNREADABLE: TokenFields = { grant_type: 'client_credentials' };

/** Reads a value for a field that was left out. */
export function filling(name: string, value: string = LEFT_OUT): Replacement<'readGrant'> {
  return (read) => (fields, grantType) =>
    read(isAbsent(fields[name]) ? { ...fields, [name]: value } : fields, grantType);
}

/** A guest, whose request carries no signature. */
export function unsignedGuest(): Sender {
  return { partner: GUEST, signature: LEFT_OUT };
}

/** The first partner, whose request carries no signature. */
export function unsignedPartner(_header: string | undefined, partners: Partners): Sender {
  return { partner: partners.at(0) ?? GUEST, signature: LEFT_OUT };
}

/** Accepts requests without a signature, and bodies that are not JSON. */
export function acceptingUnsigned(check: SignatureCheck): SignatureCheck {
  return withMethods(check, {
    isTokenSigned: (partner, fields, signature) =>
      signature === LEFT_OUT ||
      fields === UNREADABLE ||
      check.isTokenSigned(partner, fields, signature),
  });
}

/** Accepts the signature of the nostr in any other case. */
export function acceptingAnyCase(check: SignatureCheck): SignatureCheck {
  return withMethods(check, {
    isTokenSigned: (partner, fields, signature) =>
      check.isTokenSigned(partner, fields, signature) ||
      caseVariants(fields['nostr']).some((nostr) =>
        check.isTokenSigned(partner, { ...fields, nostr }, signature),
      ),
  });
}

/** The 64 variants of a nostr; none of another text, which would have too many. */
function caseVariants(nostr: unknown): string[] {
  if (typeof nostr !== 'string' || nostr.length !== 6) return [];
  return nostr.split('').reduce<string[]>(
    (variants, unit) => {
      const cases = [...new Set([unit.toLowerCase(), unit.toUpperCase()])];
      return variants.flatMap((variant) => cases.map((one) => variant + one));
    },
    [''],
  );
}

/** Reads an unreadable body as a platform request with a new nostr. */
export function readingUnreadable(read: TokenSteps['readGrant']): TokenSteps['readGrant'] {
  let count = 0;
  return (fields, grantType) => {
    if (fields !== UNREADABLE) return read(fields, grantType);
    const sound = read({ ...fields, _: LEFT_OUT, nostr: '000000' }, grantType);
    return { ...sound, nostr: `${LEFT_OUT} ${count++}` };
  };
}

/** Accepts a timestamp that was left out. */
export function acceptingNoTimestamp(refuse: TokenSteps['refuseStale']): TokenSteps['refuseStale'] {
  return (timestamp, nowMs) => {
    if (timestamp !== LEFT_OUT) refuse(timestamp, nowMs);
  };
}

/** Judges another nostr than the one that was sent. */
export function judgingNostr(judged: (nostr: string) => string): Replacement<'readGrant'> {
  return (read) => (fields, grantType) => {
    const { nostr } = fields;
    if (typeof nostr !== 'string' || nostr === '') return read(fields, grantType);
    return { ...read({ ...fields, nostr: judged(nostr) }, grantType), nostr };
  };
}

/** Refuses a grant type. */
export function refusing(refused: GrantType): Replacement<'entitle'> {
  return (entitle) => (partner, grant, state, nowMs) => {
    if (grant.grantType !== refused) return entitle(partner, grant, state, nowMs);
    throw new Refusal('grant-type-unknown', 'This grant_type is not served.');
  };
}

type Selects = (grant: TokenGrant, partner: Partner, state: ServiceState) => boolean;

/** Gives a platform token for some grants of other types. */
export function entitlingPlatform(selects: Selects): Replacement<'entitle'> {
  return (entitle) => (partner, grant, state, nowMs) =>
    entitle(partner, selects(grant, partner, state) ? asPlatform(grant) : grant, state, nowMs);
}

/** Gives a user token for some grants without a valid auth_code. */
export function entitlingUser(selects: Selects): Replacement<'entitle'> {
  return (entitle) => (partner, grant, state, nowMs) =>
    selects(grant, partner, state)
      ? { ...entitle(partner, asPlatform(grant), state, nowMs), userId: userOf(partner) }
      : entitle(partner, grant, state, nowMs);
}

function asPlatform(grant: TokenGrant): TokenGrant {
  return { ...grant, grantType: 'client_credentials' };
}

/** Issues tokens by a changed request. */
export function issuing(
  change: (request: GrantRequest, tokens: Tokens) => Partial<GrantRequest>,
): Replacement<'tokens'> {
  return (tokens) =>
    withMethods(tokens, {
      issue: (request, nowMs) => tokens.issue({ ...request, ...change(request, tokens) }, nowMs),
    });
}

/** A new token of 15 digits, which are exact as a number. */
export function digitsToken(tokens: Tokens): string {
  return String(1e14 + Buffer.from(tokens.createToken(), 'base64url').readUIntBE(0, 6));
}

/** Changes fields of the answer. */
export function writing(
  change: (issued: IssuedToken, body: Readonly<Record<string, unknown>>) => object,
): Replacement<'writeToken'> {
  return (write) => (issued) => {
    const answer = write(issued);
    const body = JSON.parse(answer.body) as Record<string, unknown>;
    return { ...answer, body: JSON.stringify({ ...body, ...change(issued, body) }) };
  };
}
