// The rules of the service without its HTTP layer, for the frameworks in the comparison.

import { DEFAULT_BEHAVIOUR } from '../../dist/interface/index.js';
import { switchFaults } from '../../dist/server/faults/switches.js';
import { cryptoRandom, wallClock } from '../../dist/server/index.js';
import { Service } from '../../dist/server/service.js';
import { ACCESS_TOKEN, PARTNER } from './credentials.mjs';

export function makeService() {
  const service = new Service(
    {
      environment: 'production',
      behaviour: DEFAULT_BEHAVIOUR,
      faults: switchFaults([]),
      clock: wallClock,
      random: cryptoRandom(),
      expiresInSeconds: 86_400,
      seed: 1,
    },
    '0.0.0',
  );
  const partner = service.partners.add(PARTNER.id, PARTNER.signingKey, false);
  service.tokens.admit(partner, ACCESS_TOKEN, wallClock.now());
  return service;
}

/**
 * Answers an estimate request by all rules.
 *
 * @param {Service} service
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
