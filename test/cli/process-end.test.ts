import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunDocument } from '../../src/documents/run-document.ts';
import { HOSTILE, type HostileTarget, startHostileTarget } from '../support/hostile-target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Tests of how a process ends: each waits for its end, and for nothing else. */

const LAUNCHER = fileURLToPath(new URL('../../bin/fareproof.js', import.meta.url));

const children: ChildProcess[] = [];
const targets: HostileTarget[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const target of targets.splice(0)) target.close();
});

/** Starts a target, and writes its profile into a folder. */
async function openTarget(
  way: keyof typeof HOSTILE,
  grants: boolean,
  control?: { readonly url: string },
): Promise<{ target: HostileTarget; cwd: string }> {
  const target = await startHostileTarget(HOSTILE[way]!, grants);
  targets.push(target);
  const cwd = temporaryFolder();
  const profile = {
    name: 'hostile',
    baseUrl: target.baseUrl,
    local: true,
    partners: [{ id: 'a', signingKey: 'key', authCodes: ['code'] }],
    estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
    control,
  };
  writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(profile));
  return { target, cwd };
}

/** Starts the program. */
function start(args: readonly string[], cwd: string): ChildProcess {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd,
    env: { ...process.env, XDG_STATE_HOME: join(cwd, 'state') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

/** Exit code of a process; null if a signal has ended it. */
async function exitOf(child: ChildProcess): Promise<number | null> {
  child.stdout?.resume();
  child.stderr?.resume();
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

const TARGET = ['--target', 'target.yaml', '--out', 'out'];
const CHECK = ['check', ...TARGET, '--rule', 'token/nostr-length'];
const LOAD = ['load', ...TARGET, '--connections', '2', '--duration', '100ms', '--warmup', '0'];
const IMPATIENT = ['--timeout', '300ms'];

describe('a command ends with its verdict, though its target keeps every connection', () => {
  /** Exit code of a command, and the one of its document. */
  const endOf = async (args: readonly string[], way: string, grants: boolean) => {
    const { cwd } = await openTarget(way, grants);
    const code = await exitOf(start(args, cwd));
    const { exit } = JSON.parse(readFileSync(join(cwd, 'out', 'run.json'), 'utf8')) as RunDocument;
    return { code, documented: exit?.code };
  };
  const QUICK = ['chunked', 'header outside ASCII'];
  const OTHERS = Object.keys(HOSTILE).filter((way) => !QUICK.includes(way));

  it.each(QUICK)('check: %s', async (way) => {
    const { code, documented } = await endOf(CHECK, way, false);
    expect(code).toBe(documented);
  });

  it.each(OTHERS)('check: %s', { tags: ['long'] }, async (way) => {
    const { code, documented } = await endOf([...CHECK, ...IMPATIENT], way, false);
    expect(code).toBe(documented);
  });

  it.each(Object.keys(HOSTILE))('load: %s', { tags: ['long'] }, async (way) => {
    const { code, documented } = await endOf([...LOAD, ...IMPATIENT], way, true);
    expect(code).toBe(documented);
  });
});

describe('one signal ends a command', () => {
  /** Exit code of a process that gets a signal as soon as it has sent a request. */
  const exitOnceAsked = (child: ChildProcess, target: HostileTarget): Promise<number | null> => {
    target.onRequest = () => {
      target.onRequest = () => undefined;
      child.kill('SIGTERM');
    };
    return exitOf(child);
  };

  it.each<[string, readonly string[], boolean]>([
    ['check', ['check', ...TARGET, '--rule', 'estimate/platform', '--timeout', '1h'], true],
    ['check, before it has a token', [...CHECK, '--timeout', '1h'], false],
    ['load', ['load', ...TARGET, '--connections', '2', '--duration', '1h'], true],
    ['load, before it has a token', LOAD, false],
  ])('while its target is silent: %s', { tags: ['long'] }, async (_name, args, grants) => {
    const { target, cwd } = await openTarget('silence', grants);
    expect(await exitOnceAsked(start(args, cwd), target)).toBe(130);
  });

  it('while a control API is silent', { tags: ['long'] }, async () => {
    const silent = await startHostileTarget(HOSTILE['silence']!, false);
    targets.push(silent);
    const { cwd } = await openTarget('usual answer', true, { url: silent.baseUrl });
    const child = start([...CHECK, '--timeout', '1h'], cwd);
    expect(await exitOnceAsked(child, silent)).toBe(130);
  });

  it('whose output is not read', async () => {
    const { cwd } = await openTarget('usual answer', true);
    // The document of these rules is longer than a pipe.
    const child = start(['check', ...TARGET, '--rule', 'estimate/*', '--json'], cwd);
    // The folder is named when all is judged, and before it is printed.
    for await (const text of child.stderr!.setEncoding('utf8') as AsyncIterable<string>)
      if (text.includes('report: ')) break;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    // The code of the verdict, if the signal came first.
    const [code] = (await ended) as [number | null];
    expect([1, 130]).toContain(code);
  });
});

it('a command ends, though a module of custom rules keeps something open', {
  tags: ['long'],
}, async () => {
  const { cwd } = await openTarget('usual answer', true);
  writeFileSync(
    join(cwd, 'rules.mjs'),
    `setInterval(() => undefined, 1_000);
export const rules = [];`,
  );
  const child = start([...CHECK, '--rules-module', 'rules.mjs'], cwd);
  expect(typeof (await exitOf(child))).toBe('number');
});
