import { sign } from '../interface/index.ts';
import { EstimateEndpoint } from './estimate/estimate-endpoint.ts';
import { estimateSteps } from './estimate/estimate-steps.ts';
import { intact, type ReplacePart, replaceAll } from './faults/parts.ts';
import { servedPathWith } from './paths.ts';
import { ErrorWriter } from './refusal.ts';
import { Service } from './service.ts';
import { createState, type ServiceState } from './service-state.ts';
import type { Settings } from './settings.ts';
import { SignatureCheck } from './signature-check.ts';
import { freshnessLimits } from './token/freshness.ts';
import { TokenEndpoint } from './token/token-endpoint.ts';
import { tokenSteps } from './token/token-steps.ts';

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
  const signatures = replace('signatures', new SignatureCheck(behaviour, signer));
  const freshness = replace('freshnessLimits', freshnessLimits(settings));
  const token = new TokenEndpoint(
    settings,
    state,
    signatures,
    replaceAll(replace, tokenSteps(settings, freshness)),
  );
  const estimate = new EstimateEndpoint(
    settings,
    state,
    signatures,
    replaceAll(replace, estimateSteps(behaviour)),
  );
  const service = new Service({
    answerToken: replace('answerToken', (request) => token.answer(request)),
    answerEstimate: (request) => estimate.answer(request),
    servedPath: replace('servedPath', servedPathWith(behaviour)),
    errors,
    version,
  });
  return { service, state, errors };
}
