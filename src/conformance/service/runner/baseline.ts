import type { Part, PartBatch } from '../../../documents/exchange.ts';
import { OPTIONAL_ESTIMATE_PARAMETERS, type OptionalParameter } from '../../../interface/limits.ts';
import type { BaseRequest, Setting } from '../contract/check.ts';
import { type EstimateAnswer, type Rest, type TokenAnswer } from '../contract/messages.ts';
import type { Session } from '../wire/session.ts';

/** Baseline of a batch: its base request, sent before and after the checks. */
export interface OpenBaseline {
  readonly opening: TokenAnswer | EstimateAnswer | null;
  /**
   * Auth codes for the checks of the batch: one for each request. The last stays for the closing request.
   */
  readonly codes: readonly string[];
  /** Reason why it could not be opened. */
  readonly stopped?: string;
  /** Sends the closing request; null if there is none to send. */
  readonly close: () => Promise<TokenAnswer | EstimateAnswer | null>;
}

/** Baseline without requests. */
export const EMPTY_BASELINE: OpenBaseline = {
  opening: null,
  codes: [],
  close: async () => null,
};

/** Base request of a baseline, and an accepted answer that may serve as its opening, see `Batch`. */
interface Opened {
  readonly baseRequest: BaseRequest;
  readonly setting: Setting;
  readonly reopen: (() => Promise<TokenAnswer | null>) | undefined;
  /** Auth codes that the checks of the batch send. */
  readonly codes: number;
}

/**
 * Opens a baseline: gets what the base request needs, and sends it before the checks.
 *
 * @param takeCode an auth code of the session's partner; null if there is none
 */
export async function openBaseline(
  { baseRequest, setting, reopen, codes: needed }: Opened,
  session: Session,
  batch: PartBatch,
  takeCode: () => Promise<string | null>,
): Promise<OpenBaseline> {
  if (setting.shape) session.shape = setting.shape;
  if (baseRequest === 'standalone') return EMPTY_BASELINE;
  const send = (
    purpose: string,
    step: Step,
    {
      number = 1,
      ...more
    }: Pick<WellFormedRequest, 'code' | 'demanded' | 'rest'> & {
      readonly number?: number;
    } = {},
  ): Promise<TokenAnswer | EstimateAnswer> =>
    sendWellFormed(session, { baseRequest, purpose, part: { batch, step, number }, ...more });
  const earlier = await reopen?.();
  // What was planned without an opening request has no allowance for one.
  if (reopen && (!earlier || (baseRequest === 'refresh' && session.refreshToken === null)))
    return EMPTY_BASELINE;
  if (baseRequest === 'user') {
    const code = earlier ? '' : await takeCode();
    if (code === null) return EMPTY_BASELINE;
    const opening = earlier ?? (await send('baseline before', 'open', { code }));
    // Nothing more is sent as this partner, so it keeps its codes.
    if (session.client.facts.metered && opening.outcome === 'refused')
      return { ...EMPTY_BASELINE, opening };
    const last = await takeCode();
    const close = async (): Promise<TokenAnswer | EstimateAnswer | null> =>
      last === null ? null : send('baseline after', 'close', { code: last });
    const codes = last === null ? [] : [last];
    for (let number = 0; number < needed; number++) {
      const one = await takeCode();
      if (one !== null) codes.unshift(one);
    }
    return { opening, codes, close };
  }
  // The answer to the opening refresh may be lost, and with it the refresh_token of the closing one; one that an
  // earlier part of the run sent is replayed without it.
  const wasClosed = session.client.recording.has({ batch, step: 'close', number: 1 });
  const close = async (): Promise<TokenAnswer | EstimateAnswer | null> =>
    baseRequest === 'refresh' && session.refreshToken === null && !wasClosed
      ? null
      : send('baseline after', 'close');
  if (earlier) return { opening: earlier, codes: [], close };
  await getTokens(baseRequest, setting, session, batch, takeCode);
  if (lackedBy(baseRequest, session) !== null) return EMPTY_BASELINE;
  const first = await send('baseline before', 'open');
  const isEstimate = baseRequest === 'estimate' || baseRequest === 'user-estimate';
  if (!isEstimate || first.outcome !== 'refused') return { opening: first, codes: [], close };
  const other =
    (await findAcceptedEstimate(session, setting, (number, demanded) =>
      send('baseline before', 'open', { number, demanded }),
    )) ??
    (await acceptedAfterRest(session, first, () =>
      send('baseline before', 'rested', { rest: 'minute' }),
    ));
  return { opening: other ?? first, codes: [], close };
}

/** Gets the tokens that a base request is sent with, where the session lacks them. */
async function getTokens(
  baseRequest: BaseRequest,
  { ofUser: ofUsers, afterRefresh }: Setting,
  session: Session,
  batch: PartBatch,
  takeCode: () => Promise<string | null>,
): Promise<void> {
  const ofUser = ofUsers ?? baseRequest === 'user-estimate';
  const kind = ofUser ? 'user' : 'platform';
  const accessToken = ofUser ? session.userToken : session.platformToken;
  const lacking = baseRequest === 'refresh' ? session.refreshToken : accessToken;
  const needsToken = lacking === null || afterRefresh || (baseRequest === 'refresh' && ofUser);
  if (baseRequest === 'platform' || !needsToken) return;
  const code = ofUser ? await takeCode() : '';
  if (code === null) return;
  const get = (grant: 'platform' | 'user' | 'refresh', what: string, step: Step) =>
    sendWellFormed(session, {
      baseRequest: grant,
      purpose: `a ${what} to work with`,
      part: { batch, step, number: 1 },
      code,
    });
  const issued = await get(kind, ofUser ? 'user token' : 'token', 'token');
  if (ofUser && 'refreshToken' in issued) session.refreshToken = issued.refreshToken;
  if (!afterRefresh || session.refreshToken === null) return;
  const refreshed = await get('refresh', 'refreshed token', 'refreshed');
  if (!('accessToken' in refreshed)) return;
  if (ofUser) session.userToken = refreshed.accessToken;
  else session.platformToken = refreshed.accessToken;
}

/** Token that a base request is sent with, where a session lacks it; null where it lacks nothing. */
export function lackedBy(baseRequest: BaseRequest, session: Session): string | null {
  const { platformToken, userToken, refreshToken } = session;
  if (baseRequest === 'estimate' && platformToken === null) return 'platform token';
  if (baseRequest === 'user-estimate' && userToken === null) return 'user token';
  return baseRequest === 'refresh' && refreshToken === null ? 'refresh_token' : null;
}

const DEMANDS: readonly (readonly OptionalParameter[])[] = [
  ...OPTIONAL_ESTIMATE_PARAMETERS.map((name) => [name]),
  OPTIONAL_ESTIMATE_PARAMETERS,
];

/**
 * Finds a shape or an optional parameter with which the target accepts an estimate, so that one
 * product that is not served, or one parameter that is demanded, does not hide all other rules. A
 * setting with a shape keeps it.
 *
 * @param send sends another opening request, with an ordinal from 2 up
 * @returns null if the target accepts none
 */
async function findAcceptedEstimate(
  session: Session,
  setting: Setting,
  send: (
    ordinal: number,
    demanded: readonly OptionalParameter[],
  ) => Promise<TokenAnswer | EstimateAnswer>,
): Promise<TokenAnswer | EstimateAnswer | null> {
  const { client, shape: first } = session;
  let ordinal = 1;
  const shapes = setting.shape === undefined ? client.facts.shapes : [];
  for (const shape of shapes.filter((one) => one !== first)) {
    session.shape = shape;
    const other = await send(++ordinal, client.demanded);
    if (other.outcome !== 'refused') return other;
  }
  session.shape = first;
  for (const demanded of DEMANDS) {
    const other = await send(++ordinal, demanded);
    if (other.outcome !== 'accepted') continue;
    if (setting.shape === undefined) client.demanded = demanded;
    else session.demanded = demanded;
    return other;
  }
  return null;
}

/**
 * Sends a refused estimate again after a rest, unless it is known what its status means. Only where a check has
 * few partners: with fresh ones, what a refusal shows is repeated.
 *
 * @returns null if it is refused again
 */
async function acceptedAfterRest(
  { client }: Session,
  { status }: TokenAnswer | EstimateAnswer,
  send: () => Promise<TokenAnswer | EstimateAnswer>,
): Promise<TokenAnswer | EstimateAnswer | null> {
  const { facts, limitStatuses, lastingStatuses } = client;
  if (!facts.metered || limitStatuses.has(status) || lastingStatuses.has(status)) return null;
  const again = await send();
  if (again.outcome !== 'accepted') {
    lastingStatuses.add(again.status);
    return null;
  }
  limitStatuses.add(status);
  return again;
}

/** Which of the requests around checks it is. */
type Step = NonNullable<Part['step']>;

interface WellFormedRequest {
  readonly baseRequest: Exclude<BaseRequest, 'standalone'>;
  readonly purpose: string;
  readonly part: Part;
  /** Auth code of an exchange. */
  readonly code?: string;
  /** Optional parameters of an estimate; left out, those that the target demands. */
  readonly demanded?: readonly OptionalParameter[];
  /** Rest before an estimate. */
  readonly rest?: Rest;
}

function sendWellFormed(
  session: Session,
  request: WellFormedRequest,
): Promise<TokenAnswer | EstimateAnswer> {
  const { part, code = '' } = request;
  const token = (grant: Record<string, string>, what: string): Promise<TokenAnswer> => {
    const purpose = `${request.purpose}: a well-formed ${what}`;
    return session.issue(grant, purpose, part);
  };
  const estimate = (
    as: 'platform' | 'user',
    accessToken: string | null,
  ): Promise<EstimateAnswer> => {
    const attempt = {
      purpose: `${request.purpose}: a well-formed ${as} estimate`,
      query: session.estimateQuery({}, session.shape, request.demanded),
      accessToken: accessToken ?? '',
      as,
      shape: session.shape ?? undefined,
      rest: request.rest,
      wellFormed: true,
    };
    return session.estimate(attempt, part);
  };
  switch (request.baseRequest) {
    case 'platform':
      return token({ grant_type: 'client_credentials' }, 'platform request');
    case 'refresh': {
      const refreshToken = session.refreshToken ?? '';
      return token({ grant_type: 'refresh_token', refresh_token: refreshToken }, 'refresh');
    }
    case 'user': {
      const grant = { grant_type: 'authorization_code', auth_code: code };
      return token(grant, 'exchange of an auth code');
    }
    case 'estimate':
      return estimate('platform', session.platformToken);
    case 'user-estimate':
      return estimate('user', session.userToken);
  }
}
