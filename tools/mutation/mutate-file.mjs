// Mutates one file, as run.mjs asks; a process of its own, which leads a group of processes.

import { once } from 'node:events';
import { Stryker } from '@stryker-mutator/core';

/** Loops and waits end earlier, see test-runner.mjs. */
const LONGEST_MS = 600_000;

/**
 * @typedef {object} Task
 * @property {string} area
 * @property {string} source
 * @property {boolean} force
 *
 * @typedef {Awaited<ReturnType<Stryker['runMutationTest']>>} Mutants
 */

/**
 * @param {Task} task
 * @returns {Promise<Mutants>}
 */
const mutate = ({ area, source, force }) =>
  new Stryker({
    mutate: [source],
    testRunner: 'watched-vitest',
    plugins: [
      import.meta.resolve('@stryker-mutator/vitest-runner'),
      import.meta.resolve('./test-runner.mjs'),
    ],
    vitest: { configFile: 'tools/mutation/vitest.config.mjs', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: LONGEST_MS,
    incremental: true,
    // One for each file: what is found is kept if a later file is not reached.
    incrementalFile: `reports/mutation/${area}/${source.replaceAll('/', '.')}.json`,
    force,
    // Most strings are messages, and the types hold the others.
    mutator: { excludedMutations: ['StringLiteral'] },
    reporters: ['progress-append-only'],
    tempDirName: 'reports/mutation/sandbox',
    ignorePatterns: ['/build', '/dist', '/docs', '/examples'],
    // Stryker would rewrite it with a function of the compiler that TypeScript 7 lacks.
    tsconfigFile: 'none',
    disableTypeChecks: false,
  }).runMutationTest();

// If run.mjs ends, however that comes, so does this with all processes that Stryker started.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));

const [task] = await once(process, 'message');
process.send?.(await mutate(task));
