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

/** Judges a service with a control API, both environments. */
export async function judgeControlled(
  style: OddStyle,
  broken: readonly string[],
  run: Partial<Options> = {},
  before: (service: OutsideService) => void = () => undefined,
  chance: Chance = new Chance(),
): Promise<ServiceResult> {
  const clock = runClock();
  const [service, test] = await Promise.all([
    new OutsideService(style, broken, 'production', clock, chance).start(),
    new OutsideService(style, broken, 'test', clock, chance).start(),
  ]);
  before(service);
  try {
    return await checkService({
      ...RUN,
      clock,
      target: targetOf(service, true),
      companion: targetOf(test, true),
      ...run,
    });
  } finally {
    await Promise.all([service.stop(), test.stop()]);
  }
}

/** Judges a service with metered partners only; returns its own log too. */
export async function judgeMetered(
  style: OddStyle,
  broken: readonly string[],
  uses: readonly Options['target']['partners'][number]['use'][],
  run: Partial<Options> = {},
  before: (service: OutsideService) => void = () => undefined,
  chance: Chance = new Chance(),
): Promise<{ result: ServiceResult; service: OutsideService }> {
  const clock = runClock();
  const service = await new OutsideService(style, broken, 'production', clock, chance).start();
  before(service);
  const partners = uses.map((use, at) => {
    const codes = Array.from({ length: 6 }, (_, number) => `code-${at}-${number}`);
    const { id, key } = service.addPartner(`partner-${at}`, codes);
    return { id, signingKey: key, use, authCodes: codes };
  });
  try {
    const target = targetOf(service, false, partners);
    return { result: await checkService({ ...RUN, clock, target, ...run }), service };
  } finally {
    await service.stop();
  }
}

/** Ids of the rules with that verdict. */
export function withVerdict(result: ServiceResult, ...verdicts: string[]): string[] {
  return result.rules.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
}
