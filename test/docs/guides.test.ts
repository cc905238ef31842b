// @module-tag long
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type ExpectStatic, test } from 'vitest';
import { isNatsRequired, NATS_SERVER } from '../support/nats-server.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';
import { GUIDES, REFERENCE, readSteps } from './guide.ts';
import { Reader } from './reader.ts';

const folder = temporaryFolderOfFile();
const ROOT = new URL('../../', import.meta.url);

const PAGES = ['README.md', ...GUIDES, REFERENCE].filter(
  (page) => page !== 'docs/distributed-load.md' || NATS_SERVER !== null || isNatsRequired,
);

/** The pages use the client in Python, and openssl. */
const missing = ['python3', 'openssl'].filter(
  (command) => spawnSync(command, ['version'], { stdio: 'ignore' }).error !== undefined,
);
if (missing.length > 0)
  console.warn(`Skipped: no guide is followed. Not installed here: ${missing.join(', ')}.`);

describe.runIf(missing.length === 0)(
  'each command of a guide does what the page says',
  { concurrent: true, timeout: 900_000 },
  () => {
    test.for(PAGES)('%s', async (page, { expect }) => {
      await follow(page, expect);
      expect.hasAssertions();
    });
  },
);

/** Does what a page says, in its order. */
async function follow(page: string, expect: ExpectStatic): Promise<void> {
  const text = readFileSync(new URL(page, ROOT), 'utf8');
  const reader = await Reader.begin(mkdtempSync(join(folder, 'page-')), text);
  let last = { line: 0, text: '', output: '' };
  try {
    for (const step of readSteps(text)) {
      if (step.kind === 'file') reader.write(step);
      else if (step.kind === 'output') expect(missingLines(step.lines, last)).toEqual([]);
      else {
        const { exitCode, output } = await reader.type(step);
        last = { ...step, output };
        const where = `${page}:${step.line}: ${step.text}\n${output}`;
        const isLoad = /^(npx )?fareproof load /.test(step.text);
        const isMerge = step.text.startsWith('fareproof report --merge ');
        const isBusyMachine =
          step.exitCode === 0 &&
          ((isLoad && isStarved(output)) ||
            (isMerge && /got no core|the generator sent|stood still/.test(output)));
        expect(exitCode, where).toBe(isBusyMachine ? 3 : step.exitCode);
      }
    }
  } finally {
    await reader.end();
  }
}

/**
 * True for load runs that are invalid though each of their requests succeeded: other tests had the cores,
 * which a page cannot help.
 */
function isStarved(output: string): boolean {
  const invalid = output
    .split(/^(?=[A-Z ]+ {2}Load on )/m)
    .filter((run) => run.startsWith('INVALID'));
  return (
    invalid.length > 0 &&
    invalid.every((run) => ALL_SUCCEEDED.test(run)) &&
    /^Exit 3: (the run is invalid|\d+ held, 0 fell short, \d+ invalid)$/m.test(output)
  );
}

const ALL_SUCCEEDED = /^ {2}requests +[\d,]+ ok, 0 failed \(0 %\), ([\d,]+) sent of \1 planned$/m;

/** Lines that an output does not have, in their order; those of the page and of the output. */
function missingLines(
  lines: readonly string[],
  { line, text, output }: { line: number; text: string; output: string },
): string[] {
  let from = 0;
  return lines.flatMap((one) => {
    const at = output.indexOf(one, from);
    if (at === -1) return [`line ${line}: ${text}: does not print "${one}" but\n${output}`];
    from = at + one.length;
    return [];
  });
}
