import { sign } from '../interface/index.ts';
import { intact, type ReplacePart, replaceAll } from './faults/parts.ts';
import { EstimateEndpoint, estimateSteps } from './service/estimate/estimate-endpoint.ts';
import { ESTIMATE_LOCKS, EstimateIds } from './service/estimate/estimate-ids.ts';
import { Pricing } from './service/estimate/pricing.ts';
import { RecordWriter } from './service/estimate/record.ts';
import { ErrorWriter } from './service/messages.ts';
import { Service, servedPathWith } from './service/service.ts';
import type { ServiceState } from './service/service-state.ts';
import type { Settings } from './service/settings.ts';
import { SignatureCheck } from './service/signature-check.ts';
import { Allowances, allowanceRules } from './service/state/allowances.ts';
import { AuthCodes } from './service/state/auth-codes.ts';
import { Partners } from './service/state/partners.ts';
import { Tokens } from './service/state/tokens.ts';
import { freshnessLimits } from './service/token/timestamp.ts';
import { TokenEndpoint, tokenSteps } from './service/token/token-endpoint.ts';

/** A service and the state that it works on. */
export interface CreatedService {
  readonly service: Service;
  readonly state: ServiceState;
  readonly errors: ErrorWriter;
}

/**
 * Puts a service together. This is the only place where its parts are chosen: a fault is a `replace`
 * that gives another one for some of them.
 *
 * @param version of this product, for the OpenAPI description
 */
export function createService(
  settings: Settings,
  version: string,
  replace: ReplacePart = intact,
): CreatedService {
  const { behaviour } = settings;
  const state = createState(settings, replace);
  const errors = new ErrorWriter(behaviour);
  const signer = replace('tokenSigner', sign);
  const check = replace('signatures', new SignatureCheck(behaviour, signer));
  const freshness = replace('freshnessLimits', freshnessLimits(settings));
  const ofToken = replaceAll(replace, tokenSteps(settings, freshness));
  const ofEstimate = replaceAll(replace, estimateSteps(behaviour));
  const token = new TokenEndpoint(settings, state, check, ofToken);
  const estimate = new EstimateEndpoint(settings, state, check, ofEstimate);
  const service = new Service({
    answerToken: replace('answerToken', (request) => token.answer(request)),
    answerEstimate: replace('answerEstimate', (request) => estimate.answer(request)),
    servedPath: replace('servedPath', servedPathWith(behaviour)),
    errors,
    version,
  });
  return { service, state, errors };
}

/** Creates the state of a new service, with the parts that `replace` gives. */
export function createState(settings: Settings, replace: ReplacePart = intact): ServiceState {
  const { behaviour, random, expiresInSeconds, seed } = settings;
  const lifetimeMs = replace('accessTokenLifetimeMs', expiresInSeconds * 1000);
  const rules = replace('allowanceRules', allowanceRules(behaviour));
  const succession = {
    refreshEnds: behaviour['platform-token-after-refresh'] === 'ended',
    isNewestOfPartner: behaviour['newest-user-token-reach'] === 'partner',
  };
  const locks = replace('estimateLocks', ESTIMATE_LOCKS);
  return {
    partners: replace('partners', new Partners()),
    authCodes: replace('authCodes', new AuthCodes()),
    tokens: replace('tokens', new Tokens(lifetimeMs, random, succession)),
    allowances: replace('allowances', new Allowances(rules)),
    estimateIds: replace('estimateIds', new EstimateIds(random, locks)),
    pricing: replace('pricing', new Pricing(seed)),
    records: new RecordWriter(behaviour),
  };
}
