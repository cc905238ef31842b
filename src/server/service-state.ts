import { ESTIMATE_LOCKS, EstimateIds } from './estimate/estimate-ids.ts';
import { Pricing } from './estimate/pricing.ts';
import { RecordWriter } from './estimate/record.ts';
import { intact, type ReplacePart } from './faults/parts.ts';
import type { Settings } from './settings.ts';
import { Allowances, allowanceRules } from './state/allowances.ts';
import { AuthCodes } from './state/auth-codes.ts';
import { NostrLog } from './state/nostr-log.ts';
import { Partners } from './state/partners.ts';
import { Tokens } from './state/tokens.ts';

/** The state of a service, made once. The endpoints, the control API and the fast path share it. */
export interface ServiceState {
  readonly partners: Partners;
  readonly authCodes: AuthCodes;
  readonly tokens: Tokens;
  readonly allowances: Allowances;
  readonly nostrLog: NostrLog;
  readonly estimateIds: EstimateIds;
  readonly pricing: Pricing;
  readonly records: RecordWriter;
}

/** Creates the state of a new service, with the parts that `replace` gives. */
export function createState(settings: Settings, replace: ReplacePart = intact): ServiceState {
  const { behaviour, random, expiresInSeconds, seed } = settings;
  const lifetimeMs = replace('accessTokenLifetimeMs', expiresInSeconds * 1000);
  const rules = replace('allowanceRules', allowanceRules(behaviour));
  const locks = replace('estimateLocks', ESTIMATE_LOCKS);
  return {
    partners: new Partners(),
    authCodes: new AuthCodes(),
    tokens: replace('tokens', new Tokens(lifetimeMs, random)),
    allowances: replace('allowances', new Allowances(rules)),
    nostrLog: new NostrLog(),
    estimateIds: replace('estimateIds', new EstimateIds(random, locks)),
    pricing: replace('pricing', new Pricing(seed)),
    records: new RecordWriter(behaviour),
  };
}
