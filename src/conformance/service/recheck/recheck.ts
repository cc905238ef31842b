import type { AppliedWaiver, Diagnosis, RuleResult } from '../../../documents/conformance.ts';
import { judgedCount } from '../../../documents/judged-count.ts';
import type { Exchange } from '../../../documents/sealed.ts';
import type { StoredTarget } from '../../../documents/stored-target.ts';
import { SERVICE_RULES } from '../../../interface/catalogue.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { curlOf } from '../../curl.ts';
import { type Judgement, verdictOf } from '../../verdict.ts';
import { applyWaivers, type Waivable } from '../../waivers.ts';
import type { Seen } from '../contract/observation.ts';
import { explained, unservedPartners, unsignedFields } from '../diagnosis.ts';
import { judge, type RuleJudgement } from '../judge/judge.ts';
import { SERVICE_CHECKS, SERVICE_OBSERVATIONS } from '../rules/all.ts';
import { judgeObservation } from '../runner/judge-target.ts';
import { applicableChecks } from '../runner/prerequisites.ts';
import { Stability } from '../wire/stability.ts';
import { factsOfStored, type ReplayedTarget, replayTarget } from './replay.ts';

/** Fields of a stored run document by which its service can be judged again. */
export interface StoredRun extends Waivable {
  readonly side: string;
  readonly complete: boolean;
  /** Time by which waivers have expired, ISO 8601. */
  readonly finishedAt: string;
  readonly exchanges: readonly Exchange[];
  readonly waivers?: readonly AppliedWaiver[] | undefined;
  readonly sites?: readonly StoredTarget[] | undefined;
  readonly diagnosis?: Diagnosis | undefined;
  readonly interrupted?: unknown;
  readonly notes?: readonly string[] | undefined;
  readonly explored?: { readonly finds: readonly Found[] } | undefined;
}

/** A find of exploring, as far as it can be judged again. */
interface Found {
  readonly rule: string;
  readonly exchanges: readonly string[];
}

/**
 * Judges the stored exchanges of a run on a service again, by the same checks, and sends nothing.
 * Rules that could not be tested stay as they are, and so do rules that a user defined, and gaps. A
 * missing exchange makes its rule inconclusive, and so does a cut answer that would change the verdict.
 *
 * @throws ConfigurationError `RECHECK_IMPOSSIBLE` for a document without the facts of its targets
 */
export async function recheckService<R extends StoredRun>(stored: R): Promise<R> {
  const { sites = [] } = stored;
  const [first] = sites;
  if (stored.side !== 'service' || first === undefined) {
    throw new ConfigurationError(
      'RECHECK_IMPOSSIBLE',
      'The document has no facts about its targets ("sites"), which a run of "check" has.',
    );
  }
  const exchanges = stored.exchanges.map(withoutPseudonyms);
  const ruleOf = new Map(stored.rules.map((rule) => [rule.id, rule]));
  const pointsTo = (rule: string): readonly string[] => ruleOf.get(rule)?.exchanges ?? [];
  const replayed: ReplayedTarget[] = [];
  const stability = new Stability();
  const endedMs = Date.parse(stored.finishedAt);
  for (const [at, target] of sites.entries()) {
    stability.recordUsedUp(target.usedUp ?? []);
    const own = exchanges.filter((one) => isOf(one, target, sites));
    const facts = factsOfStored(target, (rule) => ruleOf.get(rule)?.verdict !== 'excluded');
    const checks = applicableChecks(SERVICE_CHECKS, facts, at === 0);
    replayed.push(await replayTarget(target, facts, own, checks, pointsTo, stability, endedMs));
  }
  const judgements = judgementsOf(replayed, stored.exchanges, stored.interrupted === true);
  const byId = new Map(stored.exchanges.map((one) => [one.id, one]));
  const cuts = stored.exchanges.filter(({ response }) => response?.cut).map(({ id }) => id);
  const facts: RunFacts = {
    diagnosis: stored.diagnosis,
    isOfProfile: !first.control,
    unserved: unservedPartners(stored.exchanges, first.baseUrl),
    unsigned: unsignedFields(stored.exchanges, first.baseUrl, first.signature.tokenFields),
    cuts,
  };
  const known = new Set<string>(SERVICE_RULES.map(({ id }) => id));
  const found = new Set(
    stored.explored?.finds.filter((one) => isStillShown(one, byId)).map(({ rule }) => rule),
  );
  const rules = stored.rules.map((rule) =>
    known.has(rule.id) && !found.has(rule.id)
      ? rejudged(rule, judgements.get(rule.id), byId, facts)
      : rule,
  );
  const foreign = rules.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  const notes = [
    ...(foreign.length === 0
      ? []
      : [
          `not judged again, as the module that judges them is not part of the document: ${foreign.join(', ')}`,
        ]),
    ...(cuts.length === 0
      ? []
      : [`judged again without what the document leaves out: ${cutsWords(cuts)}`]),
  ];
  return summed(notes.length === 0 ? stored : { ...stored, notes }, rules);
}

/**
 * Checks whether the last request of a find was answered otherwise than it must be. What an answer says is judged
 * with all others; a lock is not read again.
 */
function isStillShown({ exchanges }: Found, byId: ReadonlyMap<string, Exchange>): boolean {
  const last = byId.get(exchanges.at(-1) ?? '');
  if (!last) return false;
  const isAccepted = last.response?.status === 200;
  return last.expects === 'accepted' ? !isAccepted : isAccepted;
}

const PSEUDONYM =
  /\[(signing_key|signature|access_token|refresh_token|auth_code|control_token|header|token) ([^\]\s]+)\]/g;

/** Rewrites pseudonyms without their space, so that they are valid as tokens. */
function withoutPseudonyms(exchange: Exchange): Exchange {
  return JSON.parse(JSON.stringify(exchange).replace(PSEUDONYM, '<$1~$2>')) as Exchange;
}

/** Checks whether an exchange is with a target; reads of locks, which go to a control API, are with any. */
function isOf({ request }: Exchange, target: StoredTarget, all: readonly StoredTarget[]): boolean {
  if (all.length === 1 || request.url.startsWith(target.baseUrl)) return true;
  return !all.some(({ baseUrl }) => request.url.startsWith(baseUrl));
}

const NOTHING_SEEN: Seen = {
  requests: [],
  tokens: [],
  estimates: [],
  facts: { shapes: [], metered: true },
};

function judgementsOf(
  replayed: readonly ReplayedTarget[],
  exchanges: readonly Exchange[],
  isInterrupted: boolean,
): Map<string, RuleJudgement> {
  const seen = replayed[0]?.seen ?? NOTHING_SEEN;
  const observed = SERVICE_OBSERVATIONS.map((one) => ({
    rule: one.rule,
    judgement: judgeObservation(one, seen, exchanges, isInterrupted),
  }));
  // What was not sent is not in the document: what is there is judged, unless the run would have sent it.
  return judge(
    replayed.map(({ log: { checks, ...log } }, at) => ({
      ...log,
      checks: isInterrupted ? checks : [],
      observed: at === 0 ? observed : [],
    })),
    isInterrupted,
  );
}

/** Facts of a stored run that concern each of its rules. */
interface RunFacts {
  readonly diagnosis: StoredRun['diagnosis'];
  readonly isOfProfile: boolean;
  readonly unserved: ReadonlySet<string>;
  readonly unsigned: ReadonlySet<string>;
  /** Ids of exchanges whose answers are cut. */
  readonly cuts: readonly string[];
}

function rejudged(
  stored: RuleResult,
  again: RuleJudgement | undefined,
  byId: ReadonlyMap<string, Exchange>,
  { diagnosis, cuts, ...known }: RunFacts,
): RuleResult {
  const wasAsked = stored.verdict !== 'excluded' && stored.pendingUntil === undefined;
  if (!wasAsked || stored.verdict === 'untestable') return stored;
  const missing = stored.exchanges.find((id) => !byId.has(id));
  if (missing !== undefined)
    return undecided(stored, `its exchange ${missing} is not in the document`);
  if (!again) {
    return stored.verdict === 'inconclusive'
      ? stored
      : undecided(stored, 'no exchange in the document shows it');
  }
  // The run knew more than it could show, such as a target that does not answer: nothing is judged anew by what is left.
  if (stored.exchanges.length === 0 && stored.verdict === 'inconclusive') return stored;
  const { judgement } = again;
  const { reason, expected, remedy, keyExchange } = withPseudonyms(judgement);
  const shown = byId.get(keyExchange ?? '');
  const accuser = judgement.verdict === 'violated' ? shown : undefined;
  const [shownBy, curl] = [accuser?.id, accuser && known.isOfProfile ? curlOf(accuser) : undefined];
  const { exchanges } = again;
  const outcome = explained(
    {
      verdict: verdictOf(judgement, stored.level),
      reason: `${reason}`,
      expected,
      remedy,
      exchanges,
      shownBy,
      curl,
    },
    diagnosis,
    { shown, ...known },
  );
  const hasSameVerdict = outcome.verdict === stored.verdict;
  // The run judged by more than is stored.
  if (hasSameVerdict && cuts.length > 0) return stored;
  const cut = stored.exchanges.find((id) => byId.get(id)?.response?.truncated);
  if (cut !== undefined && !hasSameVerdict)
    return undecided(stored, `the response of its exchange ${cut} is cut in the document`);
  if (cuts.length > 0 && outcome.verdict === 'inconclusive')
    return undecided(stored, `${outcome.reason}; in the document, ${cutsWords(cuts)}`);
  return { ...stored, ...outcome };
}

function cutsWords(cuts: readonly string[]): string {
  const [first] = cuts;
  return cuts.length === 1
    ? `the response of exchange ${first} is cut`
    : `the responses of ${cuts.length} exchanges are cut, the first of them ${first}`;
}

function undecided(stored: RuleResult, reason: string): RuleResult {
  const { expected: _expected, shownBy: _shownBy, curl: _curl, ...rest } = stored;
  return { ...rest, verdict: 'inconclusive', reason };
}

function withPseudonyms(judgement: Judgement): Judgement {
  return JSON.parse(
    JSON.stringify(judgement).replace(/<([a-z_]+)~([^>\s]+)>/g, '[$1 $2]'),
  ) as Judgement;
}

/** Derives the verdict of the whole run, with its waivers applied. */
function summed<R extends StoredRun>(stored: R, rules: readonly RuleResult[]): R {
  const { summary, verdict, waivers = [] } = stored;
  // That completeness was required shows only where nothing else made the run incomplete.
  const isOpen = summary.inconclusive > 0 || judgedCount(summary) === 0;
  const mustBeComplete = verdict === 'incomplete' && !isOpen;
  const plain = waivers.map(({ problem: _problem, ...waiver }) => waiver);
  const { waivers: applied, ...result } = applyWaivers(
    { ...stored, rules },
    plain,
    mustBeComplete,
    Date.parse(stored.finishedAt),
  );
  // What stays as it was had its waivers applied before.
  const kept = result.rules.map(
    (rule, at) => stored.rules.find((one) => one === rules[at]) ?? rule,
  );
  const complete = result.summary.inconclusive === 0 && result.summary.untestable === 0;
  const all = { ...stored, ...result, rules: kept, complete };
  return stored.waivers ? { ...all, waivers: applied } : all;
}
