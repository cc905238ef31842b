// @module-tag long
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExchangeCapture } from '../../../../src/conformance/client/evidence/exchange-capture.ts';
import { Listener } from '../../../../src/conformance/client/listener.ts';
import type * as Module from '../../../../src/conformance/client/listening/listening-thread.ts';
import { ALL_FIELDS } from '../../../../src/conformance/signature/signing-context.ts';
import { DEMO_PARTNERS, startServer } from '../../../../src/server/index.ts';
import { Caller } from '../../../server/caller.ts';
import { compiledPackage } from '../../../support/compiled.ts';
import { estimate, KNOWN_PARTNER, refresh, tokenRequest } from '../client-traffic.ts';

const compiled = compiledPackage();
let thread: Module.ListeningThread;

beforeAll(async () => {
  const path = 'conformance/client/listening/listening-thread.js';
  const { ListeningThread } = await compiled.load<typeof Module>(path);
  thread = new ListeningThread();
});

afterAll(() => thread.close());

const settings = {
  baseUrl: 'http://127.0.0.1:1',
  signedFields: ALL_FIELDS,
  orders: 'yes',
  complete: true,
} as const;

const WRONG = { headers: { authorization: `Bearer ${KNOWN_PARTNER.id}|${'0'.repeat(32)}` } };

describe('a listening thread', () => {
  it('leaves the server free to answer while it explains a wrong signature', async () => {
    const order: string[] = [];
    const listener = thread.open({ ...settings, partners: DEMO_PARTNERS });
    let judged: Promise<unknown> = Promise.resolve();
    const interceptor = new ExchangeCapture((captured) => {
      judged = judged
        .then(() => listener.take(captured))
        .then(({ request }) => order.push(`judged ${request.id}`));
    });
    const server = await startServer({ partners: DEMO_PARTNERS, interceptor });
    try {
      const caller = new Caller(server);
      for (const nth of [1, 2]) {
        await caller.platform({}, { signature: String(nth).repeat(32) });
        order.push(`answered ${nth}`);
      }
      await judged;
    } finally {
      await server.close(0);
    }
    expect(order.slice(0, 2)).toEqual(['answered 1', 'answered 2']);
    expect(order).toContain('judged x2');
  });

  it('judges as a listener in this thread does', async () => {
    const exchanges = [
      tokenRequest('a', { connection: 1 }),
      tokenRequest('b', { at: 10, ...WRONG }),
      estimate('a', { at: 20, headers: { 'content-type': 'text/plain' } }),
      refresh('a', 'c', { at: 7_100_000 }),
    ];
    const own = new Listener(
      { ...settings, partners: [KNOWN_PARTNER], baseUrlOf: () => settings.baseUrl },
      true,
    );
    const remote = thread.open({ ...settings, partners: [KNOWN_PARTNER] });
    for (const exchange of exchanges) {
      expect(await remote.take(exchange)).toEqual(own.take(exchange));
    }
    const facts = {
      target: { name: 'a client', baseUrl: settings.baseUrl, environment: 'production' },
      startedAt: '2026-03-02T12:00:00.000Z',
      finishedAt: '2026-03-02T12:01:00.000Z',
    };
    expect(await remote.result(facts)).toEqual(own.result(facts));
  });

  it('says that it has ended', async () => {
    const { ListeningThread } = await compiled.load<typeof Module>(
      'conformance/client/listening/listening-thread.js',
    );
    const other = new ListeningThread();
    const listener = other.open({ ...settings, partners: [KNOWN_PARTNER] });
    await listener.take(tokenRequest('a'));
    await other.close();
    await expect(listener.take(tokenRequest('b'))).rejects.toMatchObject({
      code: 'LISTENING_FAILED',
    });
  });
});
