import { allowanceOutlook, mayBeBanned } from '../../model/allowance-outlook.ts';
import type { Asked } from '../../model/asked.ts';
import { LOCK_OUT_AFTER, refusedInRow } from '../../model/bans.ts';
import { tokenOutlook } from '../../model/tokens.ts';
import type { EstimateAnswer, Expects, Fields, TokenAnswer } from '../contract/messages.ts';
import type { EstimateStep, RequestStep, Step, TokenStep } from '../contract/walk.ts';
import type { Session } from '../wire/session.ts';
import { answerProblem } from './answers.ts';
import { lockProblem } from './locks.ts';
import { type Draft, type Meaning, type Row, rightSignature } from './row.ts';
import { rowOf } from './rows.ts';
import { randomOf, type Stage } from './stage.ts';
import type { Surprise } from './surprise.ts';

/** Expectation of a request. */
export interface Expectation {
  readonly expects: Expects;
  /** Rule that is broken otherwise. */
  readonly rule: string;
}

/** Outcome of a step. */
export type Played =
  | { readonly is: 'skipped' }
  /** The connection broke, or the answer was neither one thing nor the other: nothing after it is known. */
  | { readonly is: 'lost' }
  | {
      readonly is: 'played';
      readonly expects: Expects | null;
      readonly outcome: string | null;
      readonly surprise: Surprise | null;
      readonly exchanges: readonly string[];
    };

const SKIPPED: Played = { is: 'skipped' };
const LOST: Played = { is: 'lost' };

const GRANT_TYPES = {
  platform: 'client_credentials',
  user: 'authorization_code',
  refresh: 'refresh_token',
} as const;

/** Plays one step; what it needs of steps that are gone makes it one that is skipped. */
export async function play(step: Step, stage: Stage): Promise<Played> {
  const { clock } = stage.client;
  if (step.do === 'wait') {
    await clock.moveTo(clock.now() + step.seconds * 1000);
    return { is: 'played', expects: null, outcome: null, surprise: null, exchanges: [] };
  }
  if (step.do === 'lock') {
    const found = await lockProblem(step, stage);
    if (!found) return SKIPPED;
    return { is: 'played', expects: null, outcome: null, ...found };
  }
  // The clock is read again: what was answered late would be a step of it.
  await clock.refresh();
  const drafts: Drafted[] = [];
  for (let number = 0; number < (step.twice ? 2 : 1); number++) {
    const drafted = await draftOf(step, stage, number);
    if (!drafted) return SKIPPED;
    drafts.push(drafted);
  }
  const [first] = drafts as [Drafted];
  const expected = expectationOf(step, first, stage);
  const { refreshToken } = first.asked.sent;
  for (const issued of stage.issued.values())
    if (refreshToken !== null && issued.answer.refreshToken === refreshToken) issued.isSent = true;
  const answers = await Promise.all(drafts.map((one) => send(one, expected, stage)));
  const exchanges = stage.readSent(first.asked.user);
  stage.signatures.set(step.partner, rightSignature(first.draft));
  if (answers.some(({ outcome }) => outcome === 'broken')) return LOST;
  const played = { is: 'played', expects: expected.expects, exchanges } as const;
  if (step.twice) {
    const surprise =
      atOnceProblem(step, expected, answers) ?? problemOf(step, first, answers, stage);
    const outcome = answers.map((one) => one.outcome).join();
    for (const answer of answers) note(step, first, answer, stage);
    return { ...played, outcome, surprise };
  }
  const [answer] = answers as [TokenAnswer | EstimateAnswer];
  const isEmpty = first.isOrEmpty && Array.isArray(answer.json) && answer.json.length === 0;
  const outcome = isEmpty ? 'refused' : answer.outcome;
  // A token with another status is neither, where none need come.
  if (expected.expects === 'either' && outcome === 'accepted' && answer.status !== 200) return LOST;
  if (expected.expects !== 'either' && outcome !== expected.expects) {
    const got = outcome === 'accepted' ? 'accepted' : 'refused';
    const surprise: Surprise = {
      id: step.id,
      rule: expected.rule,
      what: got,
      reason: `the service ${got} it with status ${answer.status}`,
      status: answer.status,
      exchange: answer.exchange,
    };
    return { ...played, outcome, surprise };
  }
  const surprise = outcome === 'accepted' ? problemOf(step, first, [answer], stage) : null;
  if (outcome === 'accepted') {
    for (const row of first.rows) if (row.learns !== undefined) stage.learned.add(row.learns);
    note(step, first, answer, stage);
  }
  return { ...played, outcome, surprise };
}

/** A request that is ready to be sent. */
interface Drafted {
  readonly draft: Draft;
  readonly rows: readonly Row[];
  readonly asked: Asked;
  readonly isOrEmpty: boolean;
}

/** Makes the request of a step; null if a part of it is gone, or does not apply. */
async function draftOf(step: RequestStep, stage: Stage, number: number): Promise<Drafted | null> {
  const session = await stage.session(step.partner);
  const base =
    step.do === 'token'
      ? await tokenBase(step, session, stage)
      : estimateBase(step, session, stage);
  if (!base) return null;
  const draft: Draft = { step, session, write: null, ...base };
  const rows: Row[] = [];
  for (const { name, seed } of step.twists) {
    const row = rowOf(step, name);
    if (!row || !(row.for?.(step) ?? true)) return null;
    const around = surroundings(step, stage, seed + number);
    if ((await row.apply(draft, around)) === false) return null;
    rows.push(row);
  }
  const user = step.do === 'token' ? step.user : undefined;
  const { fields } = draft;
  const asked: Asked = {
    id: 'next',
    number: Number.MAX_SAFE_INTEGER,
    partner: session.partner.id,
    kind: step.do === 'token' ? step.grant : null,
    sentMs: stage.client.clock.now(),
    answeredMs: stage.client.clock.now(),
    wallMs: Number.MAX_SAFE_INTEGER,
    outcome: 'accepted',
    status: 0,
    isRight: true,
    isWrong: false,
    isRepeated: false,
    retryAfterS: null,
    ...(user === undefined ? {} : { user }),
    sent: {
      accessToken: step.do === 'estimate' ? draft.accessToken : null,
      refreshToken: (fields['refresh_token'] as string | undefined) ?? null,
      authCode: null,
    },
    got: { accessToken: null, refreshToken: null, lifeMs: null },
    form: '',
    body: '',
  };
  return { draft, rows, asked, isOrEmpty: rows.some(({ orEmpty }) => orEmpty === true) };
}

async function tokenBase(
  step: TokenStep,
  session: Session,
  stage: Stage,
): Promise<Pick<Draft, 'fields' | 'parts' | 'accessToken'> | null> {
  const grant: Record<string, unknown> = { grant_type: GRANT_TYPES[step.grant] };
  if (step.grant === 'refresh') {
    const token = stage.issued.get(step.of ?? -1)?.answer.refreshToken;
    if (typeof token !== 'string') return null;
    grant['refresh_token'] = token;
  }
  if (step.grant === 'user') grant['auth_code'] = await stage.code(session, step.user ?? 'a');
  return { fields: { ...session.tokenFields(grant) }, parts: {}, accessToken: '' };
}

function estimateBase(
  step: EstimateStep,
  session: Session,
  stage: Stage,
): Pick<Draft, 'fields' | 'parts' | 'accessToken'> | null {
  const accessToken = stage.issued.get(step.of)?.answer.accessToken;
  if (typeof accessToken !== 'string') return null;
  const parts = { as: step.as, ...(session.shape ? { shape: session.shape } : {}) };
  return { fields: session.estimateQuery(), parts, accessToken };
}

function surroundings(step: RequestStep, stage: Stage, seed: number): Parameters<Row['apply']>[1] {
  const random = randomOf(seed);
  const { client } = stage;
  return {
    random,
    nowMs: client.clock.now(),
    isTest: client.facts.environment === 'test',
    other: () => stage.session(step.partner === 0 ? 1 : 0),
    credential: (kind, of) => {
      const some = [...stage.issued.values()].filter(
        ({ partner, isSent, step: { id } }) =>
          (partner === step.partner) === (of === 'own') && !isSent && id !== (step.of ?? -1),
      );
      return some.at(Math.floor(random.next() * some.length))?.answer[kind] ?? null;
    },
    code: (session) => stage.code(session, 'a'),
    sentSignature: stage.signatures.get(step.partner) ?? null,
  };
}

/** Longest body whose length no service has cause to refuse, in bytes. */
const SHORT_BYTES = 240;

/** Meaning of a request by itself. */
function meaningOf({ rows, draft }: Drafted, { learned }: Stage): Meaning {
  if (rows.some(({ is }) => is === 'wrong')) return 'wrong';
  const isShort =
    JSON.stringify(draft.fields).length <= SHORT_BYTES || draft.step.do === 'estimate';
  const isOpen = rows.some(
    ({ is, learns }) => is === 'open' && !(isShort && learned.has(learns ?? '')),
  );
  return isOpen ? 'open' : 'right';
}

/** Expectation of a request: by itself, and by what came before. */
function expectationOf(step: RequestStep, drafted: Drafted, stage: Stage): Expectation {
  const { asked, rows } = drafted;
  const meaning = meaningOf(drafted, stage);
  const wrong = rows.find(({ is }) => is === 'wrong');
  if (wrong) return { expects: 'refused', rule: wrong.rule };
  const rule = ruleOfRows(rows, step);
  const outlooks = [
    ...(step.do === 'token' ? [allowanceOutlook({ ...asked, kind: step.grant }, stage.log)] : []),
    ...(step.do === 'estimate' || step.grant === 'refresh' ? [tokenOutlook(asked, stage.log)] : []),
  ];
  const refusedBy = outlooks.find((one) => one.refusedBy !== undefined)?.refusedBy;
  if (refusedBy !== undefined) return { expects: 'refused', rule: refusedBy };
  const issued = step.do === 'estimate' ? stage.issued.get(step.of) : undefined;
  if (issued && issued.partner !== step.partner)
    return { expects: 'refused', rule: 'auth/token-of-partner' };
  const scopes = issued?.scope?.split(/[\s,]+/);
  if (scopes && !scopes.includes('public'))
    return { expects: 'refused', rule: 'auth/scope-public' };
  const own = stage.log.filter(({ partner }) => partner === asked.partner);
  const isOpen =
    meaning === 'open' ||
    outlooks.some(({ mayBeRefused }) => mayBeRefused) ||
    (issued &&
      (issued.isUser !== (step.do === 'estimate' && step.as === 'user') || scopes === undefined)) ||
    (step.do === 'estimate' && mayBeBanned(own, asked.sentMs)) ||
    // A service may lock out a partner that it refused often.
    refusedInRow(own, asked.sentMs).length >= LOCK_OUT_AFTER;
  return { expects: isOpen ? 'either' : 'accepted', rule };
}

/** Rule of the last twist; what says no more than that an estimate is refused is of its header's rule. */
function ruleOfRows(rows: readonly Row[], step: RequestStep): string {
  const rule = rows.at(-1)?.rule;
  return rule === undefined || rule === 'estimate/platform' ? plainRule(step) : rule;
}

/** Rule that a service breaks that refuses a plain request. */
function plainRule(step: RequestStep): string {
  if (step.do === 'estimate') return step.as === 'user' ? 'estimate/user' : 'estimate/platform';
  return `token/grant-${GRANT_TYPES[step.grant].replaceAll('_', '-')}`;
}

async function send(
  { draft, rows }: Drafted,
  { expects }: Expectation,
  stage: Stage,
): Promise<TokenAnswer | EstimateAnswer> {
  const { step, session, parts, write } = draft;
  const purpose = wordsOfRequest(
    step,
    rows.map(({ name }) => name),
  );
  const wellFormed = expects === 'accepted';
  // One that may be refused for other reasons is not sent again for the rate.
  const part = {
    check: 'explore',
    number: stage.nextNumber(),
    ...(wellFormed ? {} : { counted: true as const }),
  };
  const attempt = { ...parts, purpose, expects, wellFormed };
  if (step.do === 'token') {
    const fields: Fields = draft.fields;
    const body = write?.(JSON.stringify(fields), fields);
    return session.token({ ...attempt, fields, ...(body === undefined ? {} : { body }) }, part);
  }
  const contentType =
    parts.contentType === false ? { contentType: false as const } : { contentType: undefined };
  const query = draft.fields as Record<string, string>;
  return session.estimate(
    { ...attempt, ...contentType, query, accessToken: draft.accessToken, as: step.as },
    part,
  );
}

/** A request in words. */
export function wordsOfRequest(step: RequestStep, twists: readonly string[]): string {
  const kind = {
    platform: 'a platform token request',
    user: 'an exchange of an auth_code',
    refresh: 'a refresh',
  };
  const what = step.do === 'token' ? kind[step.grant] : `an estimate of a ${step.as}`;
  return [step.twice ? `twice at once ${what}` : what, ...twists].join(', ');
}

/** Judges two requests that were sent at once: one of them must be accepted, and of two refreshes only one. */
function atOnceProblem(
  step: RequestStep,
  { expects, rule }: Expectation,
  answers: readonly (TokenAnswer | EstimateAnswer)[],
): Surprise | null {
  const accepted = answers.filter(({ outcome }) => outcome === 'accepted');
  const isRefresh = step.do === 'token' && step.grant === 'refresh';
  const isSame = accepted[0]?.body === accepted[1]?.body;
  const few = expects === 'accepted' && accepted.length === 0;
  const many = isRefresh
    ? accepted.length > 1 && !isSame
    : expects === 'refused' && accepted.length > 0;
  const answer = many ? accepted.at(-1) : few ? answers[0] : undefined;
  if (!answer) return null;
  return {
    id: step.id,
    rule: isRefresh && expects !== 'refused' ? 'lifecycle/refresh-single-use-concurrent' : rule,
    what: many ? 'accepted' : 'refused',
    reason: `the service ${many ? 'accepted' : 'refused'} both of two requests sent at once`,
    status: answer.status,
    exchange: answer.exchange,
  };
}

/** Judges what accepted answers say. */
function problemOf(
  step: RequestStep,
  { draft, rows }: Drafted,
  answers: readonly (TokenAnswer | EstimateAnswer)[],
  stage: Stage,
): Surprise | null {
  const isRight = rows.every(({ is }) => is === 'right');
  for (const answer of answers) {
    if (answer.outcome !== 'accepted') continue;
    const found = answerProblem(step, { draft, isRight }, answer, stage);
    if (found)
      return {
        id: step.id,
        what: 'answered',
        status: answer.status,
        exchange: answer.exchange,
        rule: found.rule,
        reason: found.reason,
      };
  }
  return null;
}

/** Keeps what later steps need of an accepted answer. */
function note(
  step: RequestStep,
  { draft }: Drafted,
  answer: TokenAnswer | EstimateAnswer,
  stage: Stage,
): void {
  if (answer.outcome !== 'accepted') return;
  if (step.do === 'estimate' && 'records' in answer) {
    const shape = draft.parts.shape ?? null;
    stage.estimated.set(step.id, { partner: step.partner, answer, shape });
  }
  if (step.do !== 'token' || !('accessToken' in answer)) return;
  const parent = step.of === undefined ? undefined : stage.issued.get(step.of);
  const scope = (answer.json as Fields | null)?.['scope'];
  stage.issued.set(step.id, {
    step,
    partner: step.partner,
    isUser: step.grant === 'user' || (parent?.isUser ?? false),
    user: step.grant === 'refresh' ? parent?.user : step.user,
    scope: typeof scope === 'string' ? scope : null,
    answer,
    isSent: false,
  });
}
