import { SeededRandom } from '../../seeded-random.ts';
import type { Caller, CheckContext } from '../contract/check.ts';
import type { Fields, TokenAnswer } from '../contract/messages.ts';
import type { EstimateStep, Grant, RequestStep, TokenStep } from '../contract/walk.ts';
import type { Session } from '../wire/session.ts';
import { type Draft, type Row, rightSignature, type Surroundings, sentSignature } from './row.ts';
import { rowOf } from './rows.ts';
import type { Stage } from './stage.ts';

/** A request that is ready to be sent, and the ways in which it varies. */
export interface Drafted {
  readonly draft: Draft;
  readonly rows: readonly Row[];
}

/** The grant_type of each kind of token request. */
export const GRANT_TYPE_OF: Readonly<Record<Grant, string>> = {
  platform: 'client_credentials',
  user: 'authorization_code',
  refresh: 'refresh_token',
};

/** Rules of signing, of which a request breaks none as long as it has the right signature. */
const OF_SIGNING = /^signature\/|^auth\/user-signature$|\/nostr-case$/;

/**
 * Makes the request of a step; null if a part of it is gone, or does not apply.
 *
 * @param number which of two requests at once, from 0
 */
export async function draftOf(
  step: RequestStep,
  stage: Stage,
  number: number,
): Promise<Drafted | null> {
  const session = await stage.session(step.partner);
  const base =
    step.do === 'token'
      ? await tokenBase(step, session, stage)
      : estimateBase(step, session, stage);
  if (!base) return null;
  const draft: Draft = { step, session, write: null, ...base };
  const rows: Row[] = [];
  const changed = new Set<string>();
  for (const { name, seed } of step.twists) {
    const row = rowOf(step, name);
    if (!row) return null;
    const around = surroundings(draft, stage, seed + number);
    const before = { ...draft.fields };
    if ((await row.apply(draft, around)) === false) return null;
    const own = Object.keys(draft.fields).filter((field) => draft.fields[field] !== before[field]);
    // Of a twist that another one undoes, an answer says nothing.
    if (own.some((field) => changed.has(field))) return null;
    for (const field of own) changed.add(field);
    rows.push(row);
  }
  const isOfSigning = rows.some(({ is, rule }) => is === 'wrong' && OF_SIGNING.test(rule));
  return isOfSigning && sentSignature(draft) === rightSignature(draft) ? null : { draft, rows };
}

type Base = Pick<Draft, 'fields' | 'parts' | 'accessToken'>;

async function tokenBase(step: TokenStep, session: Session, stage: Stage): Promise<Base | null> {
  const grant: Fields = { grant_type: GRANT_TYPE_OF[step.grant] };
  const token = stage.issued.get(step.of ?? -1)?.answer.refreshToken;
  const credential =
    step.grant === 'refresh'
      ? { refresh_token: token }
      : step.grant === 'user'
        ? { auth_code: await stage.code(session, step.user ?? 'a') }
        : {};
  if (step.grant === 'refresh' && typeof token !== 'string') return null;
  const fields = { ...session.tokenFields({ ...grant, ...credential }) };
  return { fields, parts: {}, accessToken: '' };
}

function estimateBase(step: EstimateStep, session: Session, stage: Stage): Base | null {
  const accessToken = stage.issued.get(step.of)?.answer.accessToken;
  if (typeof accessToken !== 'string') return null;
  const parts = { as: step.as, ...(session.shape ? { shape: session.shape } : {}) };
  return { fields: session.estimateQuery(), parts, accessToken };
}

function surroundings(draft: Draft, stage: Stage, seed: number): Surroundings {
  const { step, session } = draft;
  const { partner, signer, client } = session;
  const { facts, clock, stamp } = client;
  const random = new SeededRandom(seed);
  const base: CheckContext['base'] = (changes) =>
    Object.fromEntries(
      Object.entries({ ...draft.fields, ...changes }).filter(([, value]) => value !== undefined),
    );
  const credential: Surroundings['credential'] = (kind, of) => {
    const some = [...stage.issued.values()].filter(
      (one) =>
        (one.partner === step.partner) === (of === 'own') &&
        !one.isSent &&
        one.step.id !== (step.of ?? -1),
    );
    return some.at(Math.floor(random.next() * some.length))?.answer[kind] ?? null;
  };
  const around: Partial<Surroundings> = {
    id: partner.id,
    signingKey: partner.signingKey,
    facts,
    random,
    base,
    query: base as CheckContext['query'],
    exchange: (code, changes) => base({ auth_code: code, ...changes }),
    sign: (fields) => signer.sign(fields),
    signEstimate: (query) => signer.signEstimate(query),
    signedPairs: (fields) => signer.signedPairs(fields),
    accessToken: draft.accessToken,
    get refreshToken() {
      const own = draft.fields['refresh_token'] as string | undefined;
      return own ?? credential('refreshToken', 'own') ?? '';
    },
    get opening() {
      const accessToken = credential('accessToken', 'own');
      return { accessToken, refreshToken: credential('refreshToken', 'own') } as TokenAnswer;
    },
    now: () => clock.now(),
    timestamp: (secondsAgo = 0, form) => stamp.textOf(clock.now() - secondsAgo * 1000, form),
    otherPartner: async () => {
      const number = step.partner === 0 ? 1 : 0;
      if (!stage.hasPartner(number)) return null;
      const other = await stage.session(number);
      return { ...other.partner, authCode: () => stage.code(other, 'a') } as Caller;
    },
    authCode: () => stage.code(session, 'a'),
    credential,
    sentSignature: stage.signatures.get(step.partner) ?? null,
    sourceScope: stage.issued.get(step.of ?? -1)?.scope ?? null,
  };
  return around as Surroundings;
}
