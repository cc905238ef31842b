import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { knewAnswer } from '../traffic/request-fields.ts';
import { tokenOf } from '../traffic/token-use.ts';
import { descends, type ReceivedToken, type Traffic } from '../traffic/traffic.ts';
import type { CheckOutcome, ClientCheck, Violation } from './check.ts';

/** Use of user tokens: only the newest is valid (interface.md, "States and transitions"). */
export const USER_TOKEN_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/user-token-newest', judge: judgeNewest },
];

/** An estimate request and the user token that it carries. */
interface TokenUse {
  readonly estimate: ParsedRequest;
  readonly token: ReceivedToken;
}

function judgeNewest(traffic: Traffic): CheckOutcome {
  const userTokens = traffic.tokens.filter(({ kind }) => kind === 'user');
  const uses = traffic.estimates.flatMap((estimate): TokenUse | [] => {
    const token = tokenOf(traffic, estimate);
    return token?.kind === 'user' ? { estimate, token } : [];
  });
  const refusals = refusedElsewhere(traffic, uses);
  const laterUses = uses.filter(({ token }) => token !== userTokens[0]);
  return {
    violations: [
      ...uses.flatMap((use) => useOfOlder(traffic, userTokens, use) ?? []),
      ...uses.flatMap((use) => useAfterRefusal(refusals, use) ?? []),
    ],
    judged: [
      ...laterUses.map(({ estimate }) => estimate.id),
      ...[...refusals.values()].map(({ id }) => id),
    ],
    passed: 'only the newest user token is used',
    missing: 'no estimate was requested after a newer user token was issued',
  };
}

function useOfOlder(
  { complete }: Traffic,
  userTokens: readonly ReceivedToken[],
  { estimate, token }: TokenUse,
): Violation | null {
  const newest = userTokens.findLast(
    ({ request, partnerId }) => partnerId === token.partnerId && knewAnswer(estimate, request),
  );
  if (newest === undefined || newest.receivedMs <= token.receivedMs) return null;
  // With auth codes that are not ours, the two may be tokens of two users.
  if (!complete && !descends(newest, token)) return null;
  return {
    exchange: estimate.id,
    related: [newest.request.id],
    expected: `the newest user token, from ${newest.request.id}`,
    got: `the one from ${token.request.id}`,
  };
}

/** The first refusal of each token since a newer one was issued elsewhere. */
function refusedElsewhere(
  { elsewhere }: Traffic,
  uses: readonly TokenUse[],
): Map<ReceivedToken, ParsedRequest> {
  const issuedMs = Math.min(...elsewhere.map(({ receivedMs }) => receivedMs));
  const refusals = new Map<ReceivedToken, ParsedRequest>();
  for (const { estimate, token } of uses) {
    const { status, whole } = estimate.answer;
    const isRefused = status !== 200 && whole && estimate.receivedMs >= issuedMs;
    if (isRefused && !refusals.has(token)) refusals.set(token, estimate);
  }
  return refusals;
}

function useAfterRefusal(
  refusals: ReadonlyMap<ReceivedToken, ParsedRequest>,
  { estimate, token }: TokenUse,
): Violation | null {
  const refused = refusals.get(token);
  if (refused === undefined || !knewAnswer(estimate, refused)) return null;
  return {
    exchange: estimate.id,
    related: [refused.id],
    expected: `the token that was refused in ${refused.id} is not used again`,
    got: 'it is used again, although a newer one was issued elsewhere',
  };
}
