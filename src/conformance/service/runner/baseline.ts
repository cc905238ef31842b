import type { SeededRandom } from '../../seeded-random.ts';
import type { EstimateAnswer, TokenAnswer } from '../contract/answer.ts';
import type { BaseRequest } from '../contract/base-request.ts';
import type { Spending } from '../contract/spending.ts';
import {
  estimateQuery,
  OPTIONAL_PARAMETERS,
  type OptionalParameter,
} from '../target/estimate-query.ts';
import { tokenFields } from '../target/request-fields.ts';
import type { Session } from '../target/session.ts';

/** A base request at work in one session: its well-formed request, sent before and after the checks. */
export interface BaseRequestRun {
  readonly opening: TokenAnswer | EstimateAnswer | null;
  /** An unused auth code for the checks; the closing control exchanges it. */
  readonly heldCode: string | null;
  /** Why it could not be opened. */
  readonly stopped?: string;
  /** Sends the closing control; null where the base request has none left. */
  readonly close: () => Promise<TokenAnswer | EstimateAnswer | null>;
}

/** Gives an auth code of a session's partner; null where there is none. */
export type TakeCode = (session: Session) => Promise<string | null>;

type Control = TokenAnswer | EstimateAnswer;
type Demanded = readonly OptionalParameter[];
type SendControl = (purpose: string, key: string, demanded?: Demanded) => Promise<Control>;

/**
 * What a base request's controls draw on a partner's allowances.
 *
 * @param held what the session will hold already
 */
export function overheadOf(
  baseRequest: BaseRequest,
  held: { readonly platformToken: boolean; readonly userToken: boolean; readonly codes: number },
): Spending {
  switch (baseRequest) {
    case 'platform':
      return { platform: 2 };
    case 'refresh':
      return { platform: held.platformToken ? 0 : 1, refresh: 2 };
    case 'user':
      return held.codes > 1 ? { user: 2, codes: 2 } : { user: 1, codes: 1 };
    case 'estimate':
      return { platform: held.platformToken ? 0 : 1 };
    case 'user-estimate':
      return held.userToken ? {} : { user: 1, codes: 1 };
    case 'standalone':
      return {};
  }
}

/** Opens a base request: gets what its requests need, and sends the control before the checks. */
export async function openBaseRequest(
  baseRequest: BaseRequest,
  session: Session,
  random: SeededRandom,
  key: string,
  takeCode: TakeCode,
): Promise<BaseRequestRun> {
  const speak = controlsOf(session, random);
  if (baseRequest === 'standalone') return NOTHING_TO_SEND;
  if (baseRequest === 'user') return openUser(session, speak.user, key, takeCode);
  if (needsPlatform(baseRequest, session))
    await speak.platform('a token to work with', `${key}:token#1`);
  if (baseRequest === 'user-estimate' && session.userToken === null) {
    const code = await takeCode(session);
    if (code !== null) await speak.user(code, 'a user token to work with', `${key}:token#1`);
  }
  if (baseRequest === 'refresh' && session.refreshToken === null) return NOTHING_TO_SEND;
  const send: SendControl = speak[baseRequest];
  const opening = await send('baseline before', `${key}:open#1`);
  const other = await otherOpening(baseRequest, session, opening, (at, demanded) =>
    send('baseline before', `${key}:open#${at}`, demanded),
  );
  return {
    opening: other ?? opening,
    heldCode: null,
    close: () => send('baseline after', `${key}:close#1`),
  };
}

/**
 * One product that is not served, or one parameter that may be left out and is demanded, must not hide
 * all that can be said of estimates. Null where nothing else is accepted either.
 *
 * @param send sends the opening control once more, as its how-manieth
 */
async function otherOpening(
  baseRequest: BaseRequest,
  session: Session,
  opening: Control,
  send: (at: number, demanded: Demanded) => Promise<Control>,
): Promise<Control | null> {
  const asksEstimates = baseRequest === 'estimate' || baseRequest === 'user-estimate';
  if (!asksEstimates || opening.outcome !== 'refused') return null;
  const { client, shape: first } = session;
  let at = 1;
  for (const shape of client.facts.shapes.filter((one) => one !== first)) {
    session.shape = shape;
    const other = await send(++at, client.demanded);
    if (other.outcome !== 'refused') return other;
  }
  session.shape = first;
  for (const demanded of DEMANDS) {
    const other = await send(++at, demanded);
    if (other.outcome !== 'accepted') continue;
    client.demanded = demanded;
    return other;
  }
  return null;
}

const DEMANDS: readonly Demanded[] = [
  ...OPTIONAL_PARAMETERS.map((name) => [name]),
  OPTIONAL_PARAMETERS,
];

/** What the base request's requests need could not be had. */
const NOTHING_TO_SEND: BaseRequestRun = { opening: null, heldCode: null, close: async () => null };

function needsPlatform(baseRequest: BaseRequest, session: Session): boolean {
  if (baseRequest === 'estimate') return session.platformToken === null;
  return baseRequest === 'refresh' && session.refreshToken === null;
}

async function openUser(
  session: Session,
  exchange: (code: string, purpose: string, key: string) => Promise<Control>,
  key: string,
  takeCode: TakeCode,
): Promise<BaseRequestRun> {
  const first = await takeCode(session);
  if (first === null) return NOTHING_TO_SEND;
  const opening = await exchange(first, 'baseline before', `${key}:open#1`);
  const heldCode = await takeCode(session);
  if (heldCode === null) return { opening, heldCode, close: async () => null };
  return {
    opening,
    heldCode,
    close: () => exchange(heldCode, 'baseline after', `${key}:close#1`),
  };
}

function controlsOf(session: Session, random: SeededRandom) {
  const { client } = session;
  const token = (grant: Record<string, string>, purpose: string, key: string): Promise<Control> =>
    session.token(
      { purpose, fields: tokenFields(grant, {}, client, random), wellFormed: true },
      key,
    );
  const estimate = (
    as: 'platform' | 'user',
    accessToken: string | null,
    purpose: string,
    key: string,
    demanded: Demanded = client.demanded,
  ) =>
    session.estimate(
      {
        purpose: `${purpose}: a well-formed ${as} estimate`,
        query: estimateQuery(
          { target: client.target, clock: client.clock, demanded },
          {},
          session.shape,
        ),
        accessToken: accessToken ?? '',
        as,
        shape: session.shape ?? undefined,
        wellFormed: true,
      },
      key,
    );
  return {
    platform: (purpose: string, key: string) =>
      token(
        { grant_type: 'client_credentials' },
        `${purpose}: a well-formed platform request`,
        key,
      ),
    refresh: (purpose: string, key: string) =>
      token(
        { grant_type: 'refresh_token', refresh_token: session.refreshToken ?? '' },
        `${purpose}: a well-formed refresh`,
        key,
      ),
    user: (code: string, purpose: string, key: string) =>
      token(
        { grant_type: 'authorization_code', auth_code: code },
        `${purpose}: a well-formed exchange of an auth code`,
        key,
      ),
    estimate: (purpose: string, key: string, demanded?: Demanded) =>
      estimate('platform', session.platformToken, purpose, key, demanded),
    'user-estimate': (purpose: string, key: string, demanded?: Demanded) =>
      estimate('user', session.userToken, purpose, key, demanded),
  };
}
