import { askedIn } from '../../model/asked.ts';
import type { TargetRun } from '../runner/target-run.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import type { SessionHooks } from '../wire/session-hooks.ts';
import { scopeOf } from './play.ts';
import type { Held } from './stage.ts';

/** Token requests that must be refused, but are accepted, after which no more of them are sent. */
const MOST_ACCEPTED = 4;

/**
 * Takes the tokens that walks with metered partners share: a platform token, and a user token where a code is left.
 *
 * @returns null if no partner may ask for a platform token today, or gets none
 */
export async function holdTokens(run: TargetRun): Promise<Held | null> {
  const { client, budgets, cap, hooks } = run;
  const { target, spend, evidence } = client;
  const isUsed = (code: string): boolean =>
    evidence.raw.some(({ request }) => request.body?.includes(code) === true);
  const ofRunLeft = (): number => (cap === null ? Number.POSITIVE_INFINITY : cap - spend.total);
  const ofRun = ofRunLeft();
  const budget = (budgets ?? []).find(
    ({ partnerId, mayBan, left }) => !mayBan && left.platform > spend.of(partnerId).platform,
  );
  const partner = target.partners.find(({ id }) => id === budget?.partnerId);
  if (!budget || !partner || ofRun < 1) return null;
  const mayAskForUser = ofRun > 1 && budget.left.user > spend.of(partner.id).user;
  const code = budget.unusedCodes.find((one) => mayAskForUser && !isUsed(one));
  const session = new PartnerPool(client, hooks).open(partner, budget.unusedCodes);
  const grants = [
    { grant_type: 'client_credentials' },
    ...(code === undefined ? [] : [{ grant_type: 'authorization_code', auth_code: code }]),
  ];
  const issued: Held['issued'][number][] = [];
  const before = evidence.raw.length;
  for (const [at, grant] of grants.entries()) {
    const part = { check: 'explore-tokens', number: at + 1 };
    const answer = await session.issue(grant, 'a token to explore with', part);
    const isUser = at > 0;
    const of = { partner: 0, isUser, user: isUser ? 'a' : undefined, scope: scopeOf(answer) };
    if (answer.outcome === 'accepted') issued.push({ ...of, answer, isSent: false });
    else if (!isUser) return null;
  }
  const log = askedIn(evidence.raw.slice(before), target.baseUrl);
  // What is kept for a witness is for the checks, also of a run that resumes this one.
  const ofPartner = budget.left.platform - budget.kept - spend.of(partner.id).platform;
  let left = Math.min(ofPartner, ofRunLeft(), MOST_ACCEPTED);
  const ofWalks: SessionHooks = {
    beforeSpend: (id, kinds) => {
      hooks.beforeSpend?.(id, kinds);
      left -= kinds.length;
    },
    refused: (id, kinds) => {
      hooks.refused?.(id, kinds);
      left += kinds.length;
    },
  };
  const others = target.partners.filter((one) => one !== partner);
  return {
    partners: [partner, ...others.slice(0, 1)],
    issued,
    log,
    hooks: ofWalks,
    mayBeRefused: () => client.facts.refusedAreFree && left > 0,
  };
}
