// @module-tag long
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { type FaultId, startServer } from '../../src/server/index.ts';
import { CLOSED_ADDRESS } from '../support/closed-address.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readSteps, type Step } from './guide.ts';
import { Reader } from './reader.ts';

const PAGE = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8');
const FILES = readSteps(PAGE).filter((step) => step.kind === 'file');

/** A check of a job, as the page writes it. */
interface Job {
  readonly name: string;
  readonly script: string;
  /** Exit codes with which the job is not red. */
  readonly passes: readonly unknown[];
}

const GATE = /^fareproof check .*--fail-on new.*$/m.exec(PAGE)?.[0] ?? '';

const JOBS: readonly Job[] = [
  ...FILES.flatMap(jobsOf),
  { name: 'the gate on new failures', script: GATE, passes: [0] },
];

function jobsOf({ name, text }: Extract<Step, { kind: 'file' }>): Job[] {
  if (!/^\.(github|gitlab)/.test(name)) return [];
  const file = parse(text) as { jobs?: object };
  const jobs = Object.values(file.jobs ?? file) as {
    steps?: { run?: string; 'continue-on-error'?: boolean }[];
    script?: string[];
    allow_failure?: boolean | { exit_codes: number | number[] };
  }[];
  return jobs.flatMap(({ steps = [], script = [], allow_failure: allowed = false }) => {
    const tolerated = typeof allowed === 'boolean' ? [] : [allowed.exit_codes].flat();
    return [...steps, ...script.map((run) => ({ run, 'continue-on-error': allowed === true }))]
      .filter(({ run }) => run?.includes('fareproof check'))
      .map(({ run = '', 'continue-on-error': always }) => ({
        name,
        script: run,
        passes: always ? [0, 1, 3] : [0, ...tolerated],
      }));
  });
}

/** Runs the check of a job on a service, and says whether the job is red. */
async function isRed(
  { script, passes }: Job,
  { faults = [], isGone = false, until = '2099-12-31', suite = '' }: Partial<Case>,
): Promise<boolean> {
  const folder = temporaryFolder();
  const reader = await Reader.begin(folder);
  for (const file of FILES) reader.write(file);
  const waivers = join(folder, 'conformance/waivers.yaml');
  writeFileSync(waivers, readFileSync(waivers, 'utf8').replace('2099-12-31', until));
  const run = async (broken: readonly FaultId[], isMain: boolean) => {
    const server = await startServer({ faults: broken });
    onTestFinished(() => server.close(0));
    const address = isGone && !isMain ? CLOSED_ADDRESS : server.baseUrl;
    const env = `BASE_URL=${address} PARTNER_ID=demo PARTNER_KEY=signing-key-of-demo`;
    const line = isMain
      ? script.replace(/--against main --fail-on new --out \S+/, '--out main')
      : script;
    const flags = [
      ...(isMain || suite === '' ? [] : ['--suite', suite]),
      '--ledger',
      `${isMain}.jsonl`,
    ];
    const { exitCode } = await reader.type({
      text: `export ${env}\n${line.trimEnd()} ${flags.join(' ')}`,
    });
    await server.close(0);
    return exitCode;
  };
  if (script.includes('--against main')) await run([], true);
  return !passes.includes(await run(faults, false));
}

interface Case {
  readonly faults: readonly FaultId[];
  readonly isGone: boolean;
  readonly until: string;
  readonly suite: string;
}

describe.each(JOBS)('$name in docs/ci.md', (job) => {
  it.each<[string, Partial<Case>, boolean]>([
    ['a sound service', {}, false],
    ['a service that does not answer', { isGone: true }, true],
    ['a suite of which nothing can be judged', { suite: 'no-token-spend' }, true],
    ['a newly broken rule', { faults: ['token/scope-default'] }, true],
    [
      'a violation whose waiver has expired',
      { faults: ['record/pay-type'], until: '2020-01-01' },
      true,
    ],
  ])('with %s', { timeout: 120_000 }, async (_, given, expected) => {
    expect(await isRed(job, given)).toBe(expected);
  });
});

it('each job and the gate were found', () => {
  expect(JOBS.map(({ name }) => name)).toEqual([
    '.github/workflows/conformance.yml',
    '.gitlab-ci.yml',
    'the gate on new failures',
  ]);
});
