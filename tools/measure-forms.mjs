// Prints which forms of the independent service `check` detects, and which other rules it accuses.
//
//   node tools/measure-forms.mjs [--seed N] [--update]
//
//   --seed    which of five answers are broken by forms that break one; default another each time
//   --update  writes what was found to test/independent-service/forms/not-yet-detected.json

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** @typedef {{ subject: string, form: string, mode: 'control' | 'metered', verdict: string, accused: string[] }} Row */

const FOLDER = 'test/independent-service/forms';
const LIST = `${FOLDER}/not-yet-detected.json`;

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    update: { type: 'boolean', default: false },
  },
});

/** @returns {Row[]} */
function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-forms-'));
  const file = join(folder, 'rows.jsonl');
  try {
    const env = {
      ...process.env,
      FAREPROOF_FORMS: 'all',
      FAREPROOF_FORMS_ROWS: file,
      FAREPROOF_FUZZ_SEED: flags.seed,
    };
    const files = ['control', 'metered'].map((mode) => `${FOLDER}/${mode}.test.ts`);
    spawnSync('npx', ['vitest', 'run', '--reporter', 'dot', ...files], { env, stdio: 'ignore' });
    if (!existsSync(file))
      throw new Error('no form was judged; run vitest on the folder to see why');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Row} row */
const isDetected = ({ verdict }) => verdict === 'fail' || verdict === 'warn';

console.log(`seed ${flags.seed}`);
const rows = measure();
for (const { form, mode, verdict, accused } of rows)
  console.log([mode.padEnd(8), verdict.padEnd(13), form, ...accused].join('  '));
if (flags.update) {
  const sorted = rows.toSorted((a, b) => (a.form < b.form ? -1 : 1));
  const byMode = (/** @type {(rows: Row[]) => unknown} */ of) =>
    Object.fromEntries(
      ['control', 'metered'].map((mode) => [mode, of(sorted.filter((row) => row.mode === mode))]),
    );
  const list = {
    undetected: byMode((some) => some.filter((row) => !isDetected(row)).map(({ form }) => form)),
    accused: byMode((some) =>
      Object.fromEntries(
        some.filter((row) => row.accused.length > 0).map((row) => [row.form, row.accused]),
      ),
    ),
  };
  writeFileSync(LIST, `${JSON.stringify(list, null, 2)}\n`);
}
