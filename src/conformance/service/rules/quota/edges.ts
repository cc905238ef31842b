import { ALLOWANCE_PER_DAY, type AllowanceKind, LIMITS } from '../../../../interface/limits.ts';
import { inconclusive, type Judgement, pass, violated } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { accepted, answered, Inconclusive } from '../../contract/judge.ts';
import { describeAnswer, type Fields, type TokenAnswer } from '../../contract/messages.ts';
import { partOf } from '../../contract/templates.ts';
import { atOnce } from '../at-once.ts';
import { obtain, WIDE_SCOPE } from '../lifecycle/lineage.ts';
import { judgeBeyond, probeBans, REFUSES } from './ban.ts';
import {
  CROSSED,
  clearOfMidnight,
  crossedMidnight,
  DAY_MS,
  exceed,
  fieldsOf,
  MARGIN_MS,
  requireChain,
  requireNoRate,
  requireUsedUp,
  SEQUENCE_MS,
  startOfChain,
  use,
  useUp,
} from './use.ts';

/** Requests sent at once, and how many of them the allowance still covers. */
const AT_ONCE = 10;
const LEFT = 3;

const COUNT = LIMITS.refreshesPerDay;

const tooMany = (kind: AllowanceKind, got: string, answer: TokenAnswer | undefined): Judgement => {
  const number = ALLOWANCE_PER_DAY[kind] + 1;
  return violated(`a refusal of ${kind} token request ${number} of a day`, got, answer?.exchange);
};

/** Sends ten requests at once when three are left: no more than three may succeed. */
async function judgeRace(ctx: CheckContext, kind: AllowanceKind): Promise<Judgement> {
  await clearOfMidnight(ctx, SEQUENCE_MS);
  const startMs = ctx.now();
  const first = kind === 'user' ? await ctx.issued('a platform token') : null;
  const unused = kind === 'refresh' ? await refreshTokens(ctx, AT_ONCE) : [];
  const before = ALLOWANCE_PER_DAY[kind] - LEFT;
  const used = await use(ctx, kind, before, { startFrom: unused[0] ?? null });
  const earlier = first ?? used.last;
  if (used.accepted < before)
    throw new Inconclusive(`the allowance falls short by itself (${describeAnswer(used.last)})`);
  const chains = [used.refreshToken, ...unused.slice(1)];
  const bodies: Fields[] = [];
  for (let at = 0; at < AT_ONCE; at++)
    bodies.push(await fieldsOf(ctx, kind, kind === 'refresh' ? (chains[at] ?? null) : null));
  const answers = await atOnce(
    ctx,
    bodies.map((fields, at) => ({
      purpose: `${kind} ${at + 1} of ${AT_ONCE} sent at once`,
      fields,
    })),
    earlier,
  );
  const succeeded = answers.filter(({ outcome }) => outcome === 'accepted');
  if (crossedMidnight(startMs, ctx.now())) throw new Inconclusive(CROSSED);
  if (succeeded.length > LEFT) {
    const got = `${succeeded.length} of ${AT_ONCE} sent at once were accepted, with ${LEFT} left`;
    return tooMany(kind, got, succeeded[LEFT]);
  }
  for (const answer of answers) answered(answer, `one of ${AT_ONCE}`);
  return pass(
    `of ${AT_ONCE} ${kind} token requests at once, with ${LEFT} left, ${succeeded.length} succeeded`,
  );
}

/** @throws Inconclusive if they could not be had */
async function refreshTokens(ctx: CheckContext, count: number): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < count)
    tokens.push((await ctx.refreshable(`token ${tokens.length + 1} to refresh`)).refreshToken);
  return tokens;
}

const SCOPES = [undefined, 'public', 'public rides.read', 'public profile'] as const;

/** Judgements on an allowance that was used up and exceeded. */
interface Edge {
  readonly allows: Judgement;
  readonly refuses: Judgement;
  /** Probes the ban shortly before its end. */
  readonly lasts: () => Promise<Judgement>;
}

/** Sends an allowance, and some requests more, of several scopes. */
async function judgeScopes(
  ctx: CheckContext,
  kind: 'platform' | 'user',
  more: number,
): Promise<Edge> {
  const bodyOf = async (number: number): Promise<Fields> => {
    const scope = SCOPES[number % SCOPES.length];
    const changes = scope === undefined ? {} : { scope };
    return kind === 'platform'
      ? ctx.platform(changes)
      : ctx.exchange(await ctx.authCode(), changes);
  };
  // On its second day: an allowance that was not used is not added to that of the next.
  await ctx.token({ purpose: `a ${kind} token of the day before`, fields: await bodyOf(0) });
  await ctx.reach(ctx.now() + DAY_MS + MARGIN_MS);
  return judgeEdge(ctx, kind, ALLOWANCE_PER_DAY[kind] + more, bodyOf);
}

/**
 * Sends an allowance of refreshes and one more, from several chains in turn.
 *
 * @param chains a refresh_token of each, and the scope that its refreshes name
 */
async function judgeChains(
  ctx: CheckContext,
  chains: readonly { readonly refreshToken: string; readonly scope?: string }[],
): Promise<Edge> {
  const tokens = chains.map(({ refreshToken }) => refreshToken);
  const bodyOf = (number: number): Fields => {
    const at = number % chains.length;
    const scope = chains[at]?.scope;
    return ctx.refresh(tokens[at] ?? '', scope === undefined ? {} : { scope });
  };
  return judgeEdge(ctx, 'refresh', COUNT + 1, bodyOf, (number, answer) => {
    tokens[number % chains.length] = answer.refreshToken ?? '';
  });
}

/** Two chains, one of which is refreshed naming the scope that it has. */
async function chainsOfScopes(
  ctx: CheckContext,
): Promise<{ readonly refreshToken: string; readonly scope?: string }[]> {
  const [plain, scoped] = [
    await obtain(ctx, {}, 'a token'),
    await obtain(ctx, { scope: WIDE_SCOPE }, 'a token of several scopes'),
  ];
  return [plain, { refreshToken: scoped.refreshToken, scope: WIDE_SCOPE }];
}

/** Sends an allowance of refreshes of a user's token, and one more. */
async function judgeOfUser(ctx: CheckContext): Promise<Edge> {
  const fields = ctx.exchange(await ctx.authCode());
  const issued = await ctx.token({ purpose: "a user's token", fields, wellFormed: true });
  let refreshToken = accepted(issued, "no user's token could be had").refreshToken ?? '';
  // If allowances were counted together, it would take one of the ten.
  await ctx.reach(ctx.now() + DAY_MS + MARGIN_MS);
  const bodyOf = (): Fields => ctx.refresh(refreshToken);
  return judgeEdge(ctx, 'refresh', COUNT + 1, bodyOf, (_number, answer) => {
    refreshToken = answer.refreshToken ?? '';
  });
}

async function judgeEdge(
  ctx: CheckContext,
  kind: AllowanceKind,
  requests: number,
  bodyOf: (number: number) => Fields | Promise<Fields>,
  take: (number: number, answer: TokenAnswer) => void = () => {},
): Promise<Edge> {
  await clearOfMidnight(ctx, SEQUENCE_MS);
  const startMs = ctx.now();
  const count = ALLOWANCE_PER_DAY[kind];
  const allows = pass(`${count} ${kind} token requests in a day succeeded`);
  let beyond: TokenAnswer | null = null;
  const lasts = (): Promise<Judgement> =>
    probeBans(ctx, [{ kind, beyond, fields: () => bodyOf(requests + 1) }]);
  for (let number = 1; number <= requests; number++) {
    const isBeyond = number > count;
    const purpose = `${isBeyond ? 'negative: ' : ''}${kind} token request ${number} of a day`;
    const fields = await bodyOf(number);
    const answer = answered(
      await ctx.token({
        purpose,
        expects: isBeyond ? 'refused' : 'accepted',
        fields,
        wellFormed: !isBeyond,
      }),
    );
    if (crossedMidnight(startMs, ctx.now())) throw new Inconclusive(CROSSED);
    const isAccepted = answer.outcome === 'accepted';
    if (isBeyond) beyond ??= answer;
    if (isBeyond && isAccepted)
      return { allows, refuses: tooMany(kind, `number ${number} was accepted`, answer), lasts };
    if (isAccepted) take(number, answer);
    else if (!isBeyond) {
      const got = `number ${number} was refused with status ${answer.status}`;
      if (number === 1) throw new Inconclusive(got);
      const refused = { kind, last: answer, refreshToken: null };
      await requireNoRate(ctx, refused, () => bodyOf(number));
      if (kind === 'refresh' && number === 2) await requireChain(ctx, await startOfChain(ctx));
      return {
        allows: violated(`${count} ${kind} token requests in a day succeed`, got, answer.exchange),
        refuses: inconclusive(got),
        lasts,
      };
    }
  }
  const refuses = pass(`number ${count + 1} was refused, number ${count} accepted`);
  return { allows, refuses, lasts };
}

const part = (rule: string, name: string, circumstance: string, run: Check['run']): Check =>
  partOf({ rule, name, circumstance, refusedAs: 'quota-exceeded', bansFresh: true, run });

const race = (rule: string, kind: AllowanceKind): Check =>
  part(rule, 'race', `${AT_ONCE} at once with ${LEFT} left`, (ctx) => judgeRace(ctx, kind));

const ALLOWS = {
  platform: 'quota/platform-allows-10',
  user: 'quota/user-allows-5',
  refresh: 'quota/refresh-allows-10',
} as const;

const BAN_LASTS = 'quota/ban-lasts-24h';

/** Judges the request beyond the allowance, and the ban that it begins; for some, the allowance too. */
const edge = (
  kind: AllowanceKind,
  name: string,
  circumstance: string,
  judge: (ctx: CheckContext) => Promise<Edge>,
  judgesAllowance = false,
): Check => ({
  ...part(REFUSES[kind], name, circumstance, async (ctx) => {
    const { allows, refuses, lasts } = await judge(ctx);
    return { [ALLOWS[kind]]: allows, [REFUSES[kind]]: refuses, [BAN_LASTS]: lasts };
  }),
  rules: [...(judgesAllowance ? [ALLOWS[kind]] : []), REFUSES[kind], BAN_LASTS],
});

/** Exceeds an allowance as several fresh partners: some targets refuse the request beyond the allowance at times only. */
const again = (kind: AllowanceKind, partners: number): Check =>
  part(REFUSES[kind], 'again', 'by further partners', async (ctx) => {
    await clearOfMidnight(ctx, SEQUENCE_MS);
    const startMs = ctx.now();
    for (let number = 1; number <= partners; number++) {
      const caller = await ctx.freshPartner();
      const used = await useUp(caller, kind);
      requireUsedUp(used);
      const beyond = answered(await exceed(caller, used));
      if (crossedMidnight(startMs, ctx.now())) throw new Inconclusive(CROSSED);
      if (beyond.outcome === 'accepted') return judgeBeyond(kind, beyond);
    }
    return pass(`number ${ALLOWANCE_PER_DAY[kind] + 1} was refused to ${partners} partners`);
  });

/** The end of the allowance of a kind: requests at once, of several scopes and of several chains. */
export const EDGE_PARTS: Readonly<Record<AllowanceKind, readonly Check[]>> = {
  platform: [
    race('quota/platform-refuses-11th', 'platform'),
    edge('platform', 'scopes', 'of several scopes', (ctx) => judgeScopes(ctx, 'platform', 3)),
    again('platform', 1),
  ],
  user: [
    race('quota/user-refuses-6th', 'user'),
    edge('user', 'scopes', 'of several scopes', (ctx) => judgeScopes(ctx, 'user', 2)),
    again('user', 2),
  ],
  refresh: [
    race('quota/refresh-refuses-11th', 'refresh'),
    edge('refresh', 'chains', 'of two chains', async (ctx) =>
      judgeChains(
        ctx,
        (await refreshTokens(ctx, 2)).map((refreshToken) => ({ refreshToken })),
      ),
    ),
    edge('refresh', 'scopes', 'of two scopes', async (ctx) =>
      judgeChains(ctx, await chainsOfScopes(ctx)),
    ),
    edge('refresh', 'user', "of a user's token", judgeOfUser, true),
  ],
};
