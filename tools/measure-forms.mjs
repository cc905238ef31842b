// Prints which forms of the independent service `check` detects, and which other rules it accuses.
//
//   node tools/measure-forms.mjs [--form PATTERN] [--seed N] [--update]
//
//   --form    measures the forms whose names match a regular expression only; default all
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
    form: { type: 'string', default: 'all' },
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
      FAREPROOF_FORMS: flags.form,
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
  const former = JSON.parse(readFileSync(LIST, 'utf8'));
  const measured = new Set(rows.map(({ form }) => form));
  /** @type {(form: string) => boolean} */
  const isLeft = (form) => flags.form !== 'all' && !measured.has(form);
  const byMode = (/** @type {(rows: Row[], mode: string) => unknown} */ of) =>
    Object.fromEntries(
      ['control', 'metered'].map((mode) => [
        mode,
        of(
          rows.filter((row) => row.mode === mode),
          mode,
        ),
      ]),
    );
  const list = {
    undetected: byMode((some, mode) =>
      [
        ...former.undetected[mode].filter(isLeft),
        ...some.filter((row) => !isDetected(row)).map(({ form }) => form),
      ].sort((a, b) => (a < b ? -1 : 1)),
    ),
    accused: byMode((some, mode) =>
      Object.fromEntries(
        [
          ...Object.entries(former.accused[mode]).filter(([form]) => isLeft(form)),
          ...some.filter(({ accused }) => accused.length > 0).map((row) => [row.form, row.accused]),
        ].sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    ),
  };
  writeFileSync(LIST, `${JSON.stringify(list, null, 2)}\n`);
}
