import { hash } from 'node:crypto';
import { SeededRandom } from '../../seeded-random.ts';
import { type Judgement, violated } from '../../verdict.ts';
import type { RequestStep, Step, Walk } from '../contract/walk.ts';
import { isLimitStatus } from '../wire/rate-limit.ts';
import type { TargetClient } from '../wire/target-client.ts';
import { ruleOf } from './blame.ts';
import { Drawer, drawLeaning } from './draw.ts';
import { openStage, stageOf } from './open-stage.ts';
import { type Played, play } from './play.ts';
import { rowOf } from './rows.ts';
import { shrink } from './shrink.ts';
import { DIGITS } from './signature-rows.ts';
import type { Stage } from './stage.ts';
import type { Surprise } from './surprise.ts';
import { wordsOf } from './words.ts';

/** A walk that shows how a rule is broken. */
export interface Find {
  readonly rule: string;
  readonly reason: string;
  /** Steps in words. */
  readonly words: readonly string[];
  readonly walk: Walk;
  /** Name of its case, such as `signature-key-order-1a2b3c4d`. */
  readonly name: string;
  /** Its exchanges in the evidence of the run. */
  readonly exchanges: readonly string[];
  readonly judgement: Judgement;
  /** Requests that shrinking it took. */
  readonly shrunkBy: number;
}

/** Outcome of exploring. */
export interface Explored {
  readonly seed: number;
  readonly walks: number;
  readonly steps: number;
  readonly requests: number;
  /** Steps by what they do, and requests by what was expected of them. */
  readonly actions: Readonly<Record<string, number>>;
  readonly expected: Readonly<Record<string, number>>;
  /** Requests by the class of what the interface leaves open in them. */
  readonly open: Readonly<Record<string, number>>;
  /** Surprises that did not come again, or have another cause. */
  readonly unconfirmed: number;
  readonly finds: readonly Find[];
}

/** Bounds of exploring, and what is played first. */
export interface Exploring {
  readonly seed: number;
  /** Checks whether another walk may begin. */
  readonly goesOn: (steps: number) => boolean;
  /** Cases that were found before. */
  readonly cases?: readonly Walk[];
  /** Checks whether a rule is judged. */
  readonly isAsked?: (rule: string) => boolean;
  readonly onWalk?: (steps: number, finds: number) => void;
  /** Called with the rule of each find. */
  readonly onFind?: (rule: string) => void;
}

/** Times that a surprise must come again: a refusal may have more causes. */
const AGAIN = { refused: 3, accepted: 1, answered: 1 } as const;

/** Surprises by refusals that did not come again, after which no refusal proves anything. */
const MOST_UNSTABLE = 3;

/** Finds of one rule that are shrunk: further ones say little. */
const MOST_OF_RULE = 1;

/** Explores a target with fresh partners. */
export async function explore(client: TargetClient, options: Exploring): Promise<Explored> {
  const explorer = new Explorer(client, options);
  await explorer.settle();
  for (const one of options.cases ?? []) await explorer.replay(one);
  for (let walk = 0; options.goesOn(explorer.steps); walk++) await explorer.walk(walk);
  return explorer.explored();
}

/** Plays a case; null where it shows nothing any more. */
export async function playCase(
  client: TargetClient,
  walk: Walk,
  broken?: ReadonlySet<string>,
): Promise<{
  readonly surprise: Surprise | null;
  readonly stage: Stage;
  readonly exchanges: readonly string[];
}> {
  const stage = await stageOf(client, walk.longLock, walk.startsAt, broken);
  const { surprise, played } = await playAll(walk, stage);
  const exchanges = played.flatMap(([, one]) => (one.is === 'played' ? one.exchanges : []));
  return { surprise, stage, exchanges };
}

interface Walked {
  readonly surprise: Surprise | null;
  readonly played: readonly (readonly [Step, Played])[];
}

async function playAll({ steps }: Walk, stage: Stage): Promise<Walked> {
  const played: [Step, Played][] = [];
  for (const step of steps) {
    const one = await play(step, stage);
    played.push([step, one]);
    if (one.is === 'lost') break;
    if (one.is === 'played' && one.surprise && !stage.broken.has(one.surprise.rule))
      return { surprise: one.surprise, played };
  }
  return { surprise: null, played };
}

class Explorer {
  readonly #client: TargetClient;
  readonly #options: Exploring;
  readonly #finds: Find[] = [];
  readonly #actions: Record<string, number> = {};
  readonly #expected: Record<string, number> = {};
  readonly #open: Record<string, number> = {};
  #walks = 0;
  #unconfirmed = 0;
  #unstable = 0;
  #requests = 0;
  steps = 0;

  constructor(client: TargetClient, options: Exploring) {
    this.#client = client;
    this.#options = options;
  }

  explored(): Explored {
    return {
      seed: this.#options.seed,
      walks: this.#walks,
      steps: this.steps,
      requests: this.#requests,
      actions: this.#actions,
      expected: this.#expected,
      open: this.#open,
      unconfirmed: this.#unconfirmed,
      finds: this.#finds,
    };
  }

  /** Learns the form of times that the target takes, where no check did. */
  async settle(): Promise<void> {
    if (this.#client.stamp.isSettled) return;
    const stage = await stageOf(this.#client, false);
    const session = await stage.session(0);
    const part = { check: 'explore', number: stage.nextNumber() };
    await session.issue({ grant_type: 'client_credentials' }, 'a first platform token', part);
  }

  /** Draws a walk and plays it, step by step. */
  async walk(number: number): Promise<void> {
    const random = new SeededRandom(
      Number.parseInt(hash('md5', `${this.#options.seed} ${number}`).slice(0, 8), 16),
    );
    const leaning = drawLeaning(random);
    const machineMs = this.#client.clock.machineNow();
    const broken = this.#broken;
    const stage = await openStage(this.#client, random.next() < 0.5, undefined, broken);
    const drawer = new Drawer(random, leaning, stage);
    const steps: Step[] = [];
    this.#walks++;
    for (let drawn = 0; drawn < leaning.steps; ) {
      for (const step of drawer.next()) {
        drawn++;
        const one = await play(step, stage);
        this.#count(step, one);
        if (one.is === 'skipped') continue;
        steps.push(step);
        if (one.is === 'lost') return;
        if (one.surprise && !broken.has(one.surprise.rule)) {
          const isStepped = await this.#client.clock.stepSince(machineMs);
          if (!isStepped) await this.#suspect({ ...stage.walk, steps }, one.surprise);
          return;
        }
      }
    }
    this.#options.onWalk?.(this.steps, this.#finds.length);
  }

  /** Plays a case of an earlier run. */
  async replay(walk: Walk): Promise<void> {
    const stage = await this.#stageFor(walk);
    const { surprise, played } = await playAll(walk, stage);
    for (const [step, one] of played) this.#count(step, one);
    if (surprise) await this.#suspect(walk, surprise);
  }

  #count(step: Step, one: Played): void {
    if (one.is !== 'played') return;
    this.steps++;
    const add = (counts: Record<string, number>, name: string): void => {
      counts[name] = (counts[name] ?? 0) + 1;
    };
    const kind =
      step.do === 'token'
        ? step.grant
        : step.do === 'estimate'
          ? `estimate of a ${step.as}`
          : step.do;
    add(this.#actions, kind);
    this.#requests += step.do === 'wait' ? 0 : one.exchanges.length;
    if (one.expects !== null) add(this.#expected, one.expects);
    if (!('twists' in step)) return;
    for (const { name } of step.twists) if (rowOf(step, name)?.is === 'open') add(this.#open, name);
  }

  /** Confirms a surprise, shrinks its walk, and finds its rule. */
  async #suspect(walk: Walk, surprise: Surprise): Promise<void> {
    const { what, status } = surprise;
    const isAsked = this.#options.isAsked ?? (() => true);
    if (this.#finds.filter(({ rule }) => rule === surprise.rule).length >= MOST_OF_RULE) return;
    const isLimit = isLimitStatus(status) || this.#client.limitStatuses.has(status);
    if (what === 'refused' && (isLimit || this.#unstable >= MOST_UNSTABLE)) {
      this.#unconfirmed++;
      return;
    }
    const shows = async (one: Walk): Promise<boolean> => this.#shows(one, surprise);
    for (let time = 0; time < AGAIN[what]; time++) {
      if (await shows(walk)) continue;
      this.#unconfirmed++;
      if (what === 'refused') this.#unstable++;
      return;
    }
    let requests = 0;
    let shrunk = await shrink(walk, async (one) => {
      requests += one.steps.filter(
        ({ do: kind }) => kind === 'token' || kind === 'estimate',
      ).length;
      return shows(one);
    });
    shrunk = (await this.#plainer(shrunk)) ?? shrunk;
    const again = await playCase(this.#client, shrunk, this.#broken);
    const last = again.surprise;
    if (!last || last.what !== what || !(await this.#isRested(shrunk, last))) {
      this.#unconfirmed++;
      if (what === 'refused') this.#unstable++;
      return;
    }
    const rule = await this.#byShape(ruleOf(last, shrunk, again.stage), shrunk);
    if (!isAsked(rule) || this.#finds.some((one) => one.rule === rule)) return;
    const words = wordsOf(shrunk, last);
    const digest = hash('md5', JSON.stringify(shrunk.steps)).slice(0, 8);
    const { exchanges } = again;
    const reason = `${last.reason} (found by exploring: ${words.join(' ')})`;
    this.#options.onFind?.(rule);
    this.#finds.push({
      rule,
      reason: last.reason,
      words,
      walk: shrunk,
      name: `${rule.replaceAll('/', '-')}-${digest}`,
      exchanges,
      judgement: violated('what the interface lets one expect', reason, last.exchange, exchanges),
      shrunkBy: requests,
    });
  }

  /** A stage for a walk on which what is known to be broken is no surprise. */
  #stageFor({ longLock, startsAt }: Walk): Promise<Stage> {
    return openStage(this.#client, longLock, startsAt, this.#broken);
  }

  get #broken(): ReadonlySet<string> {
    return new Set(this.#finds.map(({ rule }) => rule));
  }

  async #shows(walk: Walk, { id, what }: Surprise): Promise<boolean> {
    const stage = await this.#stageFor(walk);
    const { surprise, played } = await playAll(walk, stage);
    this.#requests += played.flatMap(([, one]) =>
      one.is === 'played' ? one.exchanges : [],
    ).length;
    return surprise?.id === id && surprise.what === what;
  }

  /** The same walk with any other signature, where that is accepted as well: then no step of signing is to blame. */
  async #plainer(walk: Walk): Promise<Walk | null> {
    const last = walk.steps.at(-1);
    if (!last || !('twists' in last)) return null;
    const twist = last.twists.at(-1);
    const row = twist && rowOf(last, twist.name);
    const isOfSigning = row?.is === 'wrong' && /^signature\/(?!invalid)|nostr-case/.test(row.rule);
    if (!isOfSigning) return null;
    const plain: RequestStep = {
      ...last,
      twists: [...last.twists.slice(0, -1), { name: `with ${DIGITS}`, seed: twist?.seed ?? 0 }],
    };
    const other = { ...walk, steps: [...walk.steps.slice(0, -1), plain] };
    const stage = await this.#stageFor(walk);
    return (await playAll(other, stage)).surprise ? other : null;
  }

  /** Rule of the plain shape, where another shape is accepted in its place. */
  async #byShape(rule: string, walk: Walk): Promise<string> {
    const last = walk.steps.at(-1);
    const { shapes } = this.#client.facts;
    if (
      last?.do !== 'estimate' ||
      last.twists.length > 0 ||
      !/^estimate\/(user|platform)$/.test(rule)
    )
      return rule;
    const other: RequestStep = { ...last, twists: [{ name: 'in the shape express', seed: 0 }] };
    const stage = await this.#stageFor(walk);
    const { surprise } = await playAll(
      { ...walk, steps: [...walk.steps.slice(0, -1), other] },
      stage,
    );
    const isOther = !surprise && shapes.includes('plain') && shapes.includes('express');
    return isOther ? 'estimate/private-car' : rule;
  }

  /** Checks whether a refusal comes after a rest too, where enough was sent before it for a limit of the rate. */
  async #isRested(walk: Walk, { what, id }: Surprise): Promise<boolean> {
    const requests = walk.steps.filter(
      ({ do: kind }) => kind === 'token' || kind === 'estimate',
    ).length;
    if (what !== 'refused' || requests <= 2) return true;
    const stage = await this.#stageFor(walk);
    for (const step of walk.steps) {
      if (step.id === id) await this.#client.rateLimit.rest('minute');
      const one = await play(step, stage);
      if (one.is === 'played' && one.surprise) return one.surprise.id === id;
    }
    return false;
  }
}
