import { describe, expect, it } from 'vitest';
import { createState } from '../../../src/server/create-service.ts';
import { MovableClock } from '../../../src/server/service/clock.ts';
import { readSettings } from '../../../src/server/service/settings.ts';
import type { Change } from '../../../src/server/workers/messages.ts';
import { Replication } from '../../../src/server/workers/replication.ts';
import { WorkerLink } from '../../../src/server/workers/worker-link.ts';
import { ACKNOWLEDGED, type FakeProcess, FakeProcesses } from './fake-process.ts';

const NOW = Date.UTC(2026, 2, 2, 12);

function replicated() {
  const clock = new MovableClock({ now: () => NOW });
  const state = createState(readSettings({}, clock));
  const replication = new Replication(state, clock);
  const partner = state.partners.add('p', 'k', false);
  const request = { partner, userId: 'u', scope: 'public', refreshed: null };
  const addWorker = (): { link: WorkerLink; process: FakeProcess } => {
    const processes = new FakeProcesses();
    const link = new WorkerLink(processes.fork, () => undefined);
    return { link, process: processes.all[0]! };
  };
  return { clock, state, replication, request, addWorker };
}

/** Changes that a worker got, in their order. */
const changesOf = ({ received }: FakeProcess): Change[] =>
  received.flatMap((message) => (message.kind === 'changes' ? message.changes : []));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Has a worker acknowledge whatever it gets, until a promise resolves. */
async function acknowledging(process: FakeProcess, until: Promise<unknown>): Promise<void> {
  const progress = { isDone: false };
  void until.then(() => {
    progress.isDone = true;
  });
  for (let acknowledged = 0; !progress.isDone; await turn()) {
    const { length } = process.received.filter(({ kind }) => kind === 'changes');
    for (; acknowledged < length; acknowledged++) process.send(ACKNOWLEDGED);
  }
}

/** A worker that has its copy and gets connections. */
async function serving({ replication, addWorker }: ReturnType<typeof replicated>) {
  const worker = addWorker();
  await acknowledging(worker.process, replication.copyTo(worker.link));
  worker.link.isServing = true;
  worker.process.received.length = 0;
  return worker;
}

describe('copies of the state in workers', () => {
  it('start with the clock, the partners in their order, and the valid access tokens', async () => {
    const parts = replicated();
    const { clock, state, replication, request, addWorker } = parts;
    state.partners.add('q', 'l', true);
    clock.advance(60);
    const old = state.tokens.issue(request, clock.now());
    const { grant } = state.tokens.issue(request, clock.now());
    const { process, link } = addWorker();
    await acknowledging(process, replication.copyTo(link));
    expect(old.grant.superseded).toBe(true);
    expect(changesOf(process)).toEqual([
      { kind: 'clock', offsetMs: 60_000 },
      { kind: 'partner', id: 'p', signingKey: 'k', longLock: false },
      { kind: 'partner', id: 'q', signingKey: 'l', longLock: true },
      {
        kind: 'admitted',
        grant: {
          partnerIndex: 0,
          userId: 'u',
          scope: 'public',
          accessToken: grant.accessToken,
          accessExpiresAtMs: grant.accessExpiresAtMs,
        },
      },
    ]);
  });

  it('get every later change, those during the first copy too', async () => {
    const parts = replicated();
    const { clock, state, replication, request, addWorker } = parts;
    for (let user = 0; user < 2500; user++) {
      state.tokens.issue({ ...request, userId: `u${user}` }, clock.now());
    }
    const { process, link } = addWorker();
    const copied = replication.copyTo(link);
    process.send(ACKNOWLEDGED);
    await turn();
    const { grant } = state.tokens.issue({ ...request, userId: 'u0' }, clock.now());
    void replication.settled();
    await acknowledging(process, copied);
    const valid = new Set<string>();
    for (const change of changesOf(process)) {
      if (change.kind === 'admitted') valid.add(change.grant.accessToken);
      if (change.kind === 'superseded') valid.delete(change.accessToken);
    }
    const wanted = [...state.tokens.valid(clock.now())].map(({ accessToken }) => accessToken);
    expect(valid).toEqual(new Set(wanted));
    expect(valid).toContain(grant.accessToken);
  });

  it('hold work back until every serving worker has acknowledged it', async () => {
    const parts = replicated();
    const { clock, state, replication, request, addWorker } = parts;
    const one = await serving(parts);
    const other = await serving(parts);
    // It gets its copy and no connections yet: nobody waits for it.
    const loading = addWorker();
    void replication.copyTo(loading.link);
    let isDone = false;
    const done = replication
      .after(() => state.tokens.issue(request, clock.now()))
      .then(() => {
        isDone = true;
      });
    await turn();
    await turn();
    one.process.send(ACKNOWLEDGED);
    await turn();
    expect(isDone).toBe(false);
    other.process.send(ACKNOWLEDGED);
    await done;
    expect(changesOf(one.process).map(({ kind }) => kind)).toEqual(['admitted']);
  });

  it('hold work back though a new worker has its changes sent before', async () => {
    const parts = replicated();
    const { clock, state, replication, request, addWorker } = parts;
    const { process } = await serving(parts);
    let isDone = false;
    const done = replication
      .after(() => state.tokens.issue(request, clock.now()))
      .then(() => {
        isDone = true;
      });
    void replication.copyTo(addWorker().link);
    await turn();
    await turn();
    expect(isDone).toBe(false);
    process.send(ACKNOWLEDGED);
    await done;
  });

  it('wait for no worker that has ended', async () => {
    const parts = replicated();
    const { clock, state, replication, request } = parts;
    const { process, link } = await serving(parts);
    const done = replication.after(() => state.tokens.issue(request, clock.now()));
    await turn();
    process.exit();
    replication.forget(link);
    await expect(done).resolves.toMatchObject({ grant: { userId: 'u' } });
    await expect(
      replication.after(() => state.tokens.issue(request, clock.now())),
    ).resolves.toBeDefined();
  });

  it('send the changes of one turn together, and nothing for work that changes nothing', async () => {
    const parts = replicated();
    const { clock, state, replication, request } = parts;
    const { process } = await serving(parts);
    const all = Promise.all([
      replication.after(() => state.tokens.issue(request, clock.now())),
      replication.after(() => state.tokens.issue(request, clock.now())),
    ]);
    await acknowledging(process, all);
    expect(process.received).toHaveLength(1);
    expect(changesOf(process).map(({ kind }) => kind)).toEqual([
      'admitted',
      'admitted',
      'superseded',
    ]);
    await replication.after(() => undefined);
    await turn();
    expect(process.received).toHaveLength(1);
  });

  it('follow the clock', async () => {
    const parts = replicated();
    const { process } = await serving(parts);
    parts.clock.advance(5);
    await turn();
    parts.clock.reset();
    await turn();
    expect(changesOf(process)).toEqual([
      { kind: 'clock', offsetMs: 5000 },
      { kind: 'clock', offsetMs: 0 },
    ]);
  });
});
