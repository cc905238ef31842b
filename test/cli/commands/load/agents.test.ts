import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LoadDocument } from '../../../../src/documents/load.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const LAUNCHER = fileURLToPath(new URL('../../../../bin/fareproof.js', import.meta.url));
const folder = temporaryFolderOfFile();

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function startLoad(...flags: readonly string[]): ChildProcess {
  const args = [LAUNCHER, 'load', '--json', '--out', join(folder, 'run'), ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

/** Ids of the agents that a process has started. */
function agentsOf({ pid }: ChildProcess): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statusOf(Number(name)).includes(`PPid:\t${pid}\n`))
    .map(Number);
}

/** Empty for a process that is gone; one that nobody has waited for yet is a zombie. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

const isGone = (pid: number): boolean => /^(|.*State:\tZ.*)$/s.test(statusOf(pid));

async function finish(child: ChildProcess): Promise<{ code: number; run: LoadDocument }> {
  const [stdout, [code]] = await Promise.all([text(child.stdout!), once(child, 'close')]);
  return { code: code as number, run: JSON.parse(stdout) as LoadDocument };
}

const LONG = ['--agents', '2', '--rate', '200', '--warmup', '0s'];

describe('load --agents', () => {
  it('runs the load in processes of its own, which end with it', { tags: ['long'] }, async () => {
    const child = startLoad(...LONG, '--duration', '1s');
    await vi.waitUntil(() => agentsOf(child).length === 2, 60_000);
    const agents = agentsOf(child);
    const { run } = await finish(child);
    expect(run.achieved).toMatchObject({ planned: 200, ok: 200 });
    expect(run.agents?.map(({ name, sent }) => [name, sent])).toEqual([
      ['agent-1', 100],
      ['agent-2', 100],
    ]);
    await vi.waitUntil(() => agents.every(isGone), 60_000);
  });

  it.each([
    ['SIGKILL', 'ended'],
    ['SIGSTOP', 'silent'],
  ] as const)(
    'notices an agent that gets %s, and the run is invalid',
    { tags: ['long'] },
    async (signal, how) => {
      const child = startLoad(...LONG, '--duration', '60s', '--on-lost', 'stop');
      let progress = '';
      child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (progress += chunk));
      await vi.waitUntil(() => progress !== '', 60_000);
      const [first] = agentsOf(child);
      process.kill(first!, signal);
      const { code, run } = await finish(child);
      expect(code).toBe(3);
      expect(run.verdict).toBe('invalid');
      expect(run.agents?.flatMap(({ lost }) => lost?.how ?? [])).toEqual([how]);
      await vi.waitUntil(() => isGone(first!), 60_000);
    },
  );

  it('leaves no agent behind when its process is killed', { tags: ['long'] }, async () => {
    const child = startLoad(...LONG, '--duration', '60s');
    await vi.waitUntil(() => agentsOf(child).length === 2, 60_000);
    const agents = agentsOf(child);
    child.kill('SIGKILL');
    await vi.waitUntil(() => agents.every(isGone), 60_000);
    expect(agents.map(isGone)).toEqual([true, true]);
  });

  it.each([
    [['--agents', '0'], 'LOAD_OPTIONS_INVALID'],
    [['--on-lost', 'stop'], 'LOAD_OPTIONS_INVALID'],
  ])('refuses %j', async (flags, code) => {
    const { stderr, exitCode } = await runCaptured(['load', ...flags]);
    expect(stderr).toContain(`error ${code}:`);
    expect(exitCode).toBe(2);
  });

  it.each([
    [['--agents', '2', '--engine', 'autocannon'], 'ENGINE_LACKS_OPTION'],
    [['--agents', '2', '--workers', '2', '--connections', '3'], 'LOAD_OPTIONS_INVALID'],
  ])('refuses %j once its agents have joined', { tags: ['long'] }, async (flags, code) => {
    const child = startLoad(...flags);
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
    expect(stderr).toContain(`error ${code}:`);
    expect(exitCode).toBe(2);
  });
});
