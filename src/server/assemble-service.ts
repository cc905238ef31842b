import {
  type Behaviour,
  DEFAULT_BEHAVIOUR,
  type ProfilePartner,
  readPartners,
  requireMd5,
} from '../interface/index.ts';
import { checkOptions } from '../interface/options.ts';
import { type CreatedService, createService } from './create-service.ts';
import { intact, type ReplacePart } from './faults/parts.ts';
import { DEMO_PARTNERS, SERVER_OPTIONS, type ServerOptions } from './server-options.ts';
import { MovableClock, wallClock } from './service/clock.ts';
import type { ServiceState } from './service/service-state.ts';
import { readSettings, type Settings } from './service/settings.ts';
import { userOf } from './service/state/auth-codes.ts';

/** A service with its partners, which nothing listens for yet. */
export interface AssembledService {
  readonly created: CreatedService;
  readonly partners: readonly ProfilePartner[];
  readonly clock: MovableClock;
  readonly settings: Settings;
  readonly replace: ReplacePart;
  /** False if the fast path would not show the faults. */
  readonly leaveFastPath: boolean;
}

/** Version in the OpenAPI description of a server that is given none. */
export const DEFAULT_VERSION = '0.0.0';

/**
 * Puts the service of a server together, with its faults and partners.
 *
 * @throws ConfigurationError as checkOptions, `PARTNERS_INVALID`, `BEHAVIOUR_INVALID`, `FAULT_UNKNOWN` or `MD5_MISSING`
 */
export async function assembleService(options: ServerOptions): Promise<AssembledService> {
  requireMd5();
  checkOptions(options, SERVER_OPTIONS);
  const partners = readPartners(options.partners ?? DEMO_PARTNERS);
  const clock = new MovableClock(options.clock ?? wallClock);
  const settings = readSettings(options, clock, await behaviourOf(options));
  const { replace, leaveFastPath } = await readFaults(options);
  const created = createService(settings, options.version ?? DEFAULT_VERSION, replace);
  admitPartners(partners, created.state, clock.now());
  return { created, partners, clock, settings, replace, leaveFastPath };
}

/** @throws ConfigurationError `BEHAVIOUR_INVALID` */
async function behaviourOf({ behaviour }: ServerOptions): Promise<Behaviour> {
  // A copy: a server's own answers are not those of the next.
  if (!behaviour) return structuredClone(DEFAULT_BEHAVIOUR);
  // Loads zod, which takes a fifth of the time of a start.
  const { readBehaviour } = await import('./service/read-behaviour.ts');
  return readBehaviour(behaviour);
}

/** @throws ConfigurationError `FAULT_UNKNOWN` */
async function readFaults({
  faults = [],
  clock,
}: ServerOptions): Promise<Pick<AssembledService, 'replace' | 'leaveFastPath'>> {
  if (faults.length === 0) return { replace: intact, leaveFastPath: true };
  // Few servers have faults, and their tables take a tenth of the time of a start.
  const { breaking, leaveFastPath } = await import('./faults/catalogue.ts');
  return { replace: breaking(faults, clock), leaveFastPath: leaveFastPath(faults) };
}

/** Adds partners, their auth codes, and the access_token that a profile may bring with it. */
function admitPartners(
  partners: readonly ProfilePartner[],
  state: ServiceState,
  nowMs: number,
): void {
  for (const { id, signingKey, use, authCodes, accessToken } of partners) {
    const partner = state.partners.add(id, signingKey, use === 'long-lock');
    for (const code of authCodes) state.authCodes.add(partner, code, userOf(partner));
    if (accessToken === undefined) continue;
    const platform = { partner, userId: null, scope: 'public', refreshed: null };
    state.tokens.admit({ ...platform, accessToken }, nowMs);
  }
}
