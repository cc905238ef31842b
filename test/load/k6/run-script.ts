import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Options } from 'k6/options';
import type { K6Export } from '../../../src/load/index.ts';

const SHIM = fileURLToPath(new URL('shim', import.meta.url));
const RUN = join(SHIM, 'run.mjs');

/** Requests, checks and counts of a script in the shim of k6. */
export interface ScriptRun {
  readonly requests: readonly {
    readonly scenario: string;
    readonly status: number;
    readonly responseType: 'none' | 'text';
    readonly tags: Readonly<Record<string, string>>;
    readonly timeout: string;
    readonly redirects: number;
  }[];
  readonly checks: readonly {
    readonly name: string;
    readonly isPassed: boolean;
    readonly tags: Readonly<Record<string, string>>;
  }[];
  readonly counters: Readonly<Record<string, number>>;
  /** Milliseconds. */
  readonly trends: Readonly<Record<string, readonly number[]>>;
  /** Reason of `exec.test.abort`; null if the script ran to its end. */
  readonly aborted: string | null;
  readonly options: Options;
}

/** Lets scripts of a folder import the shim as k6. */
export function useShim(folder: string): void {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(SHIM, join(folder, 'node_modules', 'k6'), 'dir');
}

/** Writes the files of an export, with the shim as their module `k6`. */
export function writeExport(folder: string, { script, requests }: K6Export): string {
  useShim(folder);
  writeFileSync(join(folder, 'requests.json'), requests);
  const path = join(folder, 'script.js');
  writeFileSync(path, script);
  return path;
}

/**
 * Runs a script in a process of its own, with stand-ins for the modules of k6: the requests are sent over a
 * socket, one after the other, and time passes as the scenarios say.
 *
 * @param nowMs start of the run
 * @param flags such as `--no-setup`
 */
export async function runScript(
  path: string,
  nowMs: number,
  ...flags: readonly '--no-setup'[]
): Promise<ScriptRun> {
  const args = [RUN, path, String(nowMs), ...flags];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    maxBuffer: 64 * 1024 * 1024,
    timeout: 120_000,
  });
  return JSON.parse(stdout) as ScriptRun;
}
