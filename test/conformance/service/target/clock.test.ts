import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkService } from '../../../../src/conformance/index.ts';
import { describeProfile, type RunningServer, startServer } from '../../../../src/server/index.ts';
import { RUN } from '../../../independent-service/judge.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const RULE = 'quota/ban-lifts';

async function open(): Promise<RunningServer> {
  const server = await startServer({ controlPort: 0, clock: { now: () => NOON } });
  onTestFinished(() => server.close(0));
  return server;
}

const judge = (server: RunningServer, signal?: AbortSignal) =>
  checkService({
    ...RUN,
    target: { ...describeProfile(server), partners: [] },
    wall: () => NOON,
    only: [RULE],
    signal,
  });

describe("the target's clock after a run", { timeout: 60_000 }, () => {
  it('stands at true time', async () => {
    const server = await open();
    const advance = vi.spyOn(server.clock, 'advance');
    const { rules, notes } = await judge(server);
    expect(rules.find(({ id }) => id === RULE)?.verdict).toBe('pass');
    expect(Math.max(...advance.mock.calls.map(([seconds]) => seconds))).toBeGreaterThan(80_000);
    expect([server.clock.now(), notes]).toEqual([NOON, []]);
  });

  it('stands at true time if the run is interrupted after a move', async () => {
    const server = await open();
    const stop = new AbortController();
    const advance = server.clock.advance.bind(server.clock);
    vi.spyOn(server.clock, 'advance').mockImplementation((seconds) => {
      advance(seconds);
      if (seconds > 0) stop.abort();
    });
    const { interrupted, notes } = await judge(server, stop.signal);
    expect([interrupted, server.clock.now(), notes]).toEqual([true, NOON, []]);
  });

  it('is not reset if it was not moved', async () => {
    const server = await open();
    server.clock.advance(60);
    await checkService({
      ...RUN,
      target: { ...describeProfile(server), partners: [] },
      wall: () => NOON,
      only: ['token/nostr-length'],
    });
    expect(server.clock.now()).toBe(NOON + 60_000);
  });

  it('is named in the result where the target cannot reset it', async () => {
    const server = await open();
    vi.spyOn(server.clock, 'reset').mockImplementation(() => undefined);
    const { notes } = await judge(server);
    const now = new Date(server.clock.now()).toISOString();
    expect(notes).toEqual([
      `The clock of ${server.baseUrl} was moved to ${now}. It was not reset: the target does not obey POST /clock {"reset": true}.`,
    ]);
  });
});
