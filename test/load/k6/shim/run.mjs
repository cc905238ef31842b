// Runs a script of k6 one iteration after the other, and prints what it did as JSON:
//   node run.mjs SCRIPT NOW [--no-setup]      NOW in ms since the epoch, the time at which the run starts
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Aborted, record, scenario } from './record.mjs';

const [, , path = '', now, noSetup] = process.argv;
const startMs = Number(now);
let nowMs = startMs;
Date.now = () => nowMs;
Object.assign(globalThis, {
  open: (/** @type {string} */ file) => readFileSync(resolve(dirname(path), file), 'utf8'),
});

const script = await import(pathToFileURL(path).href);
let aborted = null;
try {
  if (noSetup === undefined) script.setup();
  for (const [name, options] of Object.entries(script.options.scenarios))
    runScenario(name, options);
} catch (error) {
  if (!(error instanceof Aborted)) throw error;
  aborted = error.message;
}
process.stdout.write(JSON.stringify({ ...record, aborted, options: script.options }));

/**
 * @param {string} name
 * @param {{ startTime?: string, exec?: string }} options
 */
function runScenario(name, options) {
  const { count, durationMs } = iterationsOf(options);
  const beginMs = startMs + msOf(options.startTime ?? '0s');
  for (let index = 0; index < count; index++) {
    nowMs = beginMs + (index / count) * durationMs;
    Object.assign(scenario, { name, iterationInTest: index, startTime: beginMs });
    script[options.exec ?? 'default']();
  }
}

/** Iterations of a scenario; of a closed model as many as it has VUs. */
function iterationsOf({ duration, vus, rate, timeUnit, startRate, stages }) {
  if (vus !== undefined) return { count: vus, durationMs: msOf(duration) };
  if (rate !== undefined) {
    return { count: (rate * msOf(duration)) / msOf(timeUnit), durationMs: msOf(duration) };
  }
  let [from, count, durationMs] = [startRate, 0, 0];
  for (const { target, duration: stageDuration } of stages) {
    count += (((from + target) / 2) * msOf(stageDuration)) / msOf(timeUnit);
    durationMs += msOf(stageDuration);
    from = target;
  }
  return { count: Math.floor(count), durationMs };
}

/** @param {string} duration */
function msOf(duration) {
  return duration.endsWith('ms')
    ? Number(duration.slice(0, -2))
    : Number(duration.slice(0, -1)) * 1000;
}
