// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { LoadDocument } from '../../src/documents/load.ts';
import { freePort } from '../support/free-port.ts';
import { HOW_TO_GET_NATS_SERVER, NATS_SERVER } from '../support/nats-server.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';

if (NATS_SERVER === null) console.warn(`\n!!! ${HOW_TO_GET_NATS_SERVER}\n`);

const folder = temporaryFolderOfFile();
const DEPLOY = new URL('../../deploy/', import.meta.url);
const COMMAND = fileURLToPath(new URL('../../bin/fareproof.js', import.meta.url));

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
}

/** Values of the variables of the file; the others have the default that it states. */
const VARIABLES: Readonly<Record<string, string>> = {
  FAREPROOF_JOIN_TOKEN: 'join-token-of-test',
  FARES_SIGNING_KEY: 'signing-key-of-test',
  RATE: '100',
  DURATION: '2s',
};

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Without containers, the services share a machine: each has a port of its own in place of a name. */
async function composeServices(): Promise<Record<string, Service>> {
  const [nats, target] = [await freePort(), await freePort()];
  const localized = (text: string): string =>
    text
      .replaceAll(
        /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
        (_, name: string, or = '') => VARIABLES[name] ?? or,
      )
      .replaceAll('nats:4222', `127.0.0.1:${nats}`)
      .replaceAll('target:8080', `127.0.0.1:${target}`)
      .replaceAll('"8080"', `"${target}"`)
      .replaceAll('0.0.0.0', '127.0.0.1')
      .replaceAll('port: 4222', `listen: 127.0.0.1:${nats}`)
      .replaceAll('/etc/nats/', `${folder}/`)
      .replaceAll('/tmp/jetstream', `${folder}/jetstream`)
      .replaceAll('/etc/fareproof/', `${folder}/`)
      .replaceAll('/data/', `${folder}/`);
  for (const name of ['nats.conf', 'target.yaml'])
    writeFileSync(join(folder, name), localized(readFileSync(new URL(name, DEPLOY), 'utf8')));
  copyFileSync(new URL('partners.yaml', DEPLOY), join(folder, 'partners.yaml'));
  const text = localized(readFileSync(new URL('compose.yaml', DEPLOY), 'utf8'));
  return (parse(text, { merge: true }) as { services: Record<string, Service> }).services;
}

function start({ command, environment }: Service, program: readonly string[]) {
  const [file = '', ...before] = program;
  const child = spawn(file, [...before, ...command], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (output += part));
  const says = async (words: string): Promise<void> => {
    await expect.poll(() => output, { timeout: 60_000 }).toContain(words);
  };
  return { says, ended: once(child, 'close') as Promise<[number | null]>, output: () => output };
}

test.runIf(NATS_SERVER !== null)(
  'the services of compose.yaml put their load on the target together',
  async () => {
    const fareproof = [process.execPath, COMMAND];
    const services = await composeServices();
    const { nats, target, agent, controller } = services;
    await start(nats!, [NATS_SERVER!]).says('Server is ready');
    await start(target!, fareproof).says('Stop with Ctrl-C');
    const agents = Array.from({ length: agent?.deploy?.replicas ?? 0 }, () =>
      start(agent!, fareproof),
    );
    const load = start(controller!, fareproof);
    const [exitCode] = await load.ended;
    const exits = await Promise.all(agents.map(({ ended }) => ended));
    const path = join(folder, 'reports/load/run.json');
    const document = JSON.parse(readFileSync(path, 'utf8')) as LoadDocument;
    // Whether the machine had the cores for the generators, and for the target, is not what is tested.
    const seen = { isJudged: [0, 1, 3].includes(exitCode as number), output: load.output() };
    expect(seen).toMatchObject({ isJudged: true });
    expect(exits.map(([code]) => code)).toEqual([0, 0]);
    expect(document.achieved).toMatchObject({ planned: 200, ok: 200, failed: 0 });
    expect(document.agents?.map(({ sent }) => sent)).toEqual([100, 100]);
    for (const text of [load.output(), readFileSync(path, 'utf8')])
      expect(text).not.toMatch(/-of-test/);
  },
);
