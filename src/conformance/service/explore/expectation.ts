import { allowanceOutlook, mayBeBanned } from '../../model/allowance-outlook.ts';
import type { Asked } from '../../model/asked.ts';
import { LOCK_OUT_AFTER, refusedInRow } from '../../model/bans.ts';
import { tokenOutlook } from '../../model/token-outlook.ts';
import type { Expects } from '../contract/messages.ts';
import type { RequestStep } from '../contract/walk.ts';
import { type Drafted, GRANT_TYPE_OF } from './draft.ts';
import type { Draft } from './row.ts';
import type { Issued, Stage } from './stage.ts';

/** Expectation of a request. */
export interface Expectation {
  readonly expects: Expects;
  /** Rule that is broken otherwise. */
  readonly rule: string;
  /** True if a service may refuse it for more than an allowance. */
  readonly hasOtherCause: boolean;
}

/** Rule that an estimate breaks with a token of another partner. */
const OF_PARTNER = 'auth/token-of-partner';

/** Longest body whose length no service has cause to refuse, in bytes. */
const SHORT_BYTES = 240;

/** Expectation of a request: by itself, and by what came before. */
export function expectationOf({ draft, rows }: Drafted, stage: Stage): Expectation {
  const { step } = draft;
  const wrong = rows.find(({ is }) => is === 'wrong');
  const issued = step.do === 'estimate' ? stage.issued.get(step.of) : undefined;
  if (wrong) {
    // The id of another partner may be that of the token's own.
    const isOpen = wrong.rule === OF_PARTNER && issued && issued.partner !== step.partner;
    const expects = isOpen ? 'either' : 'refused';
    return { expects, rule: wrong.rule, hasOtherCause: true };
  }
  const asked = askedOf(draft, stage);
  const ofAllowance =
    step.do === 'token' ? allowanceOutlook({ ...asked, kind: step.grant }, stage.log) : null;
  const ofToken =
    step.do === 'estimate' || step.grant === 'refresh' ? tokenOutlook(asked, stage.log) : null;
  const refusedBy = ofAllowance?.refusedBy ?? ofToken?.refusedBy ?? refusedByToken(step, issued);
  const isUser = step.do === 'estimate' && step.as === 'user';
  const own = stage.ownLog(step.partner);
  const isShort = step.do === 'estimate' || JSON.stringify(draft.fields).length <= SHORT_BYTES;
  const hasOtherCause =
    ofToken?.mayBeRefused === true ||
    rows.some(({ is, learns = '' }) => is === 'open' && !(isShort && stage.learned.has(learns)));
  if (refusedBy !== undefined) return { expects: 'refused', rule: refusedBy, hasOtherCause };
  const isOpen =
    hasOtherCause ||
    ofAllowance?.mayBeRefused === true ||
    (issued && (issued.isUser !== isUser || issued.scope === null)) ||
    (step.do === 'estimate' && mayBeBanned(own, asked.sentMs)) ||
    // A service may lock out a partner that it refused often.
    refusedInRow(own, asked.sentMs).length >= LOCK_OUT_AFTER;
  // That an estimate is refused says no more than the rule of its header.
  const rule = rows.at(-1)?.rule ?? 'estimate/platform';
  return {
    expects: isOpen ? 'either' : 'accepted',
    rule: rule === 'estimate/platform' ? plainRule(step) : rule,
    hasOtherCause,
  };
}

/** Rule that an estimate breaks by its token; undefined for none. */
function refusedByToken({ partner }: RequestStep, issued: Issued | undefined): string | undefined {
  if (issued && issued.partner !== partner) return OF_PARTNER;
  const isOfOthers = issued?.scope?.split(/[\s,]+/).includes('public') === false;
  return isOfOthers ? 'auth/scope-public' : undefined;
}

/** Rule that a service breaks that refuses a plain request. */
function plainRule(step: RequestStep): string {
  return step.do === 'estimate'
    ? `estimate/${step.as}`
    : `token/grant-${GRANT_TYPE_OF[step.grant].replaceAll('_', '-')}`;
}

/** A request as the models see it, before it is sent. */
function askedOf({ step, session, fields, accessToken }: Draft, { client }: Stage): Asked {
  const isToken = step.do === 'token';
  const nowMs = client.clock.now();
  const last = Number.MAX_SAFE_INTEGER;
  return {
    id: 'next',
    number: last,
    partner: session.partner.id,
    kind: isToken ? step.grant : null,
    sentMs: nowMs,
    answeredMs: nowMs,
    wallMs: last,
    outcome: 'accepted',
    status: 0,
    isRight: true,
    isWrong: false,
    isRepeated: false,
    retryAfterS: null,
    ...(isToken && step.user !== undefined ? { user: step.user } : {}),
    sent: {
      accessToken: isToken ? null : accessToken,
      refreshToken: (fields['refresh_token'] as string | undefined) ?? null,
      authCode: null,
    },
    got: { accessToken: null, refreshToken: null, lifeMs: null },
    form: '',
    body: '',
  };
}
