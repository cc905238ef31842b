import { ALLOWANCE_PER_DAY, LIMITS } from '../../../interface/limits.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import type { EstimateStep, Grant, RequestStep, Step, TokenStep, Twist } from '../contract/walk.ts';
import { between, isMetered, type Meaning, pick, pickByWeight, type Row } from './row.ts';
import { rowsFor } from './rows.ts';
import type { Issued, Stage } from './stage.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** Weights of what a walk does, and how it varies its requests. */
interface Leaning {
  /** Walks of it, of those of all leanings. */
  readonly share: number;
  readonly steps: number;
  /** Share of steps of the second partner. */
  readonly second: number;
  readonly weights: Readonly<Record<'token' | 'estimate' | 'wait' | 'lock' | 'quota', number>>;
  /** Share of requests that are wrong in one thing, and mean number of other twists. */
  readonly wrong: number;
  readonly twists: number;
  /** Share of token requests that are sent though an allowance may be used up. */
  readonly beyond: number;
}

const USUAL = { steps: 60, second: 0.12, beyond: 0 };

/** Walks of different leanings find different faults. */
const LEANINGS = {
  tokens: {
    ...USUAL,
    share: 4,
    second: 0.5,
    weights: { token: 10, estimate: 1, wait: 0.5, lock: 0, quota: 0 },
    wrong: 0.6,
    twists: 1,
    beyond: 0.02,
  },
  estimates: {
    ...USUAL,
    share: 3,
    weights: { token: 1, estimate: 12, wait: 0.3, lock: 0.3, quota: 0 },
    wrong: 0.45,
    twists: 1.3,
  },
  lives: {
    ...USUAL,
    share: 2,
    steps: 40,
    weights: { token: 4, estimate: 6, wait: 4, lock: 2, quota: 0 },
    wrong: 0.1,
    twists: 0.4,
  },
  quotas: {
    ...USUAL,
    share: 1,
    weights: { token: 2, estimate: 1, wait: 2, lock: 0, quota: 2 },
    wrong: 0.05,
    twists: 0.2,
    beyond: 1,
  },
  mixed: {
    ...USUAL,
    share: 1,
    steps: 50,
    weights: { token: 4, estimate: 5, wait: 1, lock: 1, quota: 0.2 },
    wrong: 0.25,
    twists: 0.8,
    beyond: 0.1,
  },
} as const satisfies Readonly<Record<string, Leaning>>;

/** Leaning of walks with tokens that are held: time does not move, and only what must be refused is asked for. */
const OF_HELD: Leaning = {
  ...LEANINGS.estimates,
  second: 0,
  weights: { token: 2, estimate: 12, wait: 0, lock: 0, quota: 0 },
};

/** Times to wait, s: small ones, around limits, days and months. */
const WAITS = [
  [1, 5, 30, 61, 290, 540, 590, 605, 615, 1_800, HOUR_S - 5, HOUR_S + 15],
  [7_190, 7_215, 6 * HOUR_S, 12 * HOUR_S, DAY_S - 600, DAY_S - 20, DAY_S + 30, 2 * DAY_S],
  [7 * DAY_S, 31 * DAY_S, 100 * DAY_S, 400 * DAY_S],
].flat();

/** Refused requests in a row after which one is sent that is right. */
const MOST_REFUSED = 4;

/** Classes of what is open that a walk comes back to, at most. */
const MOST_THEMES = 4;

/** A step of a walk before it has its id. */
type Drawn = Step extends infer One ? (One extends Step ? Omit<One, 'id'> : never) : never;

const seedOf = (random: SeededRandom): number => between(0, 0x7fff_ffff, random);

/** Draws the leaning of a walk. */
export function drawLeaning(random: SeededRandom, isHeld: boolean): Leaning {
  if (isHeld) return OF_HELD;
  return pickByWeight(Object.values(LEANINGS), ({ share }) => share, random);
}

/** Draws the next steps of a walk from what its requests brought so far. */
export class Drawer {
  readonly #random: SeededRandom;
  readonly #leaning: Leaning;
  readonly #stage: Stage;
  /** Classes of what is open that the walk comes back to: once one is taken, others of it must be. */
  readonly #themes: string[] = [];
  #id = 0;

  constructor(random: SeededRandom, leaning: Leaning, stage: Stage) {
    this.#random = random;
    this.#leaning = leaning;
    this.#stage = stage;
  }

  /** Next steps, which belong together. */
  next(): readonly Step[] {
    return this.#draw().map((drawn) => ({ ...drawn, id: ++this.#id }));
  }

  #draw(): readonly Drawn[] {
    const partner = this.#chance(this.#leaning.second) ? 1 : 0;
    const tokens = this.#tokensOf(partner);
    if (tokens.length === 0) return [this.#token(partner, this.#chance(0.7) ? 'platform' : 'user')];
    // A service may lock out a partner that it refused often.
    if (this.#refusedInRow(partner) >= MOST_REFUSED) return [this.#estimate(partner, tokens, true)];
    const kinds = Object.entries(this.#leaning.weights);
    const [kind] = pickByWeight(kinds, ([, weight]) => weight, this.#random);
    if (kind === 'wait') return [this.#wait()];
    if (kind === 'lock') return this.#lock(partner, tokens);
    if (kind === 'quota') return this.#useUp(partner);
    if (kind === 'token' && this.#stage.held?.mayBeRefused() && this.#chance(0.8))
      return [this.#refusedToken(partner)];
    if (kind === 'token') {
      const grant = this.#grant(partner);
      if (grant) return [this.#token(partner, grant)];
    }
    return [this.#estimate(partner, tokens)];
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }

  #tokensOf(partner: number): readonly Issued[] {
    return [...this.#stage.issued.values()].filter(
      (one) => one.partner === partner && one.answer.accessToken !== null,
    );
  }

  #refusedInRow(partner: number): number {
    const own = this.#stage.ownLog(partner);
    return own.length - 1 - own.findLastIndex(({ outcome }) => outcome === 'accepted');
  }

  /** Requests of a kind in the last 24 hours, whatever came of them. */
  #usedToday(partner: number, grant: Grant): number {
    const sinceMs = this.#stage.client.clock.now() - DAY_S * 1000;
    const own = this.#stage.ownLog(partner);
    return own.filter(({ kind, sentMs }) => kind === grant && sentMs > sinceMs).length;
  }

  /** A grant of which the allowance is not used up; null for none. */
  #grant(partner: number): Grant | null {
    const grants = (['platform', 'user', 'refresh', 'refresh'] as const).filter(
      (grant) =>
        this.#chance(this.#leaning.beyond) ||
        this.#usedToday(partner, grant) < ALLOWANCE_PER_DAY[grant],
    );
    return grants.length === 0 ? null : pick(grants, this.#random);
  }

  #token(partner: number, wanted: Grant): Omit<TokenStep, 'id'> {
    const random = this.#random;
    const sources = this.#tokensOf(partner).filter(({ answer }) => answer.refreshToken !== null);
    const unsent = sources.filter(({ isSent }) => !isSent);
    const grant = wanted === 'refresh' && sources.length === 0 ? 'platform' : wanted;
    const some = unsent.length > 0 && this.#chance(0.85) ? unsent : sources;
    const base: Omit<TokenStep, 'id'> = {
      do: 'token',
      partner,
      grant,
      ...(grant === 'user' ? { user: this.#chance(0.25) ? 'b' : 'a' } : {}),
      ...(grant === 'refresh' ? { of: pick(some, random).step.id } : {}),
      twists: [],
    };
    return this.#stage.held ? base : this.#varied(base, grant === 'refresh' ? 0.08 : 0.02);
  }

  /** A platform token request that is wrong in one thing. */
  #refusedToken(partner: number): Omit<TokenStep, 'id'> {
    const base = { do: 'token', grant: 'platform', partner, twists: [] } as const;
    const row = this.#row({ ...base, id: 0 }, 'wrong');
    return {
      ...base,
      twists: row && isMetered(row) ? [{ name: row.name, seed: seedOf(this.#random) }] : [],
    };
  }

  #estimate(partner: number, tokens: readonly Issued[], plain = false): Omit<EstimateStep, 'id'> {
    const newest = tokens.at(-1)!;
    const { issued } = this.#stage;
    const foreign = this.#chance(0.02) ? [...issued.values()] : tokens;
    // What a newer token of another kind does to it, the newest of each kind shows.
    const beside = tokens.findLast(({ isUser }) => isUser !== newest.isUser) ?? newest;
    const last = this.#chance(0.7) ? newest : beside;
    const of = this.#chance(0.7) ? last : pick(foreign, this.#random);
    const isUser = this.#chance(0.96) ? of.isUser : !of.isUser;
    const base = {
      do: 'estimate',
      partner,
      as: isUser ? 'user' : 'platform',
      of: of.step.id,
      twists: [],
    } as const;
    return plain ? base : this.#varied(base, 0.03);
  }

  /** A request twice at once, by a share, or with twists. */
  #varied<One extends Omit<TokenStep, 'id'> | Omit<EstimateStep, 'id'>>(
    base: One,
    twice: number,
  ): One {
    if (this.#chance(twice)) return { ...base, twice: true };
    return { ...base, twists: this.#twists({ ...base, id: 0 }) };
  }

  #twists(step: RequestStep): Twist[] {
    const random = this.#random;
    const { wrong, twists } = this.#leaning;
    const drawn: Twist[] = [];
    const add = (row: Row | undefined): void => {
      if (row && !drawn.some(({ name }) => name === row.name))
        drawn.push({ name: row.name, seed: seedOf(random) });
    };
    const isWrong = this.#chance(wrong);
    // A right request shows little unless it is right in another form.
    const least = !isWrong && this.#chance(twists) ? 1 : 0;
    const count = Math.min(3, least + Math.floor(-Math.log(1 - random.next()) * twists));
    for (let at = 0; at < count; at++) add(this.#row(step, this.#chance(0.6) ? 'right' : 'open'));
    if (isWrong) add(this.#row(step, 'wrong'));
    return drawn;
  }

  /** A row, each rule as likely as another. */
  #row(step: RequestStep, meaning: Meaning): Row | undefined {
    const rules = rowsFor(step, meaning);
    if (rules.length === 0) return undefined;
    const theme = rules.flat().filter(({ learns = '' }) => this.#themes.includes(learns));
    if (theme.length > 0 && this.#chance(0.75)) return pick(theme, this.#random);
    // A rule that can be broken in many ways is drawn more often, but not as much more.
    const rows = pickByWeight(rules, ({ length }) => Math.min(12, Math.sqrt(length)), this.#random);
    const row = pick(rows, this.#random);
    if (row.learns !== undefined && this.#themes.length < MOST_THEMES)
      this.#themes.push(row.learns);
    return row;
  }

  #wait(): Drawn {
    const { client, issued, estimated, log } = this.#stage;
    const nowMs = client.clock.now();
    const ends = [
      ...[...issued.values()].flatMap(({ answer: { expiresInSeconds, answeredAtMs } }) =>
        expiresInSeconds === null ? [] : [answeredAtMs + expiresInSeconds * 1000],
      ),
      ...[...estimated.values()]
        .slice(-2)
        .map(({ answer }) => answer.answeredAtMs + LIMITS.estimateLockSeconds * 1000),
      ...log
        .filter(({ kind, outcome }) => kind !== null && outcome === 'refused')
        .slice(-1)
        .map(({ sentMs }) => sentMs + LIMITS.banSeconds * 1000),
      Math.ceil(nowMs / (DAY_S * 1000)) * DAY_S * 1000,
    ].map(
      (endMs) => Math.round((endMs - nowMs) / 1000) + pick([-MINUTE_S, -7, 12, 20], this.#random),
    );
    const ahead = ends.filter((seconds) => seconds > 0);
    const seconds =
      ahead.length > 0 && this.#chance(0.5) ? pick(ahead, this.#random) : pick(WAITS, this.#random);
    return { do: 'wait', seconds };
  }

  /** An estimate, something in between, and looks at its lock before its end and after it. */
  #lock(partner: number, tokens: readonly Issued[]): readonly Drawn[] {
    const id = this.#id;
    const isLong = partner === 1 && this.#stage.walk.longLock;
    const seconds = isLong ? LIMITS.longEstimateLockSeconds : LIMITS.estimateLockSeconds;
    const first = { ...this.#estimate(partner, tokens, true), twists: this.#rightTwists() };
    const between_ = this.#chance(0.5)
      ? [this.#estimate(partner, tokens, true)]
      : [this.#token(partner, this.#grant(partner) ?? 'platform')];
    const look = { do: 'lock', of: id + 1 } as const;
    const early = this.#chance(0.3) ? between(60, seconds / 2, this.#random) : 0;
    return [
      first,
      ...(this.#chance(0.5) ? between_ : []),
      ...(early > 0 ? [{ do: 'wait', seconds: early } as const, look] : []),
      { do: 'wait', seconds: seconds - early - 8 },
      look,
      { do: 'wait', seconds: 17 },
      look,
    ];
  }

  #rightTwists(): Twist[] {
    const names = ['in the shape express', 'in the shape carpoolSeats', 'with a departure_time'];
    return this.#chance(0.6)
      ? [{ name: pick(names, this.#random), seed: seedOf(this.#random) }]
      : [];
  }

  /** Requests of one kind up to its allowance and beyond. */
  #useUp(partner: number): readonly Drawn[] {
    const grant = pick(['platform', 'user', 'refresh'] as const, this.#random);
    const left = ALLOWANCE_PER_DAY[grant] - this.#usedToday(partner, grant);
    const count = Math.max(1, left + pick([-1, 0, 1, 2], this.#random));
    const user = this.#chance(0.1) ? 'b' : 'a';
    const { twice: _once, ...first } = this.#token(partner, grant);
    return Array.from({ length: count }, (_, at) => ({
      ...first,
      twists: [],
      ...(first.grant === 'user' ? { user } : {}),
      ...(first.grant === 'refresh' && at > 0 ? { of: this.#id + at } : {}),
    }));
  }
}
