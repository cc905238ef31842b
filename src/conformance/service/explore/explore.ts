import { hash } from 'node:crypto';
import type { Explored as Stored } from '../../../documents/explored.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { type Judgement, violated } from '../../verdict.ts';
import type { Rest } from '../contract/messages.ts';
import type { Step, Walk } from '../contract/walk.ts';
import { isLimitStatus } from '../wire/rate-limit.ts';
import type { TargetClient } from '../wire/target-client.ts';
import { ruleOf, withAnySignature } from './blame.ts';
import { Drawer, drawLeaning } from './draw.ts';
import { type Played, play } from './play.ts';
import { rowOf } from './rows.ts';
import { requestsOf, shrink } from './shrink.ts';
import { type Held, openStage, type Stage, type Surprise, stageApart } from './stage.ts';
import { wordsOf } from './words.ts';

/** A walk that shows how a rule is broken. */
export type Find = Stored['finds'][number] & {
  readonly judgement: Judgement;
  /** Requests that shrinking it took. */
  readonly shrunkBy: number;
};

type Counts = Record<string, number>;

/** Outcome before the first walk; its counts are those of the document. */
export const nothingExplored = () => ({
  walks: 0,
  steps: 0,
  requests: 0,
  actions: {} as Counts,
  expected: {} as Counts,
  open: {} as Counts,
  unconfirmed: 0,
  finds: [] as Find[],
});

/** Outcome of exploring, to which the targets of a run add. */
export type Explored = ReturnType<typeof nothingExplored>;

/** Bounds of exploring, and what is played first. */
export interface Exploring {
  readonly seed: number;
  /** Checks whether another walk may begin. */
  readonly goesOn: (so: Explored) => boolean;
  /** Cases that were found before. */
  readonly cases?: readonly Walk[];
  /** Checks whether a rule is judged. */
  readonly isAsked?: (rule: string) => boolean;
  readonly onWalk?: () => void;
  /** Tokens of a metered partner; left out, partners are fresh. */
  readonly held?: Held | undefined;
}

/** Times that a surprise must come again: a refusal may have more causes. */
const AGAIN = { refused: 5, accepted: 1, answered: 1 } as const;

/** An odd number of requests between replays: a target that fails each n-th one fails another of the walk then. */
const between = (count: number): Step[] =>
  Array.from({ length: count }, (_, at): Step[] => {
    const token = 2 * at + 1;
    const of = { partner: 0, twists: [] };
    return [
      { do: 'token', grant: 'platform', ...of, id: token },
      { do: 'estimate', as: 'platform', ...of, of: token, id: token + 1 },
    ];
  })
    .flat()
    .slice(0, -1);

/** Surprises by refusals that did not come again, after which no refusal proves anything. */
const MOST_UNSTABLE = 3;

/** Explores a target with fresh partners, or with tokens that are held, and adds to what was explored; throws where it is interrupted. */
export async function explore(
  client: TargetClient,
  options: Exploring,
  explored: Explored = nothingExplored(),
): Promise<Explored> {
  const explorer = new Explorer(client, options, explored);
  if (!options.held) await settle(client);
  for (const one of options.cases ?? []) await explorer.replay(one);
  for (let walk = 0; options.goesOn(explored) && !explorer.isOver; walk++)
    await explorer.walk(walk);
  return explored;
}

/** Learns the form of times that a target takes, where no check did. */
async function settle(client: TargetClient): Promise<void> {
  if (client.stamp.isSettled) return;
  const stage = await openStage(client, { longLock: false });
  const session = await stage.session(0);
  const grant = { grant_type: 'client_credentials' };
  await session.issue(grant, 'a first platform token', stage.nextPart());
}

/** A walk that was played, as far as its first surprise. */
interface Walked {
  readonly surprise: Surprise | null;
  readonly played: readonly (readonly [Step, Played])[];
  readonly exchanges: readonly string[];
}

/** A step before which nothing is sent for a while. */
interface RestBefore {
  readonly id: number;
  readonly period: Rest;
}

/** Time between two steps, ms: requests within a millisecond count as sent at once. */
const APART_MS = 2;

/**
 * Plays a walk.
 *
 * @param rest step before which the target is left alone until limits of that period have reset
 */
export async function playWalk({ steps }: Walk, stage: Stage, rest?: RestBefore): Promise<Walked> {
  const played: [Step, Played][] = [];
  for (const step of steps) {
    if (step.id === rest?.id) await stage.client.rateLimit.rest(rest.period);
    await stage.client.pause(APART_MS);
    const one = await play(step, stage);
    played.push([step, one]);
    if (one.is === 'lost' || one.surprise) break;
  }
  const surprise = played.at(-1)?.[1].surprise ?? null;
  return { surprise, played, exchanges: played.flatMap(([, one]) => one.exchanges) };
}

class Explorer {
  readonly #client: TargetClient;
  readonly #options: Exploring;
  readonly #explored: Explored;
  #unstable = 0;

  constructor(client: TargetClient, options: Exploring, explored: Explored) {
    this.#client = client;
    this.#options = options;
    this.#explored = explored;
  }

  /** True once the tokens that are held get nothing any more. */
  get isOver(): boolean {
    return this.#options.held !== undefined && this.#unstable >= MOST_UNSTABLE;
  }

  /** Draws a walk and plays it, step by step. */
  async walk(number: number): Promise<void> {
    const digest = hash('md5', `${this.#options.seed} ${number}`);
    const random = new SeededRandom(Number.parseInt(digest.slice(0, 8), 16));
    const leaning = drawLeaning(random, this.#options.held !== undefined);
    const machineMs = this.#client.clock.machineNow();
    const stage = await this.#stageFor({ longLock: random.next() < 0.5 });
    const drawer = new Drawer(random, leaning, stage);
    const steps: Step[] = [];
    this.#explored.walks++;
    for (let drawn = 0; drawn < leaning.steps; ) {
      for (const step of drawer.next()) {
        drawn++;
        const one = await play(step, stage);
        this.#count(step, one);
        if (one.is === 'skipped') continue;
        steps.push(step);
        if (one.is === 'lost') return;
        if (one.surprise) {
          const isStepped = await stage.client.clock.stepSince(machineMs);
          if (!isStepped) await this.#suspect({ ...stage.walk, steps }, one.surprise);
          return;
        }
      }
    }
    this.#options.onWalk?.();
  }

  /** Plays a case of an earlier run. */
  async replay(walk: Walk): Promise<void> {
    const { surprise, played } = await playWalk(walk, await this.#stageFor(walk));
    for (const [step, one] of played) this.#count(step, one);
    if (surprise) await this.#suspect(walk, surprise);
  }

  #count(step: Step, one: Played): void {
    if (one.is !== 'played') return;
    const { actions, expected, open } = this.#explored;
    const add = (counts: Counts, name: string): void => {
      counts[name] = (counts[name] ?? 0) + 1;
    };
    this.#explored.steps++;
    this.#explored.requests += one.exchanges.length;
    const kind = step.do === 'estimate' ? `estimate of a ${step.as}` : step.do;
    add(actions, step.do === 'token' ? step.grant : kind);
    if (one.expects !== null) add(expected, one.expects);
    if (!('twists' in step)) return;
    for (const { name } of step.twists) if (rowOf(step, name)?.is === 'open') add(open, name);
  }

  /** Confirms a surprise, shrinks its walk, and finds its rule. */
  async #suspect(walk: Walk, found: Surprise): Promise<void> {
    const { id, what, status } = found;
    const isRefusal = what === 'refused';
    const isLimit = isLimitStatus(status) || this.#client.limitStatuses.has(status);
    if (isRefusal && (isLimit || this.#unstable >= MOST_UNSTABLE)) return this.#dismiss(false);
    const shows = async (one: Walk, rest?: RestBefore): Promise<boolean> => {
      const surprise = await this.#surpriseOf(one, rest);
      return surprise?.id === id && surprise.what === what;
    };
    const last = walk.steps.at(-1);
    // A metered partner got a token that it must not get. That depends on no other step, and each time costs one.
    if (this.#options.held && last?.do === 'token')
      return this.#accuse({ ...walk, steps: [last] }, found, 0);
    for (let time = 0; time < AGAIN[what]; time++) {
      if (!this.#options.held) await this.#surpriseOf({ ...walk, steps: between(time + 1) });
      if (!(await shows(walk))) return this.#dismiss(isRefusal);
    }
    if (isRefusal && !(await this.#takesPlain(walk))) return this.#dismiss(true);
    let shrunkBy = 0;
    const short = await shrink(walk, async (one) => {
      shrunkBy += requestsOf(one.steps).length;
      return shows(one);
    });
    const shrunk = await withAnySignature(short, (one) => this.#surpriseOf(one));
    await this.#accuse(shrunk, found, shrunkBy);
  }

  /** Plays a walk once more, as evidence of the run, and finds its rule. */
  async #accuse(shrunk: Walk, { id, what }: Surprise, shrunkBy: number): Promise<void> {
    const isRefusal = what === 'refused';
    const { held } = this.#options;
    const stage = await openStage(this.#client, { ...shrunk, broken: this.#broken, held });
    const { surprise: last, exchanges } = await playWalk(shrunk, stage);
    // A refusal comes after a rest too: a long one where enough was sent before it for a limit by the minute.
    const period = requestsOf(shrunk.steps).length > 2 ? 'minute' : 'second';
    const rested = isRefusal ? await this.#surpriseOf(shrunk, { id, period }) : last;
    if (last?.what !== what || rested?.id !== id || rested.what !== what)
      return this.#dismiss(isRefusal);
    const rule = await ruleOf(last, shrunk, stage, (one) => this.#surpriseOf(one));
    const isAsked = this.#options.isAsked ?? (() => true);
    if (!isAsked(rule) || this.#broken.has(rule)) return;
    const words = wordsOf(shrunk, last);
    const digest = hash('md5', JSON.stringify(shrunk.steps)).slice(0, 8);
    const reason = `${last.reason} (found by exploring: ${words.join(' ')})`;
    this.#explored.finds.push({
      rule,
      reason: last.reason,
      words,
      walk: shrunk,
      file: `cases/${rule.replaceAll('/', '-')}-${digest}.json`,
      exchanges,
      judgement: violated('what the interface lets one expect', reason, last.exchange, exchanges),
      shrunkBy,
    });
  }

  /** Checks whether a token that is held still gets an estimate, so that its end is not why one is refused. */
  async #takesPlain({ steps, ...walk }: Walk): Promise<boolean> {
    const last = steps.at(-1);
    if (!this.#options.held || last?.do !== 'estimate') return true;
    const { twice: _once, ...plain } = { ...last, twists: [] };
    const surprise = await this.#surpriseOf({ ...walk, steps: [...steps.slice(0, -1), plain] });
    return last.twists.length > 0 && surprise === null;
  }

  /** Counts a surprise that proves nothing. */
  #dismiss(isUnstable: boolean): void {
    this.#explored.unconfirmed++;
    if (isUnstable) this.#unstable++;
  }

  /** A stage on which what is known to be broken is no surprise. */
  #stageFor({ longLock, startsAt }: Partial<Walk>): Promise<Stage> {
    return stageApart(this.#client, {
      longLock: longLock === true,
      startsAt,
      broken: this.#broken,
      held: this.#options.held,
    });
  }

  get #broken(): ReadonlySet<string> {
    return new Set(this.#explored.finds.map(({ rule }) => rule));
  }

  async #surpriseOf(walk: Walk, rest?: RestBefore): Promise<Surprise | null> {
    const { surprise, exchanges } = await playWalk(walk, await this.#stageFor(walk), rest);
    this.#explored.requests += exchanges.length;
    return surprise;
  }
}
