import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/support/long-first.ts';

/** The ledger of whoever runs the tests is theirs. */
const stateFolder = mkdtempSync(join(tmpdir(), 'fareproof-state-'));
process.on('exit', () => rmSync(stateFolder, { recursive: true, force: true }));

export default defineConfig({
  test: {
    env: { FAREPROOF_STATE_DIR: '', XDG_STATE_HOME: stateFolder },
    pool: 'forks',
    // Tests wait a good part of their time. By default vitest leaves one core free.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongFirst },
    // Limits end a hang; nothing is measured by them, so that no machine is too slow for them. Two cores
    // with ten times as many busy processes took 122 s for one test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    tags: [{ name: 'long', description: 'Left out by `npm test`, run by `npm run test:all`.' }],
    passWithNoTests: false,
    include: ['test/**/*.test.ts'],
    // One process runs many files: its modules are loaded, and its code compiled, once.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
