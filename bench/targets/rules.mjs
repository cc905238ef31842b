// The service without its HTTP, for the frameworks that it is compared with.

import { DEFAULT_BEHAVIOUR } from '../../build/interface/index.js';
import { createService } from '../../build/server/create-service.js';
import { cryptoRandom, wallClock } from '../../build/server/index.js';
import { ACCESS_TOKEN, PARTNER } from './credentials.mjs';

export function makeService() {
  const { service, state } = createService(
    {
      environment: 'production',
      behaviour: DEFAULT_BEHAVIOUR,
      clock: wallClock,
      random: cryptoRandom(),
      expiresInSeconds: 86_400,
      explainSignature: undefined,
      seed: 1,
    },
    '0.0.0',
  );
  const partner = state.partners.add(PARTNER.id, PARTNER.signingKey, false);
  const platform = { partner, userId: null, scope: 'public', refreshed: null };
  state.tokens.admit({ ...platform, accessToken: ACCESS_TOKEN }, wallClock.now());
  return service;
}

/**
 * Answers an estimate with all rules applied.
 *
 * @param {ReturnType<typeof makeService>} service
 * @param {string} target path and query, as they were sent
 * @param {{ authorization?: string | undefined, 'content-type'?: string | undefined }} headers
 */
export function answerEstimate(service, target, headers) {
  const queryAt = target.indexOf('?');
  return service.answer({
    method: 'GET',
    path: target.slice(0, queryAt),
    rawQuery: target.slice(queryAt + 1),
    authorization: headers.authorization,
    contentType: headers['content-type'],
    body: new Uint8Array(0),
    baseUrl: '',
  });
}
