import { expect, it } from 'vitest';
import { RemoteRun, type RemoteRunOptions } from '../../../src/load/agents/remote-run.ts';

type Agent = RemoteRunOptions['agent'];

/** The part of two generators of a run, with an agent that notes what it is sent. */
function remoteRun(isLost = false) {
  const sent: string[] = [];
  let take: (message: { kind: string; run: number }) => void = () => undefined;
  const agent = {
    isLost,
    lost: new Promise(() => undefined),
    listen: (listener: typeof take) => {
      take = listener;
    },
    send: ({ kind }: { kind: string }) => sent.push(kind),
  } as unknown as Agent;
  const run = {
    plan: {},
    requests: [],
    accessToken: 'access',
  } as unknown as RemoteRunOptions['run'];
  const range = { from: 2, count: 2 };
  const { handles } = new RemoteRun({
    agent,
    number: 1,
    engine: 'native',
    range,
    run,
    onLost: () => undefined,
  });
  return { sent, handles, take: (kind: string, number = 1) => take({ kind, run: number }) };
}

it('is paused by one message for all its generators, once its agent says so', async () => {
  const { sent, handles, take } = remoteRun();
  expect(handles.map(({ token }) => token === null)).toEqual([false, true]);
  const states: string[] = [];
  const paused = handles[0]!.token!.pause().then(() => states.push('paused'));
  // Word of another run.
  take('paused', 2);
  await Promise.resolve();
  expect(states).toEqual([]);
  take('paused');
  await paused;
  handles[0]!.token!.resume('next');
  expect(sent).toEqual(['prepare', 'pause', 'resume']);
});

it('does not wait for a lost agent to pause', async () => {
  const { sent, handles } = remoteRun(true);
  await handles[0]!.token!.pause();
  expect(sent).toEqual(['prepare', 'pause']);
});

it('is closed by one message', () => {
  const { sent, handles } = remoteRun();
  for (const handle of handles) handle.close();
  expect(sent).toEqual(['prepare', 'close']);
});
