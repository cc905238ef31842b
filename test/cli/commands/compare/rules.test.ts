import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RuleVerdict } from '../../../../src/documents/rule-verdict.ts';
import { parseDocument, type RunDocument } from '../../../../src/documents/run-document.ts';
import {
  clientSample,
  laterSample,
  serviceSample,
} from '../../../report/samples/conformance-sample.ts';
import { loadSample } from '../../../report/samples/load-sample.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

function write(name: string, document: RunDocument): string {
  mkdirSync(join(cwd, name));
  writeFileSync(join(cwd, name, 'run.json'), JSON.stringify(document));
  return name;
}

const compare = (...args: string[]) => runCaptured(['compare', ...args, '--out', 'out'], { cwd });

const written = (): RunDocument =>
  parseDocument(JSON.parse(readFileSync(join(cwd, 'out', 'run.json'), 'utf8')));

describe('compare of two checks', () => {
  it('says which rules are newly broken, and fails', async () => {
    const [base, candidate] = [write('last', serviceSample()), write('now', laterSample())];
    const { exitCode, stdout } = await compare(`${base}/run.json`, candidate);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('fixed 1, newly broken 2, still broken 3, no longer judged 1');
    expect(stdout).toMatch(/Exit 1: the candidate is worse/);
    expect(written()).toMatchObject({ kind: 'rule-comparison', verdict: 'worse', side: 'service' });
    expect(stdout).toContain('\n  fareproof replay now\n');
    for (const file of ['report.html', 'junit.xml', 'summary.md']) {
      expect(readFileSync(join(cwd, 'out', file), 'utf8')).toContain('record/pay-type');
    }
  });

  it('takes them as --base and --candidate too, with names', async () => {
    const [base, candidate] = [write('last', laterSample()), write('now', serviceSample())];
    const args = ['--base', base, '--candidate', candidate, '--base-label', '1.4'];
    const { exitCode, stdout } = await compare(...args);
    expect(stdout).toContain('Comparison of now/run.json with 1.4');
    expect(stdout).toContain('The base is the later of the two runs.');
    expect(exitCode).toBe(1);
  });

  /** A check whose rules all have one verdict. */
  function checkWith(verdict: RuleVerdict): RunDocument {
    const { rules, summary, ...whole } = serviceSample();
    const none = { ...summary, pass: 0, fail: 0, warn: 0, inconclusive: 0, waived: 0 };
    return {
      ...whole,
      rules: rules.map((rule) => ({ ...rule, verdict })),
      summary: { ...none, [verdict]: rules.length },
    };
  }

  it.each([
    ['pass', 'pass', 'equivalent', 0],
    ['fail', 'pass', 'better', 0],
    ['fail', 'fail', 'equivalent', 0],
    ['pass', 'warn', 'equivalent', 0],
    ['pass', 'inconclusive', 'inconclusive', 3],
    ['inconclusive', 'pass', 'inconclusive', 3],
    ['untestable', 'fail', 'worse', 1],
  ] as const)('%s, then %s, is %s', async (before, after, verdict, code) => {
    const { exitCode } = await compare(
      write('last', checkWith(before)),
      write('now', checkWith(after)),
    );
    expect(written()).toMatchObject({ verdict });
    expect(exitCode).toBe(code);
  });
});

it('compare of two certifications', async () => {
  const better = clientSample();
  const rules = better.rules.map((rule) => ({ ...rule, verdict: 'pass' as const }));
  const { stdout, exitCode } = await compare(
    write('last', clientSample()),
    write('now', { ...better, rules }),
  );
  expect(stdout).toContain('BETTER');
  expect(stdout).toContain('two certifications, rule by rule');
  expect(exitCode).toBe(0);
});

it.each([
  [
    'a check and a certification',
    serviceSample(),
    clientSample(),
    'is a check and now/run.json a certification',
  ],
  [
    'a check and a load run',
    serviceSample(),
    loadSample(1),
    'now/run.json: is a document of kind load; give a check',
  ],
])('refuses %s', async (_, base, candidate, message) => {
  const { exitCode, stderr } = await compare(write('last', base), write('now', candidate));
  expect(exitCode).toBe(2);
  expect(stderr).toContain('error COMPARE_FILE_KIND');
  expect(stderr).toContain(message);
});

it.each([
  [['a.json']],
  [['a.json', 'b.json', 'c.json']],
  [['a.json', 'b.json', '--base', 'c.json']],
  [['a.json', '--self-test']],
])('%j is wrong usage', async (args) => {
  const { exitCode, stderr } = await compare(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('error COMPARE_FLAGS');
});

it('refuses several checks of a side, and a margin', async () => {
  const [one, two] = [write('one', serviceSample()), write('two', serviceSample())];
  const several = await compare('--base', one, two, '--candidate', one);
  expect(several.stderr).toContain('--base: give one run');
  const margin = await compare(one, two, '--margin', '5');
  expect(margin.stderr).toContain('--margin is for runs of load and bench');
  expect([several.exitCode, margin.exitCode]).toEqual([2, 2]);
});
