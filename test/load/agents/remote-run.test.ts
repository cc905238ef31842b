import { expect, it } from 'vitest';
import { RemoteRun, type RemoteRunOptions } from '../../../src/load/agents/remote-run.ts';

type Agent = RemoteRunOptions['agent'];

/** The part of two generators of a run, with an agent that notes what it is sent. */
function remoteRun() {
  const sent: string[] = [];
  let lose: () => void = () => undefined;
  let take: (message: { kind: string; run: number }) => void = () => undefined;
  const agent = {
    facts: { name: 'agent-1' },
    lost: new Promise<string>((resolve) => {
      lose = () => resolve('ended');
    }),
    clock: { offsetNs: 0 },
    listen: (listener: typeof take) => {
      take = listener;
    },
    send: ({ kind }: { kind: string }) => sent.push(kind),
  } as unknown as Agent;
  const run = {
    plan: { warmupMs: 0 },
    clock: { monotonicNs: () => 3e9 },
    requests: [],
    accessToken: 'access',
  } as unknown as RemoteRunOptions['run'];
  const range = { from: 2, count: 2 };
  const { generators } = new RemoteRun({
    agent,
    number: 1,
    engine: 'native',
    range,
    run,
    onLost: () => undefined,
  });
  const { handles } = generators;
  return {
    sent,
    handles,
    ready: generators.ready,
    take: (kind: string, number = 1) => take({ kind, run: number }),
    lose,
  };
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

it('reports for a lost agent, and does not wait for it to pause', async () => {
  const { handles, lose } = remoteRun();
  const running = handles.map((handle) => handle.run(1e9, new AbortController().signal));
  const paused = handles[0]!.token!.pause();
  lose();
  const lost = { atS: 2, how: 'ended' };
  expect(await Promise.all(running)).toMatchObject([{ lost }, { lost }]);
  await paused;
  await handles[0]!.token!.pause();
});

it('says of an agent that is lost before the run that it is', async () => {
  const { ready, lose } = remoteRun();
  lose();
  await expect(ready).rejects.toMatchObject({
    code: 'AGENT_LOST',
    message: 'Agent agent-1 was lost before the run began (ended).',
  });
});

it('is closed by one message', () => {
  const { sent, handles } = remoteRun();
  for (const handle of handles) handle.close();
  expect(sent).toEqual(['prepare', 'close']);
});
