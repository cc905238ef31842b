// Stryker's runner for vitest, which also ends a mutant that loops or waits forever, and notices one
// that makes a test file fail outside of its tests.
//
// Stryker itself ends one by elapsed time only. A busy machine must not count as a test that noticed, so
// that limit is long. Here count the CPU time of the process, and the time in which it could have worked
// but had nothing to do: neither depends on other processes.

import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner';

/**
 * @typedef {{ timeout: number }} MutantRunOptions
 * @typedef {{ status: string, reason?: string, nrOfTests?: number }} MutantRunResult
 * @typedef {object} TestRunner
 * @property {() => unknown} capabilities
 * @property {() => Promise<void>} init
 * @property {(options: object) => Promise<unknown>} dryRun
 * @property {(options: MutantRunOptions) => Promise<MutantRunResult>} mutantRun
 * @property {() => Promise<void>} dispose
 *
 * @typedef {{ result?: { state: string } }} TestFile
 * @typedef {{ ctx: { state: { getFiles(): readonly TestFile[] } } }} WithVitest
 *
 * @typedef {object} Injector
 * @property {(factory: unknown) => TestRunner & WithVitest} injectFunction
 * @property {(token: 'options') => { timeoutMS: number }} resolve
 */

/** Time that a mutant may take beyond twice that of its tests. */
const SPARE_MS = 3000;

const TICK_MS = 500;
/** A tick that is later says that other processes took the time. */
const LATE_MS = 50;
/** CPU time of a tick in which nothing happened. */
const IDLE_CPU_MS = 10;

function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Resolves with the reason once this process loops or waits for longer than it may.
 *
 * @param {number} allowedMs
 * @param {AbortSignal} ended
 * @returns {Promise<string>}
 */
function overrun(allowedMs, ended) {
  return new Promise((resolve) => {
    const startCpuMs = cpuMs();
    let last = { atMs: performance.now(), cpuMs: startCpuMs };
    let idleMs = 0;
    const ticks = setInterval(() => {
      const now = { atMs: performance.now(), cpuMs: cpuMs() };
      const tookMs = now.atMs - last.atMs;
      if (tookMs < TICK_MS + LATE_MS && now.cpuMs - last.cpuMs < IDLE_CPU_MS) idleMs += tookMs;
      last = now;
      if (now.cpuMs - startCpuMs > allowedMs) resolve('The tests loop.');
      else if (idleMs > allowedMs) resolve('The tests wait.');
    }, TICK_MS);
    ended.addEventListener('abort', () => clearInterval(ticks));
  });
}

const FILE_FAILED = {
  status: 'killed',
  killedBy: [],
  failureMessage: 'A test file failed outside of its tests.',
  nrOfTests: 0,
};

/**
 * True if a test file failed in the last run, though none of its tests did: it cannot be loaded, or one
 * of its hooks failed. Stryker takes the tests of such a file for skipped ones.
 *
 * @param {WithVitest} runner
 */
const hasFailedFile = ({ ctx }) =>
  ctx.state.getFiles().some(({ result }) => result?.state === 'fail');

/**
 * @param {TestRunner & WithVitest} runner
 * @param {number} spareTimeoutMs What Stryker adds to the time of the tests.
 * @returns {TestRunner}
 */
function watched(runner, spareTimeoutMs) {
  return {
    capabilities: () => runner.capabilities(),
    init: () => runner.init(),
    dryRun: (options) => runner.dryRun(options),
    async mutantRun(options) {
      const ended = new AbortController();
      const allowedMs = 2 * (options.timeout - spareTimeoutMs) + SPARE_MS;
      const result = await Promise.race([
        runner.mutantRun(options),
        overrun(allowedMs, ended.signal).then((reason) => {
          // Nothing in this process ends such a test. Stryker starts another process.
          setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
          return { status: 'timeout', reason };
        }),
      ]);
      ended.abort();
      return result.status === 'survived' && hasFailedFile(runner) ? FILE_FAILED : result;
    },
    dispose: () => runner.dispose(),
  };
}

/** @param {Injector} injector */
function watchedVitest(injector) {
  const vitest = injector.injectFunction(vitestPlugins[0]?.factory);
  return watched(vitest, injector.resolve('options').timeoutMS);
}
watchedVitest.inject = ['$injector'];

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'watched-vitest', factory: watchedVitest },
];
