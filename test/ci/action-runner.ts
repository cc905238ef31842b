import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { parse } from 'yaml';

/** One step of a composite action: a script, or another action with its inputs. */
interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
}

/** An `action.yml`, as far as its steps need it. */
export interface CompositeAction {
  readonly inputs: Readonly<
    Record<string, { readonly description: string; readonly default?: string }>
  >;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

/** Result of an action. */
export interface ActionRun {
  /** True if every script ended with 0. */
  readonly succeeded: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  /** Actions that it used, with their inputs. */
  readonly used: readonly {
    readonly uses: string;
    readonly with: Readonly<Record<string, string>>;
  }[];
  /** Text that was appended to the job summary. */
  readonly summary: string;
  /** stdout and stderr of the scripts. */
  readonly log: string;
}

const TIMEOUT_MS = 60_000;

/** Reads an `action.yml`. */
export function readAction(yaml: string): CompositeAction {
  return parse(yaml) as CompositeAction;
}

/**
 * Runs the steps of a composite action as GitHub's runner does: expressions by GitHub's own evaluator,
 * scripts in bash. Actions that it uses are not run but listed.
 *
 * @param options.inputs as the workflow gives them
 * @param options.folder the workspace
 * @param options.scratch temporary folder of the job, which its steps share
 * @param options.actionPath folder of the action
 * @param options.contexts what the expressions read beside inputs and steps
 */
export async function runAction(
  { inputs: declared, outputs, runs }: CompositeAction,
  {
    inputs,
    folder,
    scratch,
    actionPath,
    contexts,
  }: {
    inputs: Readonly<Record<string, string>>;
    folder: string;
    scratch: string;
    actionPath: string;
    contexts: Readonly<Record<'github' | 'strategy', object>>;
  },
): Promise<ActionRun> {
  const unknown = Object.keys(inputs).find((name) => !Object.hasOwn(declared, name));
  if (unknown !== undefined) throw new Error(`The action has no input ${unknown}`);
  const given = Object.fromEntries(
    Object.entries(declared).map(([name, input]) => [name, inputs[name] ?? input.default ?? '']),
  );
  const steps: Record<string, Record<string, string>> = {};
  const used: ActionRun['used'][number][] = [];
  const summaryFile = join(scratch, 'summary');
  writeFileSync(summaryFile, '');
  let [succeeded, log] = [true, ''];
  const evaluate = (expression: string): string =>
    evaluateIn(expression, { ...contexts, inputs: given, steps });
  const substitute = (value: string): string =>
    value.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => evaluate(expression));
  for (const [index, step] of runs.steps.entries()) {
    const condition = step.if?.replace(/^\$\{\{(.*)\}\}$/, '$1');
    if (condition === undefined ? !succeeded : evaluate(condition) !== 'true') continue;
    if (step.uses !== undefined) {
      used.push({ uses: step.uses, with: mapValues(step.with ?? {}, substitute) });
      continue;
    }
    const outputFile = join(scratch, `outputs-${index}`);
    writeFileSync(outputFile, '');
    const ran = await runScript(substitute(step.run ?? ''), {
      cwd: join(folder, substitute(step['working-directory'] ?? '.')),
      env: {
        ...mapValues(step.env ?? {}, substitute),
        GITHUB_ACTIONS: 'true',
        GITHUB_ACTION_PATH: actionPath,
        RUNNER_TEMP: scratch,
        GITHUB_OUTPUT: outputFile,
        GITHUB_STEP_SUMMARY: summaryFile,
      },
    });
    log += ran.log;
    succeeded &&= ran.exitCode === 0;
    if (step.id !== undefined) steps[step.id] = { ...readOutputs(outputFile) };
  }
  return {
    succeeded,
    outputs: mapValues(
      mapValues(outputs, ({ value }) => value),
      substitute,
    ),
    used,
    summary: readFileSync(summaryFile, 'utf8'),
    log,
  };
}

async function runScript(
  script: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<{ exitCode: number | null; log: string }> {
  const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  const child = spawn('bash', bash, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { exitCode, log: stdout + stderr };
}

function readOutputs(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return Object.fromEntries(
    lines
      .filter((line) => line.includes('='))
      .map((line) => line.split(/=(.*)/s, 2) as [string, string]),
  );
}

/** Result of an expression, as text. `always` is true, and every step so far has a conclusion. */
function evaluateIn(
  expression: string,
  {
    steps,
    ...contexts
  }: Readonly<Record<string, object>> & { steps: Readonly<Record<string, object>> },
): string {
  const always = { name: 'always', minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(true) };
  const given = { ...contexts, steps: mapValues(steps, (outputs) => ({ outputs })) };
  const context = JSON.parse(JSON.stringify(given), data.reviver) as data.Dictionary;
  const { tokens } = new Lexer(expression.trim()).lex();
  const parsed = new Parser(tokens, Object.keys(given), [always]).parse();
  const functions = new Map([[always.name, always]]);
  return new Evaluator(parsed, context, functions).evaluate().coerceString();
}

function mapValues<T, U>(
  values: Readonly<Record<string, T>>,
  to: (value: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));
}
