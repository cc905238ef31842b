// Prints which forms of the independent service `check` detects, and which other rules it accuses; with
// --faults, which faults of the reference server it detects with metered partners.
//
//   node tools/measure-forms.mjs [--form PATTERN | --faults GLOB] [--whole] [--seed N] [--update]
//
//   --form    measures the forms whose names match a regular expression only; default all
//   --whole   by all rules, which shows those that are accused; default by the rule of each form
//   --faults  measures the faults of rules, such as 'token/*', after `npm run build`
//   --seed    which of five answers some forms break; default another each time
//   --update  writes what was not found to not-yet-detected.json, or src/server/faults/needs-control.ts

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** @typedef {{ subject: string, form: string, mode: 'control' | 'metered', verdict: string, accused: string[] }} Row */

const FOLDER = 'test/independent-service/forms';
const LIST = `${FOLDER}/not-yet-detected.json`;
const FAULTS = 'src/server/faults/needs-control.ts';

const { values: flags } = parseArgs({
  options: {
    form: { type: 'string', default: 'all' },
    whole: { type: 'boolean', default: false },
    faults: { type: 'string' },
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
      FAREPROOF_FORMS_BY: flags.whole ? 'all' : 'own',
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

/** @param {readonly Row[]} rows */
function updateForms(rows) {
  const list = JSON.parse(readFileSync(LIST, 'utf8'));
  for (const mode of ['control', 'metered']) {
    // What is found by luck (BY_LUCK of the forms) is in no list.
    const isLuck = /#(?:one-in-five|bytes-unpadded)$/;
    const some = rows.filter((row) => row.mode === mode && !isLuck.test(row.form));
    /** @type {(form: string) => boolean} */
    const isLeft = (form) => flags.form !== 'all' && !rows.some((row) => row.form === form);
    if (!flags.whole) {
      const undetected = some
        .filter(({ verdict }) => !/fail|warn/.test(verdict))
        .map(({ form }) => form);
      const kept = list.undetected[mode].filter(isLeft);
      list.undetected[mode] = [...kept, ...undetected].sort((a, b) => (a < b ? -1 : 1));
      continue;
    }
    const accused = Object.entries(list.accused[mode]).filter(([form]) => isLeft(form));
    for (const row of some) if (row.accused.length > 0) accused.push([row.form, row.accused]);
    list.accused[mode] = Object.fromEntries(accused.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
  writeFileSync(LIST, `${JSON.stringify(list, null, 2)}\n`);
}

/** @param {string} glob */
function measureFaults(glob) {
  const asked = ['--forms', 'all', '--json', '--seed', flags.seed, '--rule', glob];
  const args = ['bin/fareproof.js', 'selfcheck', ...asked];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e9 });
  /** @type {{ form: string, metered: { told: boolean, reason: string } }[]} */
  const rows = JSON.parse(stdout).forms.rows;
  for (const { form, metered } of rows) console.log(form, metered.reason);
  if (!flags.update) return;
  const [head = '', former = ''] = readFileSync(FAULTS, 'utf8').split(/(?<= = )/);
  const left = [...former.matchAll(/'(.+)'/g)].map(([, id = '']) => id);
  const rules = new Set(rows.map(({ form }) => form.replace(/#.*/, '')));
  const unseen = rows.filter(({ metered }) => !metered.told).map(({ form }) => form);
  const list = [...left.filter((id) => !rules.has(id.replace(/#.*/, ''))), ...unseen].sort();
  writeFileSync(FAULTS, `${head}${JSON.stringify(list, null, 2)};\n`);
}

console.log(`seed ${flags.seed}`);
if (flags.faults !== undefined) measureFaults(flags.faults);
else {
  const rows = measure();
  for (const { form, mode, verdict, accused } of rows)
    console.log([mode.padEnd(8), verdict.padEnd(13), form, ...accused].join('  '));
  if (flags.update) updateForms(rows);
}
if (flags.update) spawnSync('npx', ['biome', 'check', '--write', LIST, FAULTS]);
