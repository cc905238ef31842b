import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ConformanceDocument } from '../../../../src/documents/conformance.ts';
import type { ReplayDocument } from '../../../../src/documents/replay.ts';
import { describeProfile, type RunningServer, startServer } from '../../../../src/server/index.ts';
import { type Outcome, runCaptured } from '../../../support/captured-io.ts';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const PARTNERS = [
  { id: 'p-1', signingKey: 'key-of-p-1', use: 'general' as const, authCodes: ['c1', 'c2'] },
];

/** Accepts a nostr of any length. */
let faulty: RunningServer;
let sound: RunningServer;
const cwd = temporaryFolderOfFile();
let document: ConformanceDocument;

beforeAll(async () => {
  faulty = await startServer({ partners: PARTNERS, faults: ['token/nostr-length'] });
  sound = await startServer({ partners: PARTNERS, controlPort: 0 });
  write('faulty.yaml', { ...describeProfile(faulty), control: undefined });
  write('sound.yaml', describeProfile(sound));
  write('metered.yaml', { ...describeProfile(sound), control: undefined, local: undefined });
  write('local.yaml', { ...describeProfile(sound), control: undefined });
  const args = ['check', '--target', 'faulty.yaml', '--rule', 'token/nostr-length', '--out', 'run'];
  await runCaptured(args, { cwd });
  document = JSON.parse(readFileSync(join(cwd, 'run/run.json'), 'utf8')) as ConformanceDocument;
});

const silent: Server[] = [];

afterEach(() => {
  for (const one of silent.splice(0)) {
    one.closeAllConnections();
    one.close();
  }
});

afterAll(async () => {
  await Promise.all([faulty.close(0), sound.close(0)]);
});

const write = (name: string, content: unknown): void =>
  writeFileSync(join(cwd, name), JSON.stringify(content));

const replay = (...args: string[]): Promise<Outcome> => runCaptured(['replay', ...args], { cwd });

/** Id of the first negative exchange. */
const wrong = (): string =>
  document.exchanges.find(({ purpose }) => purpose.startsWith('negative: '))?.id ?? '';

const right = (): string =>
  document.exchanges.find(({ purpose }) => purpose.includes(': a well-formed platform'))?.id ?? '';

describe('fareproof replay', () => {
  it('exits 1 while a request that must be refused is accepted, and 0 once it is refused', async () => {
    const before = await replay('run', wrong(), '--target', 'faulty.yaml');
    expect(before.exitCode).toBe(1);
    expect(before.stdout).toMatch(/^NOT AS EXPECTED {2}x\d+ of run\/run\.json/);
    expect(before.stdout).toContain('Exit 1: accepted (status 200), and it must be refused');
    expect(before.stdout).toMatch(/Counted\n {2}1 platform request of partner p-1\n/);
    const after = await replay('run/run.json', wrong(), '--target', 'sound.yaml');
    expect(after.exitCode).toBe(0);
    expect(after.stdout).toMatch(
      /\nResponse +now +in the run\n(.*\n)* {2}response +status 400 +status 200\n/,
    );
    for (const heading of [
      'Regenerated',
      'Unchanged',
      'Request',
      'Signed text',
      'Body now',
      'Body in the run',
      'To judge the rule',
    ])
      expect(after.stdout).toContain(`\n${heading}\n`);
    expect(after.stdout).toContain(
      '\n  fareproof check --target faulty.yaml --rule token/nostr-length\n',
    );
    expect(after.stdout).not.toContain('key-of-p-1');
  });

  it('prints JSON by its schema, and nothing else', async () => {
    const { exitCode, stdout } = await replay('run', wrong(), '--target', 'sound.yaml', '--json');
    const json = JSON.parse(stdout) as ReplayDocument;
    expect(json).toMatchObject({
      kind: 'replay',
      verdict: 'as-expected',
      expected: 'refused',
      spend: null,
    });
    expect(json.former).toEqual(document.exchanges.find(({ id }) => id === wrong()));
    expect(json.now.signed?.key).toBe('own');
    expect(exitCode).toBe(0);
  });

  it('lists the exchanges of broken rules, and why one cannot be sent again', async () => {
    const { exitCode, stdout } = await replay('run');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^token\/nostr-length\n/);
    expect(stdout).toMatch(new RegExp(`^ {2}${wrong()} .*200 {2}expected a refusal: `, 'm'));
  });

  it('sends nothing once the allowance is used up', async () => {
    const used = ['--ledger', 'used.jsonl', '--target', 'metered.yaml'];
    for (let at = 0; at < 10; at++) await replay('run', right(), ...used);
    const refused = await replay('run', right(), ...used);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toMatch(
      /^error ALLOWANCE_USED_UP: Nothing was sent: it needs up to 1 platform token request, .*What helps: .*: restart .*; or wait until /,
    );
    // A service of one's own is asked, and a refusal is not taken for its answer.
    const local = ['--ledger', 'used.jsonl', '--target', 'local.yaml'];
    const asked = await replay('run', right(), ...local);
    expect(asked.exitCode).toBe(3);
    expect(asked.stderr).toContain(
      'its allowances are used up: restart it, or give it a control API',
    );
  });

  it.each([
    ['a file that is not there', ['nowhere.json', 'x1'], 'FILE_NOT_READ', 'nowhere.json'],
    ['an exchange that is not there', ['run', 'x9999'], 'EXCHANGE_UNKNOWN', 'it has x1 to x'],
    ['an id without its letter', ['run', '2'], 'EXCHANGE_UNKNOWN', 'Did you mean x2?'],
    ['a run on another target, without its profile', ['run', 'x2'], 'TARGET_MISSING', '--target'],
    ['a wrong time', ['run', 'x2', '--timeout', 'soon'], 'DURATION_INVALID', '--timeout'],
    ['a profile as run', ['faulty.yaml', 'x2'], 'DOCUMENT_INVALID', 'Not a run document'],
  ])('exits 2 for %s', async (_, args, code, words) => {
    const { exitCode, stderr } = await replay(...args);
    expect(stderr).toContain(`error ${code}: `);
    expect(stderr).toContain(words);
    expect(exitCode).toBe(2);
  });

  it('refuses an exchange of a client', async () => {
    write('client.json', { ...document, side: 'client' });
    const { exitCode, stderr } = await replay('client.json', 'x1');
    expect(stderr).toContain(
      'error RUN_NOT_A_CHECK: client.json is a certification; give the run of a check',
    );
    expect(exitCode).toBe(2);
  });

  it('exits 3 for an exchange that cannot be sent again, and says why', async () => {
    const { exitCode, stderr } = await replay('run', 'x1', '--target', 'sound.yaml');
    expect(stderr).toMatch(
      /^error EXCHANGE_NOT_REPEATABLE: x1 \(.*\) cannot be sent again as what it was: it belongs to no partner/,
    );
    expect(exitCode).toBe(3);
  });

  it('exits 3 where the target does not answer', async () => {
    write('closed.yaml', {
      ...describeProfile(sound),
      control: undefined,
      baseUrl: CLOSED_ADDRESS,
    });
    const { exitCode, stderr } = await replay('run', wrong(), '--target', 'closed.yaml');
    expect(stderr).toContain('error TARGET_UNREACHABLE: ');
    expect(exitCode).toBe(3);
  });

  it('exits 3 after --timeout, and 130 when interrupted, where only the request itself is silent', {
    tags: ['long'],
  }, async () => {
    const interrupt = new AbortController();
    const mute = createServer((request, response) => {
      // Answers whether it is there, and nothing else.
      if (request.method === 'GET') response.writeHead(401).end();
      else if (interrupts) interrupt.abort();
    });
    let interrupts = false;
    silent.push(mute);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    write('mute.yaml', { ...describeProfile(sound), control: undefined, baseUrl });
    const args = ['run', wrong(), '--target', 'mute.yaml'];
    const late = await replay(...args, '--timeout', '50ms');
    expect(late.stdout).toMatch(/^INCONCLUSIVE .*\n(.*\n)*Exit 3: .*50 ms/);
    expect(late.exitCode).toBe(3);
    interrupts = true;
    const given = { cwd, interruption: interrupt.signal };
    const ended = await runCaptured(['replay', ...args], given);
    expect(ended.exitCode).toBe(130);
  });
});
