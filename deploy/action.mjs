// Runs Fareproof for ../action.yml, from its inputs as JSON in FAREPROOF_INPUTS.
//
//   node deploy/action.mjs prepare   checks the inputs, and names what the other steps need
//   node deploy/action.mjs run       runs the command

import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {'value' | 'values' | 'switch'} Kind one value; one on each line; true or not */

/** Inputs that are flags of a command by the same name. @type {Readonly<Record<string, Kind>>} */
const FLAGS = {
  target: 'value',
  suite: 'value',
  rule: 'values',
  waivers: 'value',
  ledger: 'value',
  strict: 'switch',
  'require-complete': 'switch',
  orders: 'value',
  rate: 'value',
  duration: 'value',
  threshold: 'values',
  against: 'value',
};

const COMMANDS = ['check', 'certify', 'load'];

/** Inputs with several lines; a line break in any other would be another value of a step's outputs. */
const MULTILINE = new Set(['rule', 'threshold', 'flags', 'client']);

/** What an input cannot be; the job fails with exit code 2. */
class InputError extends Error {}

/** @typedef {Readonly<Record<string, string>>} Inputs */

/**
 * Splits a line into words as a shell does: white space separates, quotes and backslashes keep it, and
 * nothing is expanded.
 *
 * @param {string} line
 * @returns {string[]}
 * @throws {InputError} where a quote is not closed
 */
function shellWords(line) {
  const part = /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^\s'"\\])/.source;
  const word = new RegExp(`(?:${part})+`, 'g');
  if (line.replaceAll(word, '').trim() !== '')
    throw new InputError(`flags: a quote is not closed, or a backslash is last, in: ${line}`);
  return (line.match(word) ?? []).map((one) => one.replaceAll(new RegExp(part, 'g'), textOf));
}

/**
 * Text of a part of a word.
 *
 * @param {string} _part
 * @param {(string | undefined)[]} captured what stands in single quotes, in double ones, after a backslash, or alone
 */
function textOf(_part, ...[single, double, escaped, plain]) {
  return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '';
}

/**
 * Arguments of the command line.
 *
 * @param {Inputs} inputs
 * @returns {string[]}
 */
function argumentsOf(inputs) {
  const lines = (/** @type {string} */ name) =>
    (inputs[name] ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
  isOn(inputs, 'allow-inconclusive');
  const flags = Object.entries(FLAGS).flatMap(([name, kind]) => {
    if (kind === 'switch') return isOn(inputs, name) ? [`--${name}`] : [];
    const values = kind === 'values' ? lines(name) : inputs[name] ? [inputs[name]] : [];
    return values.flatMap((value) => [`--${name}`, value]);
  });
  return [
    commandOf(inputs),
    ...flags,
    ...lines('flags').flatMap(shellWords),
    '--out',
    outOf(inputs),
    ...(inputs.client ? ['--', 'bash', '-c', inputs.client] : []),
  ];
}

/**
 * A mistyped switch would leave a gate open in silence.
 *
 * @param {Inputs} inputs
 * @param {string} name
 */
function isOn(inputs, name) {
  const value = inputs[name] ?? '';
  if (!['', 'true', 'false'].includes(value))
    throw new InputError(`${name}: is "${value}"; use true or false`);
  return value === 'true';
}

/** @param {Inputs} inputs */
function commandOf({ command = '' }) {
  if (!COMMANDS.includes(command))
    throw new InputError(`command: is "${command}"; use one of ${COMMANDS.join(', ')}`);
  return command;
}

/** @param {Inputs} inputs */
const outOf = (inputs) => inputs.out || `reports/${inputs.command}`;

/** Checks the inputs, and sets the outputs that the other steps need. @param {Inputs} inputs */
function prepare(inputs) {
  const broken = Object.keys(inputs).find(
    (name) => !MULTILINE.has(name) && /[\r\n]/.test(inputs[name] ?? ''),
  );
  if (broken !== undefined) throw new InputError(`${broken}: has a line break; give one line`);
  argumentsOf(inputs);
  const use = nameOfUse(inputs);
  const [folder, state] = [resolve(outOf(inputs)), stateOf(inputs)];
  const isPublished = (/** @type {string} */ path) => {
    const inside = relative(folder, resolve(path));
    return !/^\.\.(?:$|[\\/])/.test(inside) && !isAbsolute(inside);
  };
  if (isPublished('.'))
    throw new InputError('out: holds the whole working directory; choose a folder for the reports');
  for (const [name, path] of Object.entries({ state, ledger: inputs.ledger }))
    if (path && isPublished(path))
      throw new InputError(
        `${name}: lies in ${outOf(inputs)}, which is published; choose another place`,
      );
  setOutputs({
    folder,
    artifact: inputs.artifact === 'auto' ? `fareproof-${use}` : (inputs.artifact ?? ''),
    state,
    // What an earlier step of the job left there is newer than any cache.
    restore: `${!existsSync(state)}`,
    key: `fareproof-state-${use}-${randomUUID()}`,
  });
}

/**
 * Name of this use of the action within the workflow: the command, from the second use in a job on its number,
 * and the job. The names of commands and jobs have no dots, so no two are alike.
 *
 * @param {Inputs} inputs
 */
function nameOfUse(inputs) {
  const counter = join(process.env['RUNNER_TEMP'] ?? '', 'fareproof-uses');
  appendFileSync(counter, '.');
  const { size } = statSync(counter);
  return `${commandOf(inputs)}${size > 1 ? `.${size}` : ''}-${process.env['FAREPROOF_JOB']}`;
}

/** Folder of what runs leave for later ones. @param {Inputs} inputs */
function stateOf({ state }) {
  return state ? resolve(state) : join(process.env['RUNNER_TEMP'] ?? '', 'fareproof-state');
}

/** Runs the command; returns the exit code of the step. @param {Inputs} inputs */
async function run(inputs) {
  const { FAREPROOF_INPUTS: _, FAREPROOF_JOB: __, ...env } = process.env;
  const reported = sizeOf('GITHUB_STEP_SUMMARY');
  const state = stateOf(inputs);
  const child = spawn(process.execPath, [launcher(), ...argumentsOf(inputs)], {
    stdio: 'inherit',
    env: { ...env, FAREPROOF_STATE_DIR: state },
  });
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.on(name, () => child.kill(name));
  /** @type {[number | null, NodeJS.Signals | null]} */
  const [code, signal] = await new Promise((done, fail) => {
    child.once('error', fail).once('close', (...end) => done(end));
  });
  const exitCode = code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
  setOutputs({ 'exit-code': exitCode, save: `${existsSync(state)}` });
  if (exitCode !== 0 && sizeOf('GITHUB_STEP_SUMMARY') === reported)
    report('error', `The command ended without a report (${signal ?? `exit code ${exitCode}`}).`);
  if (exitCode !== 3 || !isOn(inputs, 'allow-inconclusive')) return exitCode;
  if (inputs.command !== 'load' && !judgedSome()) return exitCode;
  report('warning', 'The run could not judge (exit code 3).');
  return 0;
}

/**
 * File that starts the command: of the project's own `node_modules`, or of this action, which is built at its
 * first use.
 */
function launcher() {
  const own = fileURLToPath(new URL('../', import.meta.url));
  const folder = installedFolder() ?? own;
  if (folder === own && !existsSync(join(own, 'dist'))) {
    for (const args of [
      ['ci', '--no-audit', '--no-fund'],
      ['run', 'build'],
    ])
      execFileSync('npm', args, {
        cwd: own,
        stdio: 'inherit',
        shell: process.platform === 'win32',
      });
  }
  return join(folder, 'bin/fareproof.js');
}

function installedFolder() {
  try {
    const from = createRequire(join(process.cwd(), 'package.json'));
    return dirname(from.resolve('fareproof/package.json'));
  } catch {
    return undefined;
  }
}

/** True if the command told GitHub that it judged a rule. */
function judgedSome() {
  const outputs = readFileSync(process.env['GITHUB_OUTPUT'] ?? '', 'utf8');
  return /^judged=[1-9]/m.test(outputs);
}

/** Size of a file that a variable names, in bytes. @param {string} variable */
function sizeOf(variable) {
  return statSync(process.env[variable] ?? '', { throwIfNoEntry: false })?.size ?? 0;
}

/** @param {Readonly<Record<string, string | number>>} outputs each of one line */
function setOutputs(outputs) {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(process.env['GITHUB_OUTPUT'] ?? '', lines.join(''));
}

/**
 * Writes an annotation, and the same into the job summary.
 *
 * @param {'error' | 'warning'} level
 * @param {string} message
 */
function report(level, message) {
  const escaped = message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  console.log(`::${level} title=Fareproof::${escaped}`);
  const markdown = message.replaceAll(/[\\`*_[\]<>&|#@]/g, (one) => `&#${one.charCodeAt(0)};`);
  appendFileSync(process.env['GITHUB_STEP_SUMMARY'] ?? '', `## Fareproof\n\n${markdown}\n\n`);
}

const inputs = /** @type {Inputs} */ (JSON.parse(process.env['FAREPROOF_INPUTS'] ?? '{}'));
try {
  if (process.argv[2] === 'prepare') prepare(inputs);
  else process.exitCode = await run(inputs);
} catch (error) {
  setOutputs({ 'exit-code': 2 });
  report('error', error instanceof InputError ? error.message : String(error));
  process.exitCode = 2;
}
