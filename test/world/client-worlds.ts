import { exitOfCertification } from '../../src/cli/output/exit-codes.ts';
import {
  type ClientResult,
  differencesFromServer,
} from '../../src/conformance/client/judging/judge-client.ts';
import { certificationProblems, recheckClient } from '../../src/conformance/index.ts';
import type { ConformanceDocument } from '../../src/documents/conformance.ts';
import { SCENARIOS } from '../conformance/client/reference.ts';
import { Chance } from '../independent-service/chance.ts';
import { certifyOutside } from '../outside-clients/certify-outside.ts';
import type { Deviation, RunningClient } from '../outside-clients/habits.ts';
import type { RightClient } from '../outside-clients/right-client.ts';
import { RIGHT_CLIENTS } from '../outside-clients/right-clients.ts';
import { WRONG_CLIENTS } from '../outside-clients/wrong-clients.ts';
import { renderingFaults } from './renderings.ts';
import {
  heldOf,
  type Invariants,
  judge,
  NOTHING,
  type Plan,
  type WorldKind,
} from './world-kind.ts';

/** World in which a client is certified, as its seed draws it. */
export interface ClientPlan extends Plan {
  /** Styles of right clients; each concerns other habits. */
  readonly styles: readonly string[];
  /** Mistake of a wrong client; null for a right one. */
  readonly mistake: string | null;
  /** Names of the scenarios that it is run in. */
  readonly scenarios: readonly string[];
  /** Faults of its surroundings; each before the estimate of a number. */
  readonly faults: readonly ClientFault[];
}

type ClientFault =
  /** Its machine is suspended. */
  | { readonly kind: 'held-up'; readonly at: number; readonly forMs: number }
  /** It is killed and started again, with the tokens that it had: without them it could not refresh. */
  | { readonly kind: 'restarted'; readonly at: number }
  /** Its clock is off. */
  | { readonly kind: 'offset'; readonly byMs: number };

const CLIENTS = RIGHT_CLIENTS.filter(
  ({ verdicts, orders = 'yes' }) => verdicts.includes('conformant') && orders === 'yes',
);

const clientOf = (style: string): RightClient | undefined =>
  CLIENTS.find((one) => one.style === style);

const deviationOf = (plan: Pick<ClientPlan, 'styles' | 'mistake'>): Deviation =>
  Object.assign(
    {},
    ...plan.styles.map((style) => clientOf(style)?.deviation),
    WRONG_CLIENTS.find(({ mistake }) => mistake === plan.mistake)?.deviation,
  ) as Deviation;

function drawClientPlan(seed: number): ClientPlan {
  const chance = new Chance(Math.imul(seed, 0x85ebca6b));
  for (let at = 0; at < 4; at++) chance.draw();
  const pick = <const T>(list: readonly T[]): T => list[chance.drawBelow(list.length)]!;
  const mistake = chance.drawBelow(2) === 0 ? pick(WRONG_CLIENTS).mistake : null;
  const isFree = (style: string): boolean => {
    const used = Object.keys(deviationOf({ styles, mistake }));
    const own = Object.keys(deviationOf({ styles: [style], mistake: null }));
    return own.every((habit) => !used.includes(habit));
  };
  const styles: string[] = [];
  for (let at = chance.drawBelow(3); at > 0; at--) {
    const { style } = pick(CLIENTS);
    if (isFree(style)) styles.push(style);
  }
  const habits = Object.keys(deviationOf({ styles, mistake }));
  const at = 2 + chance.drawBelow(6);
  const faults: readonly ClientFault[] = [
    { kind: 'held-up', at, forMs: pick([500, 3_000, 20_000]) },
    { kind: 'restarted', at },
    { kind: 'offset', byMs: pick([-1, 1]) * pick([5_000, 60_000, 240_000]) },
  ];
  const drawn = pick(faults);
  const habit = drawn.kind === 'offset' ? 'time' : 'run';
  const names = SCENARIOS.map(({ name }) => name);
  const scenarios = new Set(Array.from({ length: 3 }, () => pick(names)));
  return {
    seed,
    styles,
    mistake,
    scenarios: chance.drawBelow(5) === 0 ? names : [...scenarios],
    faults: chance.drawBelow(3) > 0 && !habits.includes(habit) ? [drawn] : [],
  };
}

/** The course of a client, as faults have it. */
function courseOf(faults: readonly ClientFault[], met: Record<string, number>): Deviation {
  const note = (kind: string): void => {
    met[kind] = (met[kind] ?? 0) + 1;
  };
  return Object.assign(
    {},
    ...faults.map((fault): Deviation => {
      if (fault.kind === 'offset') {
        note('offset');
        return { time: (nowMs) => new Date(nowMs + fault.byMs).toISOString() };
      }
      return {
        run: async (client: RunningClient) => {
          const slot = client.slots[0]!;
          let wire = client.wire();
          await client.together([
            async () => {
              for (let nth = 1; nth <= client.count; nth++) {
                if (nth > 1) await client.surroundings.sleep(client.intervalMs);
                if (client.surroundings.isOver()) return;
                if (nth === fault.at) {
                  note(fault.kind);
                  if (fault.kind === 'held-up') await client.surroundings.sleep(fault.forMs);
                  else wire = client.wire();
                }
                await client.estimateOnce(wire, slot, nth);
              }
            },
          ]);
        },
      };
    }),
  ) as Deviation;
}

interface ClientHistory {
  readonly plan: ClientPlan;
  readonly result: ClientResult;
}

const accusedIn = ({ rules, scenarios }: ClientResult): string[] => [
  ...rules.filter(({ verdict }) => /fail|warn/.test(verdict)).map(({ id }) => id),
  ...scenarios
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ name }) => `the scenario ${name}`),
];

const documentOf = (result: ClientResult): ConformanceDocument => {
  const document = { schemaVersion: 1, tool: { name: 'fareproof', version: '0' }, ...result };
  return { ...(document as ConformanceDocument), exit: exitOfCertification(result, {}) };
};

const INVARIANTS: Invariants<ClientHistory> = {
  'a right client is not accused': ({ plan, result }) => {
    const wrongIn = plan.styles.flatMap((style) => clientOf(style)?.wrongIn ?? []);
    const isWrong = plan.mistake !== null || plan.scenarios.some((name) => wrongIn.includes(name));
    return isWrong ? NOTHING : heldOf([accusedIn(result).map((what) => `${what} fails`)]);
  },

  'no client with a visible mistake gets a certificate': ({ plan, result }) => {
    const isWhole = plan.scenarios.length === SCENARIOS.length;
    // Without a refresh, no answer to one shows a mistake; the certificate says so.
    const wrong = WRONG_CLIENTS.find(({ mistake }) => mistake === plan.mistake);
    const isUnseen =
      wrong?.red.includes('client/failure-handled') &&
      result.scenarios.some(({ notExercised = [] }) => notExercised.includes('refreshes'));
    // Good practice is warned of: a certificate names that.
    const isWarned = wrong?.red.some((red) =>
      result.rules.some(({ id, verdict }) => id === red && verdict === 'warn'),
    );
    if (plan.mistake === null || !isWhole || isUnseen || isWarned) return NOTHING;
    const problems = certificationProblems(documentOf(result));
    return heldOf([problems.length === 0 ? [`a client that ${plan.mistake}`] : []]);
  },

  'each refusal of the reference server is explained': ({ plan, result }) => {
    // A scenario that fails by itself quotes a refusal that no rule is about, such as for want of a header Host.
    const isQuoted =
      plan.mistake !== null && result.scenarios.some((one) => one.verdict === 'fail');
    return isQuoted ? NOTHING : heldOf([differencesFromServer(documentOf(result))]);
  },

  'a stored run is judged alike again': ({ result }) => {
    const again = recheckClient(JSON.parse(JSON.stringify(documentOf(result))) as ClientResult);
    return heldOf(
      result.rules.map(({ id, verdict }, at) => {
        const other = again?.rules[at]?.verdict;
        return other === verdict ? [] : [`${id}: ${verdict}, and again ${other}`];
      }),
    );
  },

  'exit code, document, JUnit and terminal agree': ({ result }) =>
    heldOf([renderingFaults(documentOf(result))]),
};

/** Worlds in which a client is certified. */
export const CLIENT_WORLDS: WorldKind<ClientPlan> = {
  draw: drawClientPlan,

  run: async (plan) => {
    const met: Record<string, number> = {};
    const deviation = { ...deviationOf(plan), ...courseOf(plan.faults, met) };
    const scenarios = SCENARIOS.filter(({ name }) => plan.scenarios.includes(name));
    const result = await certifyOutside(deviation, scenarios, 'yes', plan.seed);
    return { plan, met, ...(await judge(INVARIANTS, { plan, result })) };
  },

  smaller: (plan) => [
    ...plan.faults.map((_, left) => ({
      ...plan,
      faults: plan.faults.filter((_one, at) => at !== left),
    })),
    ...plan.styles.map((style) => ({ ...plan, styles: plan.styles.filter((s) => s !== style) })),
    ...plan.scenarios
      .filter(() => plan.scenarios.length > 1)
      .map((name) => ({ ...plan, scenarios: plan.scenarios.filter((one) => one !== name) })),
  ],
};
