import { checkService, FULL_SUITE, movingClock, rulesBehind } from '../../conformance/index.ts';
import type { PartnerUse, ProfilePartner, Rule } from '../../interface/index.ts';
import type { FaultId } from '../../server/index.ts';
import { openEmbeddedServers } from '../embedded/host.ts';
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
}

/** By every rule, with a control API. */
export const WHOLE: Way = { access: 'control', rule: null };

/** Verdict of the checker on one rule. */
export interface Outcome {
  readonly id: string;
  readonly level: Rule['level'];
  readonly verdict: string;
  readonly reason: string;
}

const TIMEOUT_MS = 10_000;

/** Judges the reference server with a fault, or a sound one for null. */
export async function judgeService(
  fault: FaultId | null,
  seed: number,
  { access, rule }: Way,
): Promise<readonly Outcome[]> {
  // Where partners have allowances, a run that waits moves the clock of both sides.
  const clock = movingClock();
  const servers = await openEmbeddedServers(
    (['production', 'test'] as const).map((environment) => ({
      environment,
      faults: fault === null ? [] : [fault],
      version: TOOL.version,
      ...(access === 'control' ? { controlPort: 0 } : { partners: METERED_PARTNERS, clock }),
    })),
  );
  const [target, companion] = servers.profiles;
  try {
    const { rules } = await checkService({
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
      clock,
      allowBan: access === 'metered',
      waits: access === 'metered',
    });
    return rules.map(({ id, level, verdict, reason }) => ({ id, level, verdict, reason }));
  } finally {
    await servers.close();
  }
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
