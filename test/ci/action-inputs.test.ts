// @module-tag long
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCaptured } from '../support/captured-io.ts';
import fc from '../support/property.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type ActionRun, readAction, runAction } from './action-runner.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8');
const action = readAction(TEXT);

/** In place of the command: notes its arguments, leaves state, and ends as `STUB` says. */
const STUB = `
import { mkdirSync, writeFileSync } from 'node:fs';
const { STUB = '0', STUB_LOG = 'arguments.json', FAREPROOF_STATE_DIR: state, FAREPROOF_INPUTS } = process.env;
writeFileSync(STUB_LOG, JSON.stringify({ args: process.argv.slice(2), state, FAREPROOF_INPUTS }));
mkdirSync(state, { recursive: true });
writeFileSync(state + '/ledger.jsonl', '');
if (STUB.startsWith('SIG')) process.kill(process.pid, STUB);
else process.exit(Number(STUB));
`;

let folder: string;
let scratch: string;
beforeEach(() => {
  [folder, scratch] = [join(temporaryFolder(), 'a project'), temporaryFolder()];
  writeStub(join(folder, 'node_modules/fareproof'));
});

function writeStub(to: string, script = 'bin/fareproof.js'): void {
  mkdirSync(join(to, 'bin'), { recursive: true });
  writeFileSync(join(to, 'package.json'), '{ "name": "fareproof", "type": "module" }');
  writeFileSync(join(to, script), STUB);
}

interface Job {
  readonly github?: object;
  readonly strategy?: object;
  readonly actionPath?: string;
}

const run = (
  inputs: Record<string, string>,
  { github, strategy, actionPath = ROOT }: Job = {},
): Promise<ActionRun> =>
  runAction(action, {
    inputs,
    folder,
    scratch,
    actionPath,
    contexts: {
      github: { job: 'release', event: { repository: { private: true } }, ...github },
      strategy: { 'job-total': 1, 'job-index': 0, ...strategy },
    },
  });

const called = (): { args: string[]; state: string; FAREPROOF_INPUTS?: string } =>
  JSON.parse(readFileSync(join(folder, 'arguments.json'), 'utf8')) as ReturnType<typeof called>;

const nameOf = ({ used }: ActionRun): string | undefined => used.at(-1)?.with['name'];

async function flagsOf(command: string): Promise<Set<string>> {
  const { stdout } = await runCaptured([command, command === 'load' ? '--help-all' : '--help']);
  return new Set(stdout.match(/(?<=^ +)--[\w-]+/gm));
}

describe('the inputs of the action', () => {
  it.each(['check', 'certify', 'load'])('are flags of %s, as action.yml says', async (command) => {
    const known = await flagsOf(command);
    const said = Object.entries(action.inputs).filter(([, { description }]) =>
      new RegExp(String.raw`^(\w+, )*${command}\b.*:`).test(description),
    );
    const flags = said.filter(([name]) => name !== 'client').map(([name]) => name);
    expect(flags.filter((name) => !known.has(`--${name}`))).toEqual([]);
    const isSwitch = (name: string): boolean => action.inputs[name]?.default === 'false';
    const given = flags.map((name) => [name, isSwitch(name) ? 'true' : `the ${name}`] as const);
    await run({ command, ...Object.fromEntries(given) });
    const { args } = called();
    const passed = flags.map((name) => args[args.indexOf(`--${name}`) + (isSwitch(name) ? 0 : 1)]);
    expect(passed).toEqual(flags.map((name) => (isSwitch(name) ? `--${name}` : `the ${name}`)));
  });

  it('pass several rules, each on its line, and the command of a client to a shell', async () => {
    await run({ command: 'certify', rule: 'a/*\r\n\n b\n', client: 'echo "$HOME"\nexit 3' });
    const { args, FAREPROOF_INPUTS } = called();
    expect(args.slice(0, 5)).toEqual(['certify', '--rule', 'a/*', '--rule', ' b']);
    expect(args.slice(-4)).toEqual(['--', 'bash', '-c', 'echo "$HOME"\nexit 3']);
    expect(FAREPROOF_INPUTS).toBeUndefined();
  });

  it('split flags as a shell does', async () => {
    const text = (letters: string) =>
      fc.string({ unit: fc.constantFrom(...letters.split('')), maxLength: 4 });
    const part = fc.oneof(
      text('ab-=%.,:/').filter((plain) => plain !== ''),
      text('a "\\$`<').map((single) => `'${single}'`),
      text(`a '<`).map((double) => `"${double}"`),
      fc.constantFrom(
        '"\\""',
        '"\\a"',
        '"\\$"',
        '"\\\\"',
        String.raw`\ `,
        String.raw`\"`,
        String.raw`\a`,
      ),
    );
    const word = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
    const line = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('  '));
    const lines = fc.sample(line, 200);
    await run({ flags: lines.join('\n') });
    const script = lines.map((words) => `printf '%s\\0' ${words}`).join('\n');
    const expected = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(called().args.slice(1, -2)).toEqual(expected.split('\0').slice(0, -1));
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a line break in out', { out: 'a\nverdict=held' }, /out: has a line break/],
    ['a carriage return in target', { target: 'a\rb' }, /target: has a line break/],
    [
      'a quote that is not closed',
      { flags: "--threshold 'p99<20ms" },
      /flags: a quote is not closed/,
    ],
    [
      'another command',
      { command: 'serve' },
      /command: is "serve"; use one of check, certify, load/,
    ],
    ['state in the folder that is published', { state: 'reports/check/state' }, /state: lies in/],
    ['state below it, by an odd name', { state: 'reports/check/..state' }, /state: lies in/],
    ['a ledger in that folder', { ledger: 'reports/check/ledger.jsonl' }, /ledger: lies in/],
    ['a folder with all files of the job', { out: '.' }, /out: holds the whole working directory/],
    ['a folder above', { out: '../' }, /out: holds the whole working directory/],
  ])('are refused with %s: exit code 2, annotation and summary', async (_, inputs, message) => {
    const { succeeded, outputs, used, summary, log } = await run(inputs);
    expect(log).toMatch(new RegExp(`^::error title=Fareproof::${message.source}`, 'm'));
    expect(summary).toMatch(/^## Fareproof\n\n\w+: /);
    expect(outputs).toEqual({ verdict: '', judged: '', report: '', 'exit-code': '2' });
    expect([succeeded, used]).toEqual([false, []]);
    expect(existsSync(join(folder, 'arguments.json'))).toBe(false);
  });
});

describe('what a use of the action leaves', () => {
  it('has a name of its own, by command, job, place in the matrix and number of the use', async () => {
    expect(nameOf(await run({}))).toBe('fareproof-check-release');
    expect(nameOf(await run({ command: 'load' }))).toBe('fareproof-load.2-release');
    expect(nameOf(await run({ artifact: 'mine' }))).toBe('mine');
    scratch = temporaryFolder();
    const strategy = { 'job-total': 3, 'job-index': 2 };
    expect(nameOf(await run({}, { strategy }))).toBe('fareproof-check-release.2');
  });

  it.each([
    ['of a private repository, whole', true, ''],
    ['of a public repository, without tokens', false, 'ledger.jsonl'],
  ])('is kept in the cache %s, and restored once in a job', async (_, isPrivate, file) => {
    const github = { event: { repository: { private: isPrivate } } };
    process.env['STUB'] = '1';
    const [first, second] = [await run({}, { github }), await run({}, { github })];
    delete process.env['STUB'];
    expect(first.succeeded).toBe(false);
    const { state } = called();
    expect(state).toBe(join(scratch, 'fareproof-state'));
    const [restore, save] = first.used;
    expect(restore).toMatchObject({
      uses: expect.stringContaining('cache/restore'),
      with: { path: `${state}/${file}`, 'restore-keys': 'fareproof-state-' },
    });
    expect(save).toMatchObject({
      uses: expect.stringContaining('cache/save'),
      with: {
        path: `${state}/${file}`,
        key: expect.stringMatching(/^fareproof-state-check-release-/),
      },
    });
    expect(second.used.map(({ uses }) => uses)).toEqual([
      expect.stringContaining('cache/save'),
      expect.stringContaining('upload-artifact'),
    ]);
    expect(second.used[0]?.with['key']).not.toBe(save?.with['key']);
  });

  it.each([
    ['SIGKILL', '137', 'SIGKILL'],
    ['134', '134', 'exit code 134'],
    ['2', '2', 'exit code 2'],
  ])('says that the command ended without a report: %s', async (stub, code, words) => {
    process.env['STUB'] = stub;
    const { outputs, summary, log, succeeded } = await run({});
    delete process.env['STUB'];
    expect(outputs['exit-code']).toBe(code);
    expect(log).toContain(`::error title=Fareproof::The command ended without a report (${words})`);
    expect(summary).toContain('The command ended without a report');
    expect(succeeded).toBe(false);
  });
});

it('builds the action at its first use if the project has no Fareproof of its own', async () => {
  const actionPath = join(temporaryFolder(), 'action');
  mkdirSync(join(actionPath, 'deploy'), { recursive: true });
  cpSync(join(ROOT, 'deploy/action.mjs'), join(actionPath, 'deploy/action.mjs'));
  writeStub(actionPath);
  const bin = temporaryFolder();
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\nmkdir -p dist\necho "$PWD: npm $*" >>npm.log\n', {
    mode: 0o755,
  });
  folder = temporaryFolder();
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = `${bin}:${path}`;
  const runs = [await run({}, { actionPath }), await run({}, { actionPath })];
  process.env['PATH'] = path;
  expect(runs.map(({ succeeded }) => succeeded)).toEqual([true, true]);
  expect(readFileSync(join(actionPath, 'npm.log'), 'utf8')).toBe(
    `${actionPath}: npm ci --no-audit --no-fund\n${actionPath}: npm run build\n`,
  );
});
