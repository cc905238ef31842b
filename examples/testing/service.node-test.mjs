// Tests of a service with node:test: node --test service.node-test.mjs

import { after, before, test } from 'node:test';
import { startServer } from 'fareproof';
import { assertConforms } from 'fareproof/matchers';

/** @type {import('fareproof').RunningServer} */
let service;
before(async () => {
  service = await startServer({ controlPort: 0 });
});
after(() => service.close());

test('the service keeps the rules of tokens', async () => {
  await assertConforms(service, { rules: 'token/nostr-*' });
});
