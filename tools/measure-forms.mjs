// Prints which forms of the independent service `check` detects, and which other rules it accuses.
//
//   node tools/measure-forms.mjs [--part 0..19|all] [--seed N] [--update]
//
//   --part    a twentieth of the forms, or all; default all
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
    part: { type: 'string', default: 'all' },
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
      FAREPROOF_FORMS: flags.part,
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

/** @param {Row[]} rows */
function table(rows) {
  for (const subject of new Set(rows.map((row) => row.subject))) {
    const ofSubject = rows.filter((row) => row.subject === subject);
    const share = (/** @type {string} */ mode) => {
      const some = ofSubject.filter((row) => row.mode === mode);
      return `${some.filter(isDetected).length} of ${some.length} ${mode}`;
    };
    console.log(`\n## ${subject}: ${share('control')}, ${share('metered')}\n`);
    console.log('| form | control | metered | other rules accused |\n|---|---|---|---|');
    for (const form of new Set(ofSubject.map((row) => row.form))) {
      const both = ofSubject.filter((row) => row.form === form);
      const verdict = (/** @type {string} */ mode) =>
        both.find((row) => row.mode === mode)?.verdict ?? '';
      const accused = [...new Set(both.flatMap((row) => row.accused))].join(', ');
      console.log(`| ${form} | ${verdict('control')} | ${verdict('metered')} | ${accused} |`);
    }
  }
}

/** @param {Row[]} rows */
function update(rows) {
  const old = JSON.parse(readFileSync(LIST, 'utf8'));
  const list = { undetected: { ...old.undetected }, accused: { ...old.accused } };
  for (const mode of ['control', 'metered']) {
    const measured = rows.filter((row) => row.mode === mode);
    const names = new Set(measured.map((row) => row.form));
    const kept = old.undetected[mode].filter((/** @type {string} */ form) => !names.has(form));
    const missed = measured.filter((row) => !isDetected(row)).map((row) => row.form);
    list.undetected[mode] = [...kept, ...missed].sort((a, b) => (a < b ? -1 : 1));
    const others = Object.entries(old.accused[mode]).filter(([form]) => !names.has(form));
    const accusing = measured.filter((row) => row.accused.length > 0);
    list.accused[mode] = Object.fromEntries(
      [...others, ...accusing.map((row) => [row.form, row.accused])].sort(([a], [b]) =>
        a < b ? -1 : 1,
      ),
    );
  }
  writeFileSync(LIST, `${JSON.stringify(list, null, 2)}\n`);
}

console.log(`seed ${flags.seed}`);
const rows = measure();
table(rows);
if (flags.update) update(rows);
