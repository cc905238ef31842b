import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TargetProfile } from '../../../../src/interface/index.ts';
import { runLoad, systemClock } from '../../../../src/load/index.ts';
import { ELSEWHERE_TLS, LOOPBACK_TLS } from '../../../support/loopback-certificate.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';
import { unhurriedClock } from '../../../support/unhurried-clock.ts';
import { ESTIMATE_BODY } from '../../fake-target.ts';

/** The servers by what their certificate names. */
const CERTIFICATES = { loopback: LOOPBACK_TLS, elsewhere: ELSEWHERE_TLS } as const;
type Named = keyof typeof CERTIFICATES;
const servers = new Map<Named, Server>();
const folder = temporaryFolderOfFile();
const ca = join(folder, 'ca.pem');
let profile: TargetProfile;

const addressOf = (host: string, certificateOf: Named): string =>
  `https://${host}:${(servers.get(certificateOf)!.address() as AddressInfo).port}`;

beforeAll(async () => {
  writeFileSync(ca, LOOPBACK_TLS.cert + ELSEWHERE_TLS.cert);
  for (const named of Object.keys(CERTIFICATES) as Named[]) {
    const server = createServer(CERTIFICATES[named], (_request, response) => {
      // In pieces, so that an answer spans several records.
      response.write(ESTIMATE_BODY.slice(0, 100));
      setImmediate(() => response.end(ESTIMATE_BODY.slice(100)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.set(named, server);
  }
  profile = {
    name: 'tls',
    baseUrl: addressOf('127.0.0.1', 'loopback'),
    environment: 'production',
    partners: [{ id: 'p', signingKey: 'k', use: 'general', authCodes: [], accessToken: 't' }],
    signature: { tokenFields: 'all', estimateFields: 'all' },
    estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
    headers: { 'X-Tenant': 'load' },
    ca,
  };
});
afterAll(() => {
  for (const server of servers.values()) {
    server.closeAllConnections();
    server.close();
  }
});

const run = (over: Partial<TargetProfile> = {}, newConnections = false) =>
  runLoad({
    ledger: 'none',
    profile: { ...profile, ...over },
    clock: unhurriedClock(systemClock()),
    seed: 1,
    placement: 'inline',
    rate: 100,
    duration: '300ms',
    warmup: '0',
    timeout: '10s',
    validate: 1,
    newConnections,
  });

describe('the native engine over TLS', () => {
  it('reads answers of several TLS records, and trusts the issuer of the profile', async () => {
    const result = await run();
    expect(result.errors).toEqual({});
    expect(result.achieved).toMatchObject({ planned: 30, ok: 30 });
  });

  it('does not trust an unknown issuer', async () => {
    const result = await run({ ca: undefined });
    expect(result.errors).toEqual({ DEPTH_ZERO_SELF_SIGNED_CERT: 30 });
    expect(result.achieved.sent).toBe(0);
  });

  it.each<[string, Named, boolean]>([
    ['127.0.0.1', 'loopback', true],
    ['localhost', 'loopback', true],
    ['127.0.0.1', 'elsewhere', false],
    ['localhost', 'elsewhere', false],
  ])('at %s, with the certificate of %s, trusts the target: %s', async (host, of, isNamed) => {
    const result = await run({ baseUrl: addressOf(host, of) }, true);
    expect(result.errors).toEqual(isNamed ? {} : { ERR_TLS_CERT_ALTNAME_INVALID: 30 });
    expect(result.achieved.ok).toBe(isNamed ? 30 : 0);
  });

  it('names a missing certificate file', async () => {
    await expect(run({ ca: join(folder, 'none.pem') })).rejects.toMatchObject({
      code: 'CERTIFICATE_NOT_READ',
    });
  });
});
