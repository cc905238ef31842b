// @module-tag long
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, it } from 'vitest';
import { parseDocument } from '../../src/documents/run-document.ts';
import { runCaptured } from '../support/captured-io.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolderOfFile();

const built = (name: string): string => join(folder, name);
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The clients: how one sees that the language is there, how they are built and run, as examples/README.md says. */
const EXAMPLES = [
  {
    name: 'typescript',
    probe: [process.execPath, '--version'],
    build: [process.execPath, compiler, '-p', 'examples/typescript', '--outDir', built('ts')],
    run: [process.execPath, join(built('ts'), 'client.js')],
  },
  {
    name: 'python',
    probe: ['python3', '--version'],
    run: ['python3', 'examples/python/client.py'],
  },
  { name: 'php', probe: ['php', '--version'], run: ['php', 'examples/php/client.php'] },
  {
    name: 'go',
    probe: ['go', 'version'],
    build: ['go', 'build', '-o', built('go-client'), 'examples/go/client.go'],
    run: [built('go-client')],
  },
  {
    name: 'java',
    probe: ['javac', '-version'],
    build: ['javac', '-d', built('java'), 'examples/java/Client.java', 'examples/java/Json.java'],
    run: ['java', '-cp', built('java'), 'Client'],
  },
];

function succeeds([command = '', ...args]: readonly string[]): { ok: boolean; text: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  return { ok: status === 0, text: stdout + stderr };
}

/** Lets the compiled TypeScript find its packages. */
beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

describe.concurrent('the example in', { timeout: 300_000 }, () => {
  it.for(EXAMPLES)('$name is conformant', async ({ name, probe, build, run }, { expect, skip }) => {
    skip(!succeeds(probe).ok, `${probe[0]} is not installed`);
    if (build !== undefined) expect(succeeds(build)).toMatchObject({ ok: true });
    const out = join(folder, `${name}-run`);
    const args = ['certify', '--orders', 'yes', '--json', '--strict', '--out', out, '--', ...run];
    const { exitCode, stdout, stderr } = await runCaptured(args, {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '' },
    });
    const document = parseDocument(JSON.parse(stdout));
    const rules = document.kind === 'conformance' ? document.rules : [];
    const notPassed = rules.filter(({ verdict }) => verdict !== 'pass');
    expect(notPassed.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    expect(rules).toHaveLength(32);
    expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  });
});
