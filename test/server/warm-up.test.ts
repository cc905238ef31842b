import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../src/interface/default-behaviour.ts';
import { DEFAULT_TIMEOUTS } from '../../src/server/http/node-server.ts';
import { startServer } from '../../src/server/index.ts';
import {
  keepWarmingUp,
  type WarmUpOptions,
  warmUp,
  warmUpWhileIdle,
} from '../../src/server/warm-up.ts';
import { LOOPBACK_TLS } from '../support/loopback-certificate.ts';

const LIMIT = { timeout: 60_000 };
/** No machine is so busy. */
const PATIENT_MS = 50_000;

const OPTIONS: WarmUpOptions = {
  settings: {
    environment: 'production',
    behaviour: DEFAULT_BEHAVIOUR,
    expiresInSeconds: 60,
    seed: 1,
  },
  timeouts: DEFAULT_TIMEOUTS,
};

describe('warming up', LIMIT, () => {
  it.each<[string, Partial<WarmUpOptions>, number]>([
    ['with the fast path', {}, 384],
    ['without the fast path', { fastPath: false }, 384],
    ['over TLS', { tls: LOOPBACK_TLS }, 96],
  ])('answers estimates and token requests %s', async (_, more, count) => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    expect(await warmUp({ ...OPTIONS, ...more }, PATIENT_MS)).toBe(count);
    expect(warnings).toEqual([]);
  });

  it('continues where a service refuses what it sends', async () => {
    const behaviour = { ...DEFAULT_BEHAVIOUR, 'signed-fields-token': ['grant_type'] };
    const settings = { ...OPTIONS.settings, behaviour };
    expect(await warmUp({ ...OPTIONS, settings }, PATIENT_MS)).toBe(376);
  });

  it('ends after its time', async () => {
    expect(await warmUp(OPTIONS, 0)).toBeLessThan(384);
  });

  it('continues while no client sends anything', async () => {
    const signal = new AbortController().signal;
    let looks = 0;
    const isIdle = (): boolean => looks++ !== 1;
    expect(await warmUpWhileIdle(OPTIONS, { isIdle, signal, checkMs: 1 })).toBe(3_680);
    // Before each of the 460 bursts, and once more where there was a client.
    expect(looks).toBe(461);
  });

  it('sends nothing while a client stays, until it is ended', async () => {
    const end = new AbortController();
    let looks = 0;
    const isIdle = (): boolean => {
      if (++looks === 3) end.abort();
      return false;
    };
    const options = { isIdle, signal: end.signal, checkMs: 1 };
    expect(await warmUpWhileIdle(OPTIONS, options)).toBe(0);
    expect(looks).toBe(3);
  });

  it('ends when its server closes', async () => {
    const end = keepWarmingUp({ isIdle: () => true }, OPTIONS);
    expect(await end()).toBeLessThan(3_680);
  });

  it('leaves nothing behind in the server', async () => {
    const seen: unknown[] = [];
    const server = await startServer({
      warmsUp: true,
      metrics: true,
      accessLog: (entry) => seen.push(entry),
      interceptor: { onExchange: (exchange) => void seen.push(exchange) },
    });
    try {
      expect(await server.metrics?.()).toMatchObject({
        requests: [],
        fastPathAnswers: 0,
        storedTokens: { access: 0, refresh: 0, usedRefresh: 0 },
        partners: server.partners.length,
      });
      expect(seen).toEqual([]);
    } finally {
      await server.close(0);
    }
  });
});
