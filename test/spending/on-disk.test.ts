// @module-tag long
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { describeProfile, startServer } from '../../src/server/index.ts';
import { compiledPackage } from '../support/compiled.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const compiled = compiledPackage();
const isRequired = process.env['FAREPROOF_REQUIRE_STRACE'] === '1';
const hasStrace = isRequired || spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
if (!hasStrace) console.warn('Skipped: requests are on disk before they are sent. No strace here.');

/** A system call of the traced process: a write or a sync, and the file or socket that it was on. */
interface Call {
  readonly kind: 'write' | 'sync';
  readonly file: string;
  readonly text: string;
}

/** Reads what `strace -yy` wrote; calls that another thread interrupted are joined. */
function readCalls(trace: string): Call[] {
  const open = new Map<string, string>();
  return trace.split('\n').flatMap((line) => {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (rest.endsWith('<unfinished ...>')) {
      open.set(thread, rest);
      return [];
    }
    const whole = rest.startsWith('<... ') ? `${open.get(thread) ?? ''}${rest}` : rest;
    const [, name = '', file = ''] = /^(\w+)\(\d+<([^>]*)>/.exec(whole) ?? [];
    const kind = name.includes('sync') ? 'sync' : 'write';
    return name === '' ? [] : [{ kind, file, text: whole } as const];
  });
}

it.runIf(hasStrace)(
  'each token request is in ledger and log on disk before it is sent',
  async () => {
    const folder = temporaryFolder();
    const server = await startServer({
      partners: [{ id: 'p-1', signingKey: 'key', use: 'general', authCodes: [] }],
    });
    onTestFinished(() => server.close(0));
    const profile = { ...describeProfile(server), local: undefined };
    writeFileSync(join(folder, 'target.yaml'), JSON.stringify(profile));
    const launcher = JSON.stringify(pathToFileURL(compiled.path('cli/launch.js')).href);
    writeFileSync(
      join(folder, 'launch.mjs'),
      `const { launch } = await import(${launcher});\nawait launch();\n`,
    );
    const calls = 'write,pwrite64,writev,sendto,sendmsg,fsync,fdatasync';
    const tracing = ['-f', '-yy', '-s', '400', '-o', 'trace', '-e', `trace=${calls}`];
    const rules = ['--rule', 'token/nostr-length', '--rule', 'token/grant-refresh-token'];
    const check = ['launch.mjs', 'check', '--target', 'target.yaml', '--out', 'out', ...rules];
    const child = spawn('strace', [...tracing, process.execPath, ...check], {
      cwd: folder,
      env: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    const seen = readCalls(readFileSync(join(folder, 'trace'), 'utf8'));
    const requests = seen.flatMap(({ text }, at) =>
      text.includes('POST /v1/oauth/token') ? [at] : [],
    );
    expect(requests.length).toBeGreaterThanOrEqual(4);
    let from = 0;
    for (const request of requests) {
      const before = seen.slice(from, request);
      for (const [name, line] of [
        ['ledger.jsonl', '\\"kinds\\"'],
        ['progress.jsonl', '\\"sending\\"'],
      ] as const) {
        const of = before.filter(({ file }) => file.endsWith(name));
        const written = of.findLastIndex(
          ({ kind, text }) => kind === 'write' && text.includes(line),
        );
        const synced = of.findLastIndex(({ kind }) => kind === 'sync');
        expect([name, written >= 0, synced > written]).toEqual([name, true, true]);
      }
      from = request + 1;
    }
    // The file is there after a crash, not only its lines.
    const folderSync = seen.findIndex(
      ({ kind, file }) => kind === 'sync' && file.endsWith('state/fareproof'),
    );
    expect(folderSync).toBeGreaterThanOrEqual(0);
    expect(folderSync).toBeLessThan(requests[0] ?? 0);
  },
);
