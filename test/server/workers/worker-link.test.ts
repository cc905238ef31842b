import { describe, expect, it, type Mock, vi } from 'vitest';
import {
  BEATS_PER_SILENCE,
  WorkerLink,
  type WorkerReport,
} from '../../../src/server/workers/worker-link.ts';
import { ACKNOWLEDGED, type FakeProcess, FakeProcesses } from './fake-process.ts';

function linked(): {
  link: WorkerLink;
  process: FakeProcess;
  report: Mock<(message: WorkerReport) => void>;
} {
  const processes = new FakeProcesses();
  const report = vi.fn<(message: WorkerReport) => void>();
  const link = new WorkerLink(processes.fork, report);
  const [process] = processes.all;
  return { link, process: process!, report };
}

/** Names of the promises that have resolved. */
async function settledOf(promises: Readonly<Record<string, Promise<unknown>>>): Promise<string[]> {
  const settled: string[] = [];
  for (const [name, promise] of Object.entries(promises)) {
    promise.then(
      () => settled.push(name),
      () => settled.push(`${name} rejected`),
    );
  }
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("the owner's end of a worker", () => {
  it('takes acknowledgements in the order of the changes', async () => {
    const { link, process } = linked();
    const first = link.push([{ kind: 'clock', offsetMs: 1 }]);
    const second = link.push([{ kind: 'clock', offsetMs: 2 }]);
    process.send({ kind: 'acknowledged', fastPathAnswers: 7 });
    expect(await settledOf({ first, second })).toEqual(['first']);
    expect(link.fastPathAnswers).toBe(7);
    process.send(ACKNOWLEDGED);
    expect(await settledOf({ first, second })).toEqual(['first', 'second']);
  });

  it('waits for nothing of a process that has ended', async () => {
    const { link, process } = linked();
    const before = link.push([]);
    process.exit();
    const after = link.push([]);
    expect(await settledOf({ before, after, ended: link.ended })).toEqual([
      'before',
      'after',
      'ended',
    ]);
    expect(await settledOf({ loaded: link.loaded, ready: link.ready })).toEqual([
      'loaded rejected',
      'ready rejected',
    ]);
  });

  it('calls a worker silent after some beats without a sign of life', () => {
    const { link, process } = linked();
    process.send({ kind: 'loaded' });
    process.send({ kind: 'ready' });
    expect(link.beat()).toBe(false);
    for (let beat = 1; beat < BEATS_PER_SILENCE; beat++) expect(link.beat()).toBe(false);
    process.send(ACKNOWLEDGED);
    for (let beat = 0; beat < BEATS_PER_SILENCE; beat++) expect(link.beat()).toBe(false);
    expect(link.beat()).toBe(true);
  });

  it('gives a worker more time to start', () => {
    const { link, process } = linked();
    process.send({ kind: 'loaded' });
    const beats = Array.from({ length: 120 }, () => link.beat());
    expect(beats.indexOf(true)).toBe(119);
  });

  it('passes a failure on as the error that it is', async () => {
    const { link, process } = linked();
    process.send({ kind: 'failed', code: 'PORT_IN_USE', message: 'Port 1 is in use.' });
    await expect(link.ready).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: 'Port 1 is in use.',
    });
  });

  it('reports what concerns the service', () => {
    const { process, report } = linked();
    process.send({ kind: 'broken', status: 400 });
    process.send({ kind: 'ready' });
    expect(report.mock.calls).toEqual([[{ kind: 'broken', status: 400 }]]);
  });
});
