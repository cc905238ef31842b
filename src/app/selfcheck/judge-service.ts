import {
  type CheckServiceOptions,
  checkService,
  FULL_SUITE,
  movingClock,
  rulesBehind,
  type ServiceResult,
} from '../../conformance/index.ts';
import type { PartnerUse, ProfilePartner, Rule } from '../../interface/index.ts';
import { type FaultId, isOnFastPath, type ServerOptions } from '../../server/index.ts';
import { openEmbeddedServers } from '../embedded/host.ts';
import { type InProcessServers, openServersInProcess } from '../embedded/in-process.ts';
import { TOOL } from '../tool.ts';

/** Kind of target to judge: with a control API, or with partners that have allowances. */
export type Access = (typeof ACCESSES)[number];

/** Every {@link Access}. */
export const ACCESSES = ['control', 'metered'] as const;

/** Way in which a subject is judged. */
export interface Way {
  readonly access: Access;
  /** Rule that it is judged by; null for every rule. */
  readonly rule: string | null;
  /** True for requests over sockets. */
  readonly sockets: boolean;
}

/** By every rule, with a control API, in process. */
export const WHOLE: Way = { access: 'control', rule: null, sockets: false };

/** Verdict of the checker on one rule. */
export interface Outcome {
  readonly id: string;
  readonly level: Rule['level'];
  readonly verdict: string;
  readonly reason: string;
}

const TIMEOUT_MS = 10_000;

/** Verdicts on the reference server with a fault, or a sound one for null. */
export async function judgeService(
  fault: FaultId | null,
  seed: number,
  way: Way,
): Promise<readonly Outcome[]> {
  const { rules } = await checkServer(fault, seed, way);
  return rules.map(({ id, level, verdict, reason }) => ({ id, level, verdict, reason }));
}

/** Checks the reference server with a fault. In process the seed determines the result to the byte. */
export async function checkServer(
  fault: FaultId | null,
  seed: number,
  { access, rule, sockets }: Way,
): Promise<ServiceResult> {
  const options = (['production', 'test'] as const).map((environment) => ({
    environment,
    faults: fault === null ? [] : [fault],
    version: TOOL.version,
    ...(access === 'control' ? {} : { partners: METERED_PARTNERS }),
  }));
  const needsSockets = fault !== null && isOnFastPath(fault);
  const world =
    sockets || needsSockets
      ? await openOverSockets(options, access)
      : await openInThisProcess(options, access, seed);
  const { clock, openTransport } = world;
  const [target, companion] = world.profiles;
  try {
    return await checkService({
      clock,
      openTransport,
      target: target!,
      companion,
      suite: FULL_SUITE,
      // The servers end with the run, and so does what it spent.
      ledger: 'none',
      probesGaps: false,
      only: rule === null ? [] : [rule, ...rulesBehind(rule)],
      seed,
      timeoutMs: TIMEOUT_MS,
      maxRate: null,
      requests: rule === null ? undefined : null,
      requireComplete: false,
      allowBan: access === 'metered',
      waits: access === 'metered',
    });
  } finally {
    await world.close?.();
  }
}

/** Servers and the way to them. */
type Opened = Pick<CheckServiceOptions, 'clock' | 'openTransport'> &
  Pick<InProcessServers, 'profiles'> & { readonly close?: () => Promise<void> };

/** Far from the end of a day, wherever that is, and from a quarter of an hour. */
const START_MS = Date.UTC(2026, 6, 8, 10, 3);

async function openInThisProcess(
  options: readonly ServerOptions[],
  access: Access,
  seed: number,
): Promise<Opened> {
  const more = access === 'control' ? { controlToken: 'control-token-of-selfcheck' } : {};
  return openServersInProcess(
    options.map((one) => ({ ...one, ...more })),
    { seed, startMs: START_MS },
  );
}

async function openOverSockets(options: readonly ServerOptions[], access: Access): Promise<Opened> {
  // Where partners have allowances, a run that waits moves the clock of both sides.
  const clock = movingClock();
  const more = access === 'control' ? { controlPort: 0 } : { clock };
  const servers = await openEmbeddedServers(options.map((one) => ({ ...one, ...more })));
  return { profiles: servers.profiles, close: () => servers.close(), clock };
}

const CODES_EACH = 6;

/** As many partners as a target's operator may well have to give. */
const USES: readonly PartnerUse[] = [
  ...Array.from({ length: 5 }, (): PartnerUse => 'general'),
  'spendable',
  'witness',
  'long-lock',
];

const METERED_PARTNERS: readonly ProfilePartner[] = USES.map((use, at) => ({
  id: `metered-${at}`,
  signingKey: `signing-key-of-metered-${at}`,
  use,
  authCodes: Array.from({ length: CODES_EACH }, (_, code) => `metered-${at}-code-${code}`),
}));
