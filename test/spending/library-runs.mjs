// A team's test suite: judges a service and puts load on it, by the library and the matchers, run after run.
//
//   node library-runs.mjs PACKAGE PROFILE RUNS
//
// PACKAGE is the folder of the compiled package, PROFILE a file with a target profile as JSON. Prints the
// codes of the errors that ended runs, and how often each came, as JSON.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [folder = '', file = '', runs = '1'] = process.argv.slice(2);
const load = (/** @type {string} */ name) => import(pathToFileURL(`${folder}/${name}`).href);
const { checkService, runLoad } = await load('index.js');
const { assertConforms, assertHoldsLoad } = await load('testing/matchers.js');
const target = JSON.parse(readFileSync(file, 'utf8'));

const rules = ['token/grant-*', 'token/nostr-*', 'lifecycle/refresh-*'];
const brief = { rate: 20, duration: 50, warmup: 0 };
const ways = [
  () => assertConforms(target, { rules }),
  () => assertHoldsLoad(target, brief),
  () => checkService({ target, rules, timeout: '1m' }),
  () => runLoad({ ...brief, target }),
  () => runLoad({ ...brief, target, as: 'user' }),
];

/** @type {Record<string, number>} */
const ended = {};
for (let run = 0; run < Number(runs); run++) {
  for (const way of ways) {
    const code = await way().then(
      () => 'ok',
      (/** @type {Error & { code?: string }} */ error) => error.code ?? error.message,
    );
    ended[code] = (ended[code] ?? 0) + 1;
  }
}
process.stdout.write(JSON.stringify(ended));
