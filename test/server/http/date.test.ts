import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../src/server/index.ts';

const NOON = Date.UTC(2026, 2, 2, 12);

it.each([
  ['a token request', {}],
  ['a body that is too long', { body: 'x'.repeat(200_000) }],
])('the Date of the answer to %s is by the clock of the server', async (_words, more) => {
  const server = await startServer({ clock: { now: () => NOON } });
  onTestFinished(() => server.close(0));
  const { headers } = await fetch(`${server.baseUrl}/v1/oauth/token`, { method: 'POST', ...more });
  expect(headers.get('date')).toBe(new Date(NOON).toUTCString());
});
