import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../../support/raw-socket.ts';
import { startTwins, type Twins } from '../fast-path/twins.ts';

const BODY = JSON.stringify({ grant_type: 'client_credentials', nostr: 'a1B2c3' });
const REQUESTS = {
  token: [
    'POST /v1/oauth/token HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    'Authorization: Bearer nobody|0123456789abcdef0123456789abcdef',
    `Content-Length: ${BODY.length}`,
    '',
    BODY,
  ].join('\r\n'),
  estimate: ['GET /v1/estimates/prices HTTP/1.1', 'Host: x', '', ''].join('\r\n'),
} as const;

let twins: Twins;
beforeAll(async () => {
  twins = await startTwins();
});
afterAll(() => twins.close());

describe('a client that closes its side behind what it sent', { timeout: 120_000 }, () => {
  it('gets every answer, however many do so at once', async () => {
    const { token } = REQUESTS;
    for (const port of [twins.fast.port, twins.plain.port]) {
      for (let round = 0; round < 5; round++) {
        const replies = await Promise.all(
          Array.from({ length: 80 }, () => sendRaw(port, token, { ends: true })),
        );
        expect(replies.filter(({ statuses }) => statuses.length !== 1)).toEqual([]);
      }
    }
  });

  it.each(Object.entries(REQUESTS))(
    'is answered alike at every place of a %s request',
    async (_, text) => {
      const answered: number[] = [];
      for (let end = 1; end <= text.length; end++) {
        const [fast, plain] = await Promise.all(
          [twins.fast.port, twins.plain.port].map((port) =>
            sendRaw(port, text.slice(0, end), { ends: true }),
          ),
        );
        expect([end, fast?.statuses]).toEqual([end, plain?.statuses]);
        answered.push(...(fast?.statuses ?? []));
      }
      expect(answered.at(-1)).toBe(401);
    },
  );
});
