import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { withChanges } from '../../../src/app/check/earlier-run.ts';
import { orderByLastRun, recordLastRun } from '../../../src/app/check/last-run.ts';
import type { ConformanceDocument, RuleResult } from '../../../src/documents/conformance.ts';
import { describeProfile, type FaultId, startServer } from '../../../src/server/index.ts';
import { ledgerFile } from '../../../src/spending/index.ts';
import { serviceSample } from '../../report/samples/conformance-sample.ts';
import { runCaptured } from '../../support/captured-io.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd: string;
let port: number;
beforeEach(async () => {
  cwd = temporaryFolder();
  port = await freePort();
});

const RULES = [
  'record/pay-type',
  'signature/invalid-refused',
  'token/nostr-length',
  'token/scope-default',
];
const THREE: readonly FaultId[] = ['record/pay-type', 'token/nostr-length', 'token/scope-default'];

/** Checks a service without a control API that was restarted with some rules broken. */
async function check(faults: readonly FaultId[], ...args: string[]) {
  const server = await startServer({ port, faults });
  try {
    const partners = [{ id: 'demo', signingKey: 'signing-key-of-demo' }];
    const estimates = { plain: { product_type: 'private-car', ride_type: 'compact' } };
    const profile = { name: 'mine', baseUrl: server.baseUrl, partners, estimates };
    writeFileSync(join(cwd, 'profile.yaml'), JSON.stringify(profile));
    const suite = { name: 'mine', rules: { include: RULES } };
    writeFileSync(join(cwd, 'suite.yaml'), JSON.stringify(suite));
    const flags = ['--target', 'profile.yaml', '--suite', 'suite.yaml', '--service-restarted'];
    return await runCaptured(['check', ...flags, ...args], { cwd });
  } finally {
    await server.close(0);
  }
}

const result = (out: string): ConformanceDocument =>
  JSON.parse(readFileSync(join(cwd, out, 'run.json'), 'utf8')) as ConformanceDocument;

const NOTHING = {
  pass: 0,
  fail: 0,
  warn: 0,
  inconclusive: 0,
  untestable: 0,
  excluded: 0,
  waived: 0,
};

/** Check whose request was sent first, without those of a baseline. */
const firstCheck = (out: string): string | undefined =>
  result(out).exchanges.flatMap(({ part }) => part?.check ?? [])[0];

const judgedIn = (out: string): string[] =>
  result(out)
    .rules.filter(({ verdict }) => verdict !== 'excluded')
    .map(({ id }) => id);

describe('the last run of a target', () => {
  it('leads a loop of three rounds, with an address, two variables and no file', {
    tags: ['long'],
  }, async () => {
    const env = { FAREPROOF_PARTNER_ID: 'demo', FAREPROOF_SIGNING_KEY: 'signing-key-of-demo' };
    const broken = ['record/pay-type', 'signature/invalid-refused', 'token/nostr-length'] as const;
    const round = async (faults: readonly FaultId[]) => {
      const server = await startServer({ port, faults });
      onTestFinished(() => server.close(0));
      const flags = ['--target', `http://127.0.0.1:${port}`, '--service-restarted'];
      const outcome = await runCaptured(['check', ...flags], { cwd, env });
      await server.close(0);
      const [, folder = ''] = /^report: (.*)\/report\.html$/m.exec(outcome.stderr) ?? [];
      return { ...outcome, folder };
    };
    const one = await round(broken);
    expect(one.stdout).toContain('Exit 1: 3 rules failed');
    const two = await round(broken.slice(1));
    expect(two.stdout).toMatch(/^Since reports\S+ \(.* UTC\): fixed 1, still broken 2/m);
    expect(broken).toContain(firstCheck(two.folder));
    const three = await round([]);
    expect(three.stdout).toMatch(/^Since reports\S+ \(.* UTC\): fixed 2/m);
    expect(broken).toContain(firstCheck(three.folder));
    expect(three.exitCode).toBe(0);
  });

  it('is known by the ledger: what it found broken comes first, and what has changed is shown', {
    tags: ['long'],
  }, async () => {
    const one = await check(THREE, '--out', 'one');
    expect(one.stdout).not.toContain('Since');
    expect(firstCheck('one')).toBe('signature/invalid-refused');

    const two = await check(THREE.slice(1), '--out', 'two');
    expect(two.stdout).toMatch(/^Since one \(.* UTC\): fixed 1, still broken 2\.$/m);
    expect(firstCheck('two')).toBe('token/nostr-length');

    const three = await check(THREE.slice(2), '--only-failed', '--out', 'three');
    expect(three.stdout).toMatch(/^Since two \(.* UTC\): fixed 1, still broken 1\.$/m);
    expect(judgedIn('three')).toEqual(THREE.slice(1));

    const four = await check([], '--only-failed', '--rule', 'token/s*', '--out', 'four');
    expect(judgedIn('four')).toEqual(['token/scope-default']);
    expect(four.stdout).not.toContain('Since');

    // Runs of some rules leave the last run of all of them as it is.
    const five = await check([]);
    expect(five.stdout).toMatch(/^Since two \(.* UTC\): fixed 2\.$/m);
    const six = await check([], '--only-failed');
    expect(six.exitCode).toBe(2);
    expect(six.stderr).toContain('error LAST_RUN_HELD: --only-failed');
  });

  it('may be that in the folder of --out, which needs no ledger', async () => {
    const server = await startServer({ controlPort: 0, faults: ['token/nostr-alphabet'] });
    onTestFinished(() => server.close(0));
    writeFileSync(join(cwd, 'served.yaml'), JSON.stringify(describeProfile(server)));
    const flags = ['--target', 'served.yaml', '--rule', 'token/nostr-length'];
    const again = () =>
      runCaptured(['check', ...flags, '--rule', 'token/nostr-alphabet', '--out', 'run'], { cwd });
    await again();
    expect(firstCheck('run')).not.toBe('token/nostr-alphabet');
    const second = await again();
    expect(second.stdout).toMatch(/^Since run \(.* UTC\): still broken 1\.$/m);
    expect(firstCheck('run')).toBe('token/nostr-alphabet');
  });

  it.each(['--failed-first', '--only-failed'])('is what %s needs', async (flag) => {
    const { exitCode, stderr } = await check([], flag);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error LAST_RUN_NONE: ${flag}`);
  });

  it('names the rules to begin with, their parts that showed it, and those of --only-failed', () => {
    const rule = (id: string, verdict: RuleResult['verdict'], shownBy?: string): RuleResult => ({
      ...serviceSample().rules[0]!,
      id,
      verdict,
      shownBy,
    });
    const rules = [rule('a/1', 'fail', 'x2'), rule('a/2', 'pass'), rule('b/1', 'waived')];
    const part = { check: 'a/1:2', number: 1 };
    const exchanges = [{ ...serviceSample().exchanges[0]!, id: 'x2', part }];
    const document = { ...serviceSample(), rules, exchanges };
    const last = { run: 'r', document, isAsked: false, failsOnNew: false };
    const first = ['a/1', 'b/1', 'a/1:2'];
    const order = (asked: { onlyFailed?: true; only?: string[] }) =>
      orderByLastRun(last, { only: [], ...asked });
    expect(order({})).toEqual({ first, only: [] });
    expect(order({ only: ['b/*'] })).toEqual({ first, only: ['b/*'] });
    expect(order({ onlyFailed: true })).toEqual({ first, only: ['a/1', 'b/1'] });
    expect(order({ onlyFailed: true, only: ['b/*'] })).toEqual({ first, only: ['b/1'] });
  });

  it('is compared only with a whole run of the same rules, unless it is named', () => {
    const earlier = serviceSample();
    const changesOf = (later: ConformanceDocument, isAsked = false) =>
      withChanges(later, { run: 'r', document: earlier, isAsked, failsOnNew: false }).against;
    const without = (verdict: RuleResult['verdict'], to: RuleResult['verdict'] = 'excluded') => ({
      ...earlier,
      rules: earlier.rules.map((one) => (one.verdict === verdict ? { ...one, verdict: to } : one)),
    });
    expect(changesOf(earlier)).toBeDefined();
    expect(changesOf(without('pass'))).toBeDefined();
    expect(changesOf(without('fail'))).toBeUndefined();
    expect(changesOf(without('fail'), true)).toBeDefined();
    expect(changesOf(without('excluded', 'pass'))).toBeUndefined();
    expect(changesOf({ ...earlier, interrupted: true })).toBeUndefined();
    expect(changesOf({ ...earlier, summary: NOTHING })).toBeUndefined();
  });

  it.each([
    ['one', {}, 'folder'],
    ['none that was interrupted', { interrupted: true }, null],
    ['none that judged nothing', { summary: { ...NOTHING, inconclusive: 4 } }, null],
  ])('is %s', async (_, facts, expected) => {
    const ledger = ledgerFile(join(cwd, 'ledger.jsonl'));
    const place = { baseUrl: 'http://127.0.0.1:1', ledger };
    const run = { ...serviceSample(), summary: { ...NOTHING, pass: 1 }, ...facts };
    await recordLastRun('folder', run, place, Date.now());
    const open = await ledger.open();
    expect(open.lastRun(place.baseUrl)).toBe(expected);
    await recordLastRun('meanwhile', run, place, Date.now());
    open.close();
  });
});
