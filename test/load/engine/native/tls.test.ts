import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TargetProfile } from '../../../../src/interface/index.ts';
import { runLoad, systemClock } from '../../../../src/load/index.ts';
import { LOOPBACK_TLS } from '../../../support/loopback-certificate.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';
import { unhurriedClock } from '../../../support/unhurried-clock.ts';
import { ESTIMATE_BODY } from '../../fake-target.ts';

let server: Server;
const folder = temporaryFolderOfFile();
let profile: TargetProfile;

beforeAll(async () => {
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, LOOPBACK_TLS.cert);
  server = createServer(LOOPBACK_TLS, (_request, response) => {
    // In pieces, so that an answer spans several records.
    response.write(ESTIMATE_BODY.slice(0, 100));
    setImmediate(() => response.end(ESTIMATE_BODY.slice(100)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  profile = {
    name: 'tls',
    baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    environment: 'production',
    partners: [{ id: 'p', signingKey: 'k', use: 'general', authCodes: [], accessToken: 't' }],
    signature: { tokenFields: 'all', estimateFields: 'all' },
    estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
    headers: { 'X-Tenant': 'load' },
    ca,
  };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const run = (over: Partial<TargetProfile> = {}) =>
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
  });

describe('the native engine over TLS', { timeout: 120_000 }, () => {
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

  it('names a missing certificate file', async () => {
    await expect(run({ ca: join(folder, 'none.pem') })).rejects.toMatchObject({
      code: 'CERTIFICATE_NOT_READ',
    });
  });
});
