import {
  ConfigurationError,
  readTargetProfile,
  type TargetProfile,
  type TargetProfileInput,
} from '../interface/index.ts';
import { describeProfile, type RunningServer } from '../server/index.ts';
import { type LedgerChoice, type LedgerSource, memoryLedger } from '../spending/index.ts';

/** A service under test: a server of `startServer`, or the profile of any other. */
export type Subject = RunningServer | TargetProfileInput;

/**
 * The profile of a service under test.
 *
 * @throws ConfigurationError `PROFILE_INVALID`, or `SUBJECT_INVALID` for anything else
 */
export function profileOf(subject: unknown): TargetProfile {
  if (typeof subject === 'object' && subject !== null) {
    if ('close' in subject && 'clock' in subject) return describeProfile(subject as RunningServer);
    if ('baseUrl' in subject) return readTargetProfile(subject as TargetProfileInput);
  }
  throw new ConfigurationError(
    'SUBJECT_INVALID',
    'Expected a service: a server of startServer, or a target profile with its baseUrl.',
  );
}

/** Ledgers of servers of this process: what was spent ends with them. */
const ofServers = new WeakMap<object, LedgerSource>();

/**
 * The ledger that runs on a service under test spend by: that of the profile's partners, or one in memory
 * for each server of this process.
 */
export function ledgerOf(
  subject: unknown,
  chosen: LedgerChoice | undefined,
): LedgerChoice | undefined {
  const isServer = typeof subject === 'object' && subject !== null && 'clock' in subject;
  if (chosen !== undefined || !isServer) return chosen;
  const ledger = memoryLedger();
  const known = ofServers.get(subject) ?? { open: async () => ledger };
  ofServers.set(subject, known);
  return known;
}
