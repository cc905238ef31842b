// Time of each step of an estimate: npm run bench

import { cpus, loadavg } from 'node:os';
import { measureSteps, systemClock } from '../build/load/index.js';
import { cryptoRandom, fastPathSteps, WHOLE_REQUEST, wallClock } from '../build/server/index.js';

const now = wallClock.now();
const steps = fastPathSteps({ now: () => now }, cryptoRandom());
/** @type {Map<string, number>} */
const nsOf = new Map();
await measureSteps({
  steps,
  whole: WHOLE_REQUEST,
  clock: systemClock(),
  onStep: ({ name, nsMedian }) => nsOf.set(name, nsMedian),
});
const wholeNs = nsOf.get(WHOLE_REQUEST) ?? Number.NaN;

console.log(
  `${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()
    .map((load) => load.toFixed(2))
    .join(' ')}; medians\n`,
);
const width = Math.max(...steps.map(({ name }) => name.length));
/** @param {string} name @param {number} ns @param {string} more */
const row = (name, ns, more) =>
  console.log(`| ${name.padEnd(width)} | ${ns.toFixed(0).padStart(8)} | ${more} |`);
console.log(`| ${'step'.padEnd(width)} |       ns | operations/s |`);
console.log(`| ${'-'.repeat(width)} | -------- | ------------ |`);
for (const [name, ns] of nsOf)
  row(
    name,
    ns,
    Math.round(1e9 / ns)
      .toLocaleString('en')
      .padStart(12),
  );

console.log(`\nBudget of an estimate (${WHOLE_REQUEST}), without the kernel and the socket:\n`);
console.log(`| ${'step'.padEnd(width)} |       ns | share |`);
console.log(`| ${'-'.repeat(width)} | -------- | ----- |`);
let rest = wholeNs;
const share = (/** @type {number} */ ns) => `${((100 * ns) / wholeNs).toFixed(0)} %`.padStart(5);
for (const { name, isOfEachRequest } of steps) {
  const ns = nsOf.get(name) ?? 0;
  if (!isOfEachRequest) continue;
  row(name, ns, share(ns));
  rest -= ns;
}
row('rest of the request', rest, share(rest));
row('whole request', wholeNs, share(wholeNs));
