import { afterEach, expect, it } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../src/interface/default-behaviour.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/server/index.ts';

const running: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close(0)));
});

async function start(options?: ServerOptions): Promise<RunningServer> {
  const server = await startServer(options);
  running.push(server);
  return server;
}

it('of a server is that of no other', async () => {
  const [one, other] = [await start(), await start()];
  Object.assign(one.behaviour, { 'day-boundary': 'rolling' });
  expect(other.behaviour).toEqual(DEFAULT_BEHAVIOUR);
  expect((await start()).behaviour).toEqual(DEFAULT_BEHAVIOUR);
});

it('has the default of each gap that is left out', async () => {
  const { behaviour } = await start({ behaviour: { 'refresh-scope': { unnamed: 'public' } } });
  expect(behaviour).toEqual({
    ...DEFAULT_BEHAVIOUR,
    'refresh-scope': { unnamed: 'public', wider: 'granted' },
  });
});

it('is refused with the name of a gap whose answer is unknown', async () => {
  const wrong = { 'ban-reach': 'nobody' } as unknown as ServerOptions['behaviour'];
  await expect(startServer({ behaviour: wrong })).rejects.toMatchObject({
    code: 'BEHAVIOUR_INVALID',
    message: expect.stringContaining('ban-reach'),
  });
});
