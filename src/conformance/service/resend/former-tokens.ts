import type { Exchange } from '../../../documents/sealed.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import {
  ALLOWANCE_OF_GRANT,
  type AllowanceKind,
  type GrantType,
} from '../../../interface/limits.ts';
import type { Fields, TokenAnswer } from '../contract/messages.ts';
import { describeAnswer } from '../contract/messages.ts';
import type { TargetPartner } from '../contract/target.ts';
import { sentFields } from '../recheck/stored-session.ts';
import type { TargetClock } from '../wire/clock.ts';
import type { PartnerPool } from '../wire/partner-pool.ts';
import type { Session } from '../wire/session.ts';
import {
  type FormerRun,
  grantOf,
  isTokenRequest,
  pseudonymsIn,
  requestText,
  sentMs,
} from './former-run.ts';
import { notRepeatable } from './prepared-request.ts';
import { isAged, lifeMsOf } from './token-age.ts';

/** Needs of a request before it can be sent: allowances, and auth codes. */
export type Needs = Record<AllowanceKind | 'codes', number>;

/** Tokens that a stored request needs anew, in the order in which they are requested. */
export class FormerTokens {
  readonly #run: FormerRun;
  readonly #partner: Pick<TargetPartner, 'accessToken'>;

  /** @param partner the one whose own access token may take the place of a former one */
  constructor(run: FormerRun, partner: Pick<TargetPartner, 'accessToken'>) {
    this.#run = run;
    this.#partner = partner;
  }

  /** Counts what obtaining the tokens of a request spends, by the former id of each partner. */
  needsOf(exchange: Exchange): Map<string, Needs> {
    const all = new Map<string, Needs>();
    const seen = new Set<Exchange>();
    const visit = (one: Exchange): void => {
      const id = one.partnerId ?? '';
      const needs = all.get(id) ?? { platform: 0, user: 0, refresh: 0, codes: 0 };
      all.set(id, needs);
      if (one !== exchange) needs[ALLOWANCE_OF_GRANT[grantOf(one) as GrantType]]++;
      for (const token of this.#secretsOf(one)) {
        if (token.startsWith('[auth_code ')) needs.codes++;
        const origin = this.#originOf(token, one);
        if (!origin || seen.has(origin)) continue;
        seen.add(origin);
        visit(origin);
      }
    };
    visit(exchange);
    return all;
  }

  /**
   * Obtains the tokens and auth codes of a request anew, by well-formed requests of the same kind and
   * scope. Where the age of a token matters, the clock is moved on as it was between the former requests.
   *
   * @param sessions by the former ids of their partners
   * @returns them by the pseudonyms of the former ones
   * @throws FareproofError `TOKEN_NOT_OBTAINED`, or `EXCHANGE_NOT_REPEATABLE` for a token whose age
   *   matters and that is valid for another time than the former one
   * @throws ConfigurationError `TOKEN_MISSING`
   */
  async obtain(
    exchange: Exchange,
    sessions: ReadonlyMap<string, Session>,
    pool: PartnerPool,
    clock: Pick<TargetClock, 'now' | 'moveTo'>,
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const answers = new Map<Exchange, TokenAnswer>();
    const issuedMs = new Map<Exchange, number>();
    const sessionOf = ({ partnerId }: Exchange): Session => {
      const session = sessions.get(partnerId ?? '');
      if (session) return session;
      throw new Error(`there is no session for ${partnerId}`);
    };
    const provide = async (one: Exchange): Promise<void> => {
      const session = sessionOf(one);
      for (const token of this.#secretsOf(one)) {
        if (found.has(token)) continue;
        const origin = this.#originOf(token, one);
        if (token.startsWith('[auth_code ')) found.set(token, await codeOf(session, pool));
        else if (origin) {
          const answer = await issue(origin);
          found.set(token, tokenOf(token, answer));
          if (isAged(one, origin)) {
            requireSameLife(exchange, origin, answer);
            await clock.moveTo((issuedMs.get(origin) ?? 0) + sentMs(one) - sentMs(origin));
          }
        } else found.set(token, this.#ownToken(session));
      }
    };
    const issue = async (origin: Exchange): Promise<TokenAnswer> => {
      const known = answers.get(origin);
      if (known) return known;
      await provide(origin);
      const part = { number: answers.size + 1 };
      issuedMs.set(origin, clock.now());
      const answer = await sessionOf(origin).issue(
        grantFields(origin, found),
        'a token to send with it',
        part,
      );
      answers.set(origin, answer);
      return answer;
    };
    await provide(exchange);
    return found;
  }

  #ownToken({ partner: { id } }: Session): string {
    const { accessToken } = this.#partner;
    if (accessToken !== undefined) return accessToken;
    throw new ConfigurationError(
      'TOKEN_MISSING',
      `It was sent with the accessToken of a profile; add one to the partner ${id} of this one.`,
    );
  }

  #secretsOf(exchange: Exchange): string[] {
    return pseudonymsIn(requestText(exchange)).filter((one) =>
      /^\[(access_token|refresh_token|auth_code) /.test(one),
    );
  }

  /** Origin of a token; null where the partner's own access token takes its place. */
  #originOf(token: string, user: Exchange): Exchange | null {
    const origin = this.#run.originOf(token, user);
    const isOwn = this.#partner.accessToken !== undefined && token.startsWith('[access_token ');
    const isPlain =
      origin &&
      grantOf(origin) === 'client_credentials' &&
      [undefined, 'public'].includes(sentFields(origin)?.['scope'] as string | undefined);
    return isOwn && isPlain ? null : origin;
  }
}

function requireSameLife(exchange: Exchange, origin: Exchange, answer: TokenAnswer): void {
  const [former, now] = [lifeMsOf(origin), (answer.expiresInSeconds ?? 0) * 1000];
  if (isTokenRequest(exchange) || former === now) return;
  throw notRepeatable(
    exchange,
    `the new access token is valid for ${now / 1000} s, the former one for ${(former ?? 0) / 1000} s`,
  );
}

/** Fields of a former token request, but for those that each request has anew. */
function grantFields(origin: Exchange, found: ReadonlyMap<string, string>): Fields {
  const { _: _time, nostr: _nostr, ...fields } = sentFields(origin) ?? {};
  const value = (one: unknown): unknown =>
    typeof one === 'string' ? (found.get(one) ?? one) : one;
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, value(one)]));
}

async function codeOf(session: Session, pool: PartnerPool): Promise<string> {
  const code = await pool.takeCode(session, 'user-1');
  if (code !== null) return code;
  throw new FareproofError(
    'TOKEN_NOT_OBTAINED',
    `partner ${session.partner.id} has no unused auth code left in the profile`,
  );
}

function tokenOf(pseudonym: string, answer: TokenAnswer): string {
  const token = pseudonym.startsWith('[access_token ') ? answer.accessToken : answer.refreshToken;
  if (token !== null) return token;
  const what = pseudonym.startsWith('[access_token ') ? 'access token' : 'refresh_token';
  throw new FareproofError(
    'TOKEN_NOT_OBTAINED',
    `no ${what} could be obtained to send with it: ${describeAnswer(answer)} (${answer.exchange})`,
  );
}
