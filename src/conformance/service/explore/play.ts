import type { Asked } from '../../model/asked.ts';
import type { EstimateAnswer, Expects, TokenAnswer } from '../contract/messages.ts';
import type { RequestStep, Step } from '../contract/walk.ts';
import { seenToken } from '../rules/of-one-answer.ts';
import { fieldOf } from '../rules/token/response.ts';
import { answerProblem } from './answers.ts';
import { type Drafted, draftOf } from './draft.ts';
import { type Expectation, expectationOf } from './expectation.ts';
import { lockProblem } from './locks.ts';
import { isMetered, rightSignature } from './row.ts';
import { rowOf } from './rows.ts';
import type { Held, Stage, Surprise } from './stage.ts';
import { wordsOfRequest } from './words.ts';

/** Outcome of a step. */
export interface Played {
  /**
   * `skipped` if what it needs is gone; `lost` if the connection broke, or the answer was neither one thing nor the
   * other: nothing after it is known.
   */
  readonly is: 'played' | 'skipped' | 'lost';
  readonly expects: Expects | null;
  readonly surprise: Surprise | null;
  readonly exchanges: readonly string[];
}

const PLAYED: Played = { is: 'played', expects: null, surprise: null, exchanges: [] };
const SKIPPED: Played = { ...PLAYED, is: 'skipped' };

type AnyAnswer = TokenAnswer | EstimateAnswer;

/** Plays one step; a breach of a rule that is known to be broken is no surprise. */
export async function play(step: Step, stage: Stage): Promise<Played> {
  const played = await playStep(step, stage);
  return stage.broken.has(played.surprise?.rule ?? '') ? { ...played, surprise: null } : played;
}

async function playStep(step: Step, stage: Stage): Promise<Played> {
  const { clock } = stage.client;
  if (stage.held && step.do !== 'estimate' && !isFree(stage.held, step))
    return givenBy(stage.held, step, stage);
  if (step.do === 'wait') {
    await clock.moveTo(clock.now() + step.seconds * 1000);
    return PLAYED;
  }
  if (step.do === 'lock') {
    const found = await lockProblem(step, stage);
    return found ? { ...PLAYED, ...found } : SKIPPED;
  }
  // The clock is read again: what was answered late would be a step of it.
  await clock.refresh();
  const first = await draftOf(step, stage, 0);
  const second = step.twice ? await draftOf(step, stage, 1) : null;
  if (!first || (step.twice && !second)) return SKIPPED;
  const expected = expectationOf(first, stage);
  const { refresh_token: sent } = first.draft.fields;
  for (const issued of stage.issued.values())
    if (typeof sent === 'string' && issued.answer.refreshToken === sent) issued.isSent = true;
  const drafts = second ? [first, second] : [first];
  const isRefresh = step.do === 'token' && step.grant === 'refresh';
  // Of two refreshes at once only one is right.
  const sentAs =
    second && isRefresh && expected.expects === 'accepted' ? 'either' : expected.expects;
  const answers = await Promise.all(drafts.map((one) => send(one, sentAs, stage)));
  const user = step.do === 'token' && step.user !== undefined ? { user: step.user } : {};
  const exchanges = stage.readSent({ ...user, hasOtherCause: expected.hasOtherCause });
  stage.signatures.set(step.partner, rightSignature(first.draft));
  const { expects } = expected;
  // A token with another status is neither, where none need come.
  const isNeither = ({ outcome, status }: AnyAnswer): boolean =>
    outcome === 'broken' ||
    ((expects === 'either' || step.twice === true) && outcome === 'accepted' && status !== 200);
  if (answers.some(isNeither)) return { ...PLAYED, is: 'lost' };
  const accepted = answers.filter(
    (one) => one.outcome === 'accepted' && !first.rows.some(({ tolerates }) => tolerates?.(one)),
  );
  const isLimited = answers.some(({ exchange }) => isSentAgain(exchange, stage));
  const surprise =
    (isLimited ? null : outcomeProblem(step, expected, answers, accepted)) ??
    accepted.map((answer) => contentProblem(step, first, answer, stage)).find((one) => one) ??
    null;
  if (!surprise) for (const answer of accepted) note(step, first, answer, stage);
  return { is: 'played', expects, surprise, exchanges };
}

/** Checks whether a step with a metered partner is one that must be refused, and costs nothing then. */
const isFree = ({ mayBeRefused }: Held, step: Step): boolean =>
  step.do === 'token' &&
  step.grant === 'platform' &&
  step.twists.map(({ name }) => rowOf(step, name)).some((row) => row && isMetered(row)) &&
  mayBeRefused();

/** Gives a step the token that it asks for, where that is held; time is not moved then. */
function givenBy({ issued, log, partners }: Held, step: Step, stage: Stage): Played {
  const isPlain = step.do === 'token' && step.twists.length === 0 && !step.twice;
  const given = issued.find(({ isUser }) => isUser === (isPlain && step.grant === 'user'));
  if (!given || !isPlain || step.grant === 'refresh') return SKIPPED;
  stage.issued.set(step.id, { ...given, step });
  stage.tokens.push(seenToken({}, partners[0]?.id ?? '', given.answer));
  const isRequest = ({ got }: Asked): boolean => got.accessToken === given.answer.accessToken;
  if (!stage.log.some(isRequest)) stage.log.push(...log.filter(isRequest));
  return PLAYED;
}

async function send({ draft, rows }: Drafted, expects: Expects, stage: Stage): Promise<AnyAnswer> {
  const { step, session, parts, write, fields, accessToken } = draft;
  const twists = rows.map(({ name }) => name);
  const wellFormed = expects === 'accepted';
  // One that may be refused for other reasons is not sent again for the rate.
  const part = { ...stage.nextPart(), ...(wellFormed ? {} : { counted: true as const }) };
  const attempt = { ...parts, purpose: wordsOfRequest(step, twists), expects, wellFormed };
  if (step.do === 'token') {
    const { body = write?.(JSON.stringify(fields)) } = parts;
    return session.token({ ...attempt, fields, body }, part);
  }
  const contentType = parts.contentType === false ? false : undefined;
  const query = fields as Record<string, string>;
  return session.estimate({ ...attempt, contentType, query, accessToken, as: step.as }, part);
}

/** True for a request that was sent again, as a rate limit may have refused it before: it may refuse for that too. */
function isSentAgain(exchange: string, { client }: Stage): boolean {
  const stored = client.evidence.raw.findLast(({ id }) => id === exchange);
  return stored?.part?.repeat !== undefined;
}

/** Judges whether requests were rightly accepted or refused; of two refreshes at once only one is. */
function outcomeProblem(
  step: RequestStep,
  { expects, rule }: Expectation,
  answers: readonly AnyAnswer[],
  accepted: readonly AnyAnswer[],
): Surprise | null {
  const isRefresh = step.do === 'token' && step.grant === 'refresh';
  const isDoubled = isRefresh && accepted[1] && accepted[0]?.body !== accepted[1].body;
  const few = expects === 'accepted' && accepted.length === 0;
  const many = expects === 'refused' ? accepted.length > 0 : isDoubled;
  const answer = many ? accepted.at(-1) : few ? answers[0] : undefined;
  if (!answer) return null;
  const what = many ? 'accepted' : 'refused';
  const isOne = answers.length === 1 || (many && accepted.length === 1);
  return {
    id: step.id,
    rule:
      step.twice && isRefresh && expects !== 'refused'
        ? 'lifecycle/refresh-single-use-concurrent'
        : rule,
    what,
    reason: `the service ${what} ${isOne ? `it with status ${answer.status}` : 'both of two requests sent at once'}`,
    status: answer.status,
    exchange: answer.exchange,
  };
}

/** Judges what an accepted answer says. */
function contentProblem(
  step: RequestStep,
  { draft, rows }: Drafted,
  answer: AnyAnswer,
  stage: Stage,
): Surprise | null {
  const isRight = rows.every(({ is }) => is === 'right');
  const found = answerProblem(step, { draft, isRight }, answer, stage);
  const { status, exchange } = answer;
  return found && { id: step.id, what: 'answered', status, exchange, ...found };
}

/** Scope of a token by its answer; null if it names none. */
export function scopeOf(answer: TokenAnswer): string | null {
  const scope = fieldOf(answer, 'scope');
  return typeof scope === 'string' ? scope : null;
}

/** Keeps what later steps need of an accepted answer. */
function note(step: RequestStep, { draft, rows }: Drafted, answer: AnyAnswer, stage: Stage): void {
  for (const { learns } of rows) if (learns !== undefined) stage.learned.add(learns);
  const { id, partner } = step;
  if ('records' in answer) {
    stage.estimated.set(id, { partner, answer, shape: draft.parts.shape ?? null });
    return;
  }
  if (step.do !== 'token') return;
  const parent = step.of === undefined ? undefined : stage.issued.get(step.of);
  stage.issued.set(id, {
    step,
    partner,
    isUser: step.grant === 'user' || (parent?.isUser ?? false),
    user: step.grant === 'refresh' ? parent?.user : step.user,
    scope: scopeOf(answer),
    answer,
    isSent: false,
  });
}
