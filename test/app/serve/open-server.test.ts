import { expect, it, onTestFinished } from 'vitest';
import { KnownSecrets } from '../../../src/app/known-secrets.ts';
import { type AskedServer, openServer } from '../../../src/app/serve/open-server.ts';
import { explainSignature, TOKEN_PATH } from '../../../src/interface/index.ts';
import { DEMO_PARTNERS } from '../../../src/server/index.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';

async function open(asked: AskedServer, isWatched = false) {
  const secrets = new KnownSecrets();
  const opened = await openServer({ port: 0, ...asked }, isWatched, { secrets });
  onTestFinished(() => opened.server.close(0));
  return { ...opened, secrets };
}

const signal = (): AbortSignal => AbortSignal.timeout(300_000);

it('names the mistake of a wrong signature in its refusal', async () => {
  const { server } = await open({});
  const { id, signingKey } = DEMO_PARTNERS[0]!;
  const pairs = { grant_type: 'client_credentials', _: new Date().toISOString(), nostr: 'a1B2c3' };
  const { innerMd5 } = explainSignature(pairs, signingKey);
  const response = await fetch(`${server.baseUrl}${TOKEN_PATH}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${id}|${innerMd5}` },
    body: JSON.stringify(pairs),
    signal: signal(),
  });
  expect(await response.text()).toContain('single-md5');
});

it('records its traffic only where that is asked for', async () => {
  expect((await open({})).traffic).toBeNull();
  const { server, traffic } = await open({}, true);
  const events: unknown[] = [];
  traffic?.start((event) => events.push(event), server.partners);
  await (await fetch(`${server.baseUrl}/nowhere`, { signal: signal() })).text();
  traffic?.stop();
  expect(events).toContainEqual(expect.objectContaining({ kind: 'request', status: 404 }));
});

const [, KEY_LINE = ''] = LOOPBACK_TLS.key.split('\n');

it.each<[secret: string, asked: AskedServer]>([
  ['key-of-p', { partners: [{ id: 'p', signingKey: 'key-of-p', authCodes: [] }] }],
  ['token-of-control', { controlToken: 'token-of-control', controlPort: 0 }],
  [KEY_LINE, { tls: LOOPBACK_TLS }],
])('shows %s in no line', async (secret, asked) => {
  const { secrets } = await open(asked);
  expect(secrets.hideIn(`It is ${secret} now.`)).not.toContain(secret);
});
