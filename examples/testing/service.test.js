// Tests of a service with vitest: npx vitest run service.test.js

import { serviceTest } from 'fareproof/vitest';
import { expect } from 'vitest';

// The service under test is a reference server of its own; for yours, pass its target profile to expect.
const test = serviceTest();

test('the service keeps the rules of tokens', { timeout: 60_000 }, async ({ service }) => {
  await expect(service).toConform({ rules: ['token/nostr-*', 'signature/*'] });
});

const faulty = serviceTest({ faults: ['token/nostr-required'] });

faulty('a service that needs no nostr is noticed', { timeout: 60_000 }, async ({ service }) => {
  await expect(service).not.toConform({ rules: 'token/nostr-required' });
});
