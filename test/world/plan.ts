import { rulesBehind } from '../../src/conformance/index.ts';
import type { TargetPartner } from '../../src/conformance/service/contract/target.ts';
import { SERVICE_RULES } from '../../src/interface/catalogue.ts';
import { Chance } from '../independent-service/chance.ts';
import { BY_LUCK, FORM_NAMES } from '../independent-service/forms/all.ts';
import { areCombinable, ODD_STYLES, styleWith } from '../independent-service/odd-styles.ts';
import { needsSockets } from '../independent-service/world.ts';
import { EVERY_SPELLING } from '../support/spellings.ts';

/** One thing that a world does to the programs in it. Counts are of requests that arrive at the service. */
export type Fault =
  /** Holds up a share of the requests, or of the answers, for up to some ms. */
  | { readonly kind: 'delay'; readonly share: number; readonly mostMs: number }
  /** Loses a share of the requests before the service gets them, or of the answers after it acted. */
  | { readonly kind: 'lost-before' | 'lost-after'; readonly share: number }
  /** Closes the connection of each nth request. */
  | { readonly kind: 'closes'; readonly every: number }
  /** Refuses requests beyond a number in a period. */
  | {
      readonly kind: 'limit';
      readonly status: 403 | 429 | 503;
      readonly window: 'rolling' | 'fixed';
      readonly most: number;
      readonly periodMs: number;
    }
  | { readonly kind: 'offset'; readonly of: Side; readonly byMs: number }
  | { readonly kind: 'drift'; readonly of: Side; readonly ppm: number }
  /** Sets the wall clock. */
  | { readonly kind: 'step'; readonly of: Side; readonly at: number; readonly byMs: number }
  /** Suspends a machine: nothing happens there, and its monotonic clock does not count that time. */
  | { readonly kind: 'standstill'; readonly of: Side; readonly at: number; readonly forMs: number }
  /** Answers a share of the requests to the control API with 500, or loses them. */
  | { readonly kind: 'control-fails'; readonly share: number; readonly how: 'status' | 'lost' }
  /**
   * Kills the process at its nth step: a request, an answer, a wait, or a write, of which half is written. With
   * `power` the machine goes down, and files lose what was not synced.
   */
  | { readonly kind: 'death'; readonly at: number; readonly power: boolean }
  /** Interrupts the run at that request, which is resumed. */
  | { readonly kind: 'interrupt'; readonly at: number }
  /** Another process judges the same target by the same ledger, from that request on. */
  | { readonly kind: 'second-checker'; readonly at: number }
  /** Resumes a run that has rules pending, some hours later. */
  | { readonly kind: 'later'; readonly hours: number }
  /** Runs it again once it is finished, some hours later. */
  | { readonly kind: 'again'; readonly hours: number }
  /** Tells in a header of each answer what the request had, in one of the spellings. */
  | { readonly kind: 'echo'; readonly spelling: number }
  /** The disk is full after so many bytes. */
  | { readonly kind: 'disk-full'; readonly afterBytes: number };

export type Side = 'machine' | 'service';

/** World in which a service is checked, as its seed draws it. */
export interface CheckPlan {
  readonly seed: number;
  /** Names of odd styles; of those together, each changes another part. */
  readonly styles: readonly string[];
  /** Form in which the service breaks a rule; null for a sound one. */
  readonly broken: string | null;
  readonly environment: 'production' | 'test';
  readonly hasControl: boolean;
  /** Uses of the metered partners. */
  readonly partners: readonly TargetPartner['use'][];
  readonly codesEach: number;
  readonly allowBan: boolean;
  readonly waits: boolean;
  /** Ids of the rules; of a broken one, those that it depends on too. */
  readonly rules: readonly string[];
  /** Requests of a run, about. */
  readonly requests: number;
  readonly faults: readonly Fault[];
}

/** Requests of all runs of a world, about. */
const MOST_REQUESTS = 60;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Draws a world. Nine in ten worlds have one to three faults, most of them of different kinds. */
export function drawCheckPlan(seed: number): CheckPlan {
  const chance = new Chance(Math.imul(seed, 0x9e3779b1));
  // The first numbers of neighbouring seeds are alike.
  for (let at = 0; at < 4; at++) chance.draw();
  const { draw, pick, isOneIn } = by(chance);
  const broken = drawBroken(chance);
  const own = broken === null ? [] : [broken.split('#')[0]!];
  const behind = own.flatMap((rule) => rulesBehind(rule));
  const few = Array.from({ length: 3 + draw(3) }, () => pick(SERVICE_RULES).id);
  const allowBan = isOneIn(3);
  const isLater = isOneIn(8);
  const hasControl = !isLater && isOneIn(3);
  const kinds = Array.from({ length: isOneIn(10) ? 0 : 1 + draw(3) }, () => pick(FAULTS));
  const faults = [...new Set(kinds)]
    .map((one) => one(chance))
    .filter(({ kind }) => hasControl || kind !== 'control-fails');
  if (isLater) faults.push({ kind: 'later', hours: pick([1, 25, 50]) });
  const again = isLater || hasControl || isOneIn(2) ? 0 : 1 + draw(3);
  for (let at = 0; at < again; at++) faults.push({ kind: 'again', hours: pick([0, 2, 20, 25]) });
  const runs = 1 + faults.filter(({ kind }) => MORE_RUNS.has(kind)).length;
  return {
    seed,
    styles: drawStyles(chance),
    broken,
    environment: isOneIn(4) ? 'test' : 'production',
    hasControl,
    partners: [
      ...(isLater ? (['spendable', 'general'] as const) : []),
      ...Array.from({ length: 1 + draw(4) }, () =>
        isOneIn(3) ? pick(['spendable', 'witness', 'long-lock'] as const) : 'general',
      ),
    ],
    codesEach: draw(7),
    allowBan,
    waits: !isLater && isOneIn(3),
    rules: [...new Set([...own, ...behind, ...(isLater ? [pick(PENDING)] : []), ...few])].slice(
      0,
      6,
    ),
    requests: Math.floor(draw(MOST_REQUESTS) / runs),
    faults,
  };
}

/** Rules that a metered run judges on another day. */
const PENDING = ['quota/daily-reset', 'quota/ban-lifts', 'quota/ban-lasts-24h'] as const;

const MORE_RUNS: ReadonlySet<Fault['kind']> = new Set(['second-checker', 'later', 'again']);

/** Forms that break a rule for certain, without a connection. */
const FORMS = FORM_NAMES.filter((name) => !BY_LUCK.test(name) && !name.endsWith('#connection'));

const STYLES = ODD_STYLES.filter((style) => !needsSockets(style)).map(({ name }) => name);

/** Draws the form of a broken rule, for one world in three; null for a sound service. */
export function drawBroken(chance: Chance): string | null {
  const { pick, isOneIn } = by(chance);
  return isOneIn(3) ? pick(FORMS) : null;
}

/** Draws up to two styles that go together. */
export function drawStyles(chance: Chance): readonly string[] {
  const { draw, pick } = by(chance);
  const names = [...new Set(Array.from({ length: draw(3) }, () => pick(STYLES)))];
  const isPossible = areCombinable(names) && !needsSockets(styleWith(names));
  return isPossible ? names : names.slice(0, 1).filter((name) => areCombinable([name]));
}

/** Kinds of fault, each with what it draws. */
const FAULTS: readonly ((chance: Chance) => Fault)[] = [
  (chance) => ({
    kind: 'delay',
    share: by(chance).pick([0.05, 0.5, 1]),
    mostMs: by(chance).pick([20, 900, 12_000]),
  }),
  (chance) => ({ kind: 'lost-before', share: by(chance).pick([0.02, 0.1, 0.3]) }),
  (chance) => ({ kind: 'lost-after', share: by(chance).pick([0.02, 0.1, 0.3]) }),
  (chance) => ({ kind: 'closes', every: 2 + by(chance).draw(9) }),
  (chance) => ({
    kind: 'limit',
    status: by(chance).pick([403, 429, 503]),
    window: by(chance).pick(['rolling', 'fixed']),
    most: 1 + by(chance).draw(20),
    periodMs: by(chance).pick([200, SECOND_MS, 10 * SECOND_MS, MINUTE_MS]),
  }),
  (chance) => ({
    kind: 'offset',
    of: drawSide(chance),
    byMs: drawSign(chance) * by(chance).pick([2 * SECOND_MS, MINUTE_MS, 4 * MINUTE_MS, HOUR_MS]),
  }),
  (chance) => ({
    kind: 'drift',
    of: drawSide(chance),
    // NTP slews a clock by 500 ppm at most; by 1 %, a token would end 72 s early.
    ppm: drawSign(chance) * by(chance).pick([50, 500, 1_000]),
  }),
  (chance) => ({
    kind: 'step',
    of: drawSide(chance),
    at: 1 + by(chance).draw(40),
    byMs:
      drawSign(chance) * by(chance).pick([2 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, HOUR_MS]),
  }),
  (chance) => ({
    kind: 'standstill',
    of: drawSide(chance),
    at: 1 + by(chance).draw(40),
    forMs: by(chance).pick([2 * SECOND_MS, 30 * SECOND_MS, 5 * MINUTE_MS, HOUR_MS]),
  }),
  (chance) => ({
    kind: 'control-fails',
    share: by(chance).pick([0.02, 0.1, 0.3]),
    how: by(chance).pick(['status', 'lost']),
  }),
  (chance) => ({ kind: 'death', at: 1 + by(chance).draw(200), power: by(chance).isOneIn(2) }),
  (chance) => ({ kind: 'death', at: 1 + by(chance).draw(40), power: by(chance).isOneIn(2) }),
  (chance) => ({ kind: 'interrupt', at: 1 + by(chance).draw(40) }),
  (chance) => ({ kind: 'second-checker', at: by(chance).draw(20) }),
  (chance) => ({ kind: 'echo', spelling: by(chance).draw(EVERY_SPELLING.length) }),
  (chance) => ({ kind: 'disk-full', afterBytes: by(chance).draw(60_000) }),
];

const drawSide = (chance: Chance): Side => by(chance).pick(['machine', 'service']);

const drawSign = (chance: Chance): number => by(chance).pick([-1, 1]);

interface Draws {
  /** An integer from 0 to below that. */
  draw(below: number): number;
  pick<const T>(list: readonly T[]): T;
  isOneIn(count: number): boolean;
}

function by(chance: Chance): Draws {
  const draw = (below: number): number => chance.drawBelow(below);
  return { draw, pick: (list) => list[draw(list.length)]!, isOneIn: (count) => draw(count) === 0 };
}
