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

const has = (command: string): boolean =>
  spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

const TYPESCRIPT = join(folder, 'typescript');

/** Node 20 does not run TypeScript: compiles the example, as examples/README.md says. */
beforeAll(() => {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, '-p', 'examples/typescript', '--outDir', TYPESCRIPT],
    { cwd: ROOT, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stdout);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

const EXAMPLES: readonly (readonly [string, readonly string[]])[] = [
  ['typescript', [process.execPath, join(TYPESCRIPT, 'client.js')]],
  ...(has('python3') ? [['python', ['python3', 'examples/python/client.py']] as const] : []),
  ...(has('php') ? [['php', ['php', 'examples/php/client.php']] as const] : []),
];

describe.concurrent('the example in', { timeout: 300_000 }, () => {
  it.for(EXAMPLES)('%s is conformant', async ([name, command], { expect }) => {
    const out = join(folder, `${name}-run`);
    const args = [
      'certify',
      '--orders',
      'yes',
      '--json',
      '--strict',
      '--out',
      out,
      '--',
      ...command,
    ];
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
