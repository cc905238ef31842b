import {
  type CheckServiceOptions,
  checkService,
  FULL_SUITE,
  type RunClock,
  type ServiceResult,
} from '../../src/conformance/index.ts';
import { Chance } from './chance.ts';
import { SERVICE_SHAPES } from './estimates.ts';
import type { OddStyle } from './odd/odd-style.ts';
import { runClock } from './run-clock.ts';
import { OutsideService } from './service.ts';
import { needsSockets, newWorld, watchedClock } from './world.ts';

type Options = CheckServiceOptions;

/** The profile of a service, with or without its control API. */
export function targetOf(
  service: OutsideService,
  control: boolean,
  partners: Options['target']['partners'] = [],
): Options['target'] {
  const { style, baseUrl, controlUrl, environment } = service;
  return {
    name: style.name,
    baseUrl,
    environment,
    partners,
    signature: {
      tokenFields: style.tokenFields,
      estimateFields: style.estimateFields ?? 'all',
    },
    estimates: SERVICE_SHAPES,
    ...(control ? { control: { url: controlUrl } } : {}),
    headers: {},
  };
}

/** Options of a run besides its target, seeded; the timeout only ends a hang. */
export const RUN: Omit<Options, 'target' | 'clock'> & { readonly clock: RunClock } = {
  suite: FULL_SUITE,
  seed: 11,
  // Most services of tests limit no rate, so that there is nothing to wait for.
  clock: runClock(),
  timeoutMs: 60_000,
  maxRate: null,
  requests: null,
  allowBan: false,
  requireComplete: false,
  // The services of tests end with them, and so does what a run spent.
  ledger: 'none',
};

/** Options of a run that differ from {@link RUN}. */
interface RunOptions extends Partial<Options> {
  /** Called with each time for which the run sleeps, ms. */
  readonly onSleep?: ((forMs: number) => unknown) | undefined;
  /** Wall clock at the start, ms since the epoch. */
  readonly startMs?: number;
}

/** Services, and a run's way to them. */
interface Opened extends Pick<Options, 'clock' | 'openTransport'> {
  readonly services: readonly OutsideService[];
}

/** Starts services in this process, or on sockets if a trait of theirs shows only there. */
async function startServices(
  style: OddStyle,
  broken: readonly string[],
  { clock: own, onSleep, startMs }: RunOptions,
  chance: Chance,
  environments: readonly OutsideService['environment'][],
): Promise<Opened> {
  const world = own !== undefined || needsSockets(style, broken) ? null : newWorld(startMs);
  const clock = world ?? own ?? runClock();
  const services = environments.map((one) => new OutsideService(style, broken, one, clock, chance));
  for (const one of services) await one.start();
  return {
    services,
    clock: onSleep ? watchedClock(clock, onSleep) : clock,
    openTransport: world?.openTransport,
  };
}

/** Judges a service with a control API, both environments. */
export async function judgeControlled(
  style: OddStyle,
  broken: readonly string[],
  run: RunOptions = {},
  before: (service: OutsideService) => void = () => undefined,
  chance: Chance = new Chance(),
): Promise<ServiceResult> {
  const { onSleep: _onSleep, startMs: _startMs, ...options } = run;
  const environments = ['production', 'test'] as const;
  const { services, ...world } = await startServices(style, broken, run, chance, environments);
  const [service, test] = services as [OutsideService, OutsideService];
  before(service);
  try {
    return await checkService({
      ...RUN,
      target: targetOf(service, true),
      companion: targetOf(test, true),
      ...options,
      ...world,
    });
  } finally {
    await Promise.all(services.map((one) => one.stop()));
  }
}

/** Judges a service with metered partners only; returns its own log too. */
export async function judgeMetered(
  style: OddStyle,
  broken: readonly string[],
  uses: readonly Options['target']['partners'][number]['use'][],
  run: RunOptions = {},
  before: (service: OutsideService) => void = () => undefined,
  chance: Chance = new Chance(),
): Promise<{ result: ServiceResult; service: OutsideService }> {
  const { onSleep: _onSleep, startMs: _startMs, ...options } = run;
  const { services, ...world } = await startServices(style, broken, run, chance, ['production']);
  const [service] = services as [OutsideService];
  before(service);
  const partners = uses.map((use, at) => {
    const codes = Array.from({ length: 6 }, (_, number) => `code-${at}-${number}`);
    const { id, key } = service.addPartner(`partner-${at}`, codes);
    return { id, signingKey: key, use, authCodes: codes };
  });
  try {
    const target = targetOf(service, false, partners);
    return { result: await checkService({ ...RUN, target, ...options, ...world }), service };
  } finally {
    await service.stop();
  }
}

/** Ids of the rules with that verdict. */
export function withVerdict(result: ServiceResult, ...verdicts: string[]): string[] {
  return result.rules.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
}
