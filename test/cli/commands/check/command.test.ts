import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConformanceDocument } from '../../../../src/documents/conformance.ts';
import type { ServiceRuleId } from '../../../../src/interface/index.ts';
import { describeProfile, startServer } from '../../../../src/server/index.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  cwd = temporaryFolder();
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Starts a server with those rules broken, and writes its profile as target.yaml. */
async function serve(...faults: ServiceRuleId[]): Promise<void> {
  const server = await startServer({ faults, controlPort: 0 });
  closing.push(() => server.close());
  await writeFile(join(cwd, 'target.yaml'), JSON.stringify(describeProfile(server)));
}

const check = (args: readonly string[], given: { env?: Record<string, string> } = {}) =>
  runCaptured(['check', ...args, '--out', 'run'], { ...given, cwd });

const onTarget = ['--target', 'target.yaml', '--rule', 'record/*'];

const document = async (): Promise<ConformanceDocument> =>
  JSON.parse(await readFile(join(cwd, 'run', 'run.json'), 'utf8')) as ConformanceDocument;

const waivers = (...list: { rule: string; until?: string }[]): Promise<void> =>
  writeFile(
    join(cwd, 'waivers.yaml'),
    list
      .map(
        ({ rule, until = '2999-12-31' }) => `- rule: ${rule}\n  reason: known\n  until: ${until}\n`,
      )
      .join(''),
  );

describe('fareproof check --waivers', () => {
  it('a waived rule does not fail the run', async () => {
    await serve('record/pay-type');
    expect((await check(onTarget)).exitCode).toBe(1);
    await waivers({ rule: 'record/pay-type' });
    const { exitCode, stdout } = await check([...onTarget, '--waivers', 'waivers.yaml']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('1 waived');
    const { rules, verdict, waivers: applied, next } = await document();
    expect(verdict).toBe('conformant');
    expect(next?.command).toMatch(
      /^fareproof check --target target\.yaml .*--waivers waivers\.yaml .*--against run$/,
    );
    expect(rules.find(({ id }) => id === 'record/pay-type')?.verdict).toBe('waived');
    expect(applied).toEqual([{ rule: 'record/pay-type', reason: 'known', until: '2999-12-31' }]);
  });

  it('one without effect is reported, and fails with --strict-waivers', {
    tags: ['long'],
  }, async () => {
    await serve();
    await waivers({ rule: 'record/pay-type' }, { rule: 'client/signature' });
    const args = [...onTarget, '--waivers', 'waivers.yaml'];
    const { exitCode, stdout } = await check(args);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/ record\/pay-type +the rule passes: remove the waiver$/m);
    expect(stdout).toMatch(/ client\/signature +it matches no rule of this run/);
    expect((await document()).waivers?.map(({ problem }) => typeof problem)).toEqual([
      'string',
      'string',
    ]);
    expect((await check([...args, '--strict-waivers'])).exitCode).toBe(1);
  });

  it('one that expired lets the rule fail, with all reports', async () => {
    await serve('record/pay-type');
    await waivers({ rule: 'record/pay-type', until: '2026-01-31' });
    const { exitCode, stdout } = await check([...onTarget, '--waivers', 'waivers.yaml']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('waiver expired on 2026-01-31 (known): ');
    for (const file of ['run.json', 'report.html', 'junit.xml', 'summary.md']) {
      expect(await readFile(join(cwd, 'run', file), 'utf8')).toMatch(
        /waiver expired on 2026\\?-01\\?-31/,
      );
    }
  });

  it('one that names no rule is an error before anything is sent', async () => {
    await waivers({ rule: 'record/pay-typ' });
    const { exitCode, stderr } = await check(['--waivers', 'waivers.yaml']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      'waivers.yaml:1: [0].rule: no rule matches "record/pay-typ"; did you mean record/pay-type',
    );
    expect(await readdir(cwd)).toEqual(['waivers.yaml']);
  });
});

describe('fareproof check', () => {
  it('is incomplete if nothing was judged, says what would judge it, and exits with 3', async () => {
    const server = await startServer({});
    closing.push(() => server.close());
    await writeFile(join(cwd, 'target.yaml'), JSON.stringify(describeProfile(server)));
    const args = ['--target', 'target.yaml', '--suite', 'no-token-spend', '--rule', 'estimate/*'];
    const { exitCode, stdout } = await check(args);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('INCOMPLETE, 0 of 12 rules judged');
    expect(stdout).toContain(
      'To judge more: give a partner of the profile an accessToken (12 rules).',
    );
    expect(stdout).toContain('Exit 3: no rule was judged');
    const repeats = (await document()).rules.map(({ repeat }) => repeat);
    const same = "fareproof check --target target.yaml --suite no-token-spend --rule 'estimate/*'";
    expect(repeats).toContain(same);
    const page = await readFile(join(cwd, 'run', 'report.html'), 'utf8');
    expect(page).toMatch(
      /\+12 rules:<\/b> give a partner[^]*?<pre>fareproof check --target target.yaml --suite no-token-spend --rule /,
    );
    await check(['--target', 'target.yaml', '--rule', 'quota/ban-lifts']);
    expect((await document()).rules.find(({ id }) => id === 'quota/ban-lifts')).toMatchObject({
      verdict: 'untestable',
      repeat: 'fareproof check --target target.yaml --allow-ban --rule quota/ban-lifts',
    });
  });

  it('explains an exit code that no rule explains in every report', async () => {
    await serve('record/echoes-request');
    const { exitCode, stdout } = await check([...onTarget, '--strict']);
    expect(exitCode).toBe(1);
    const words = 'Exit 1: --strict, 1 warning';
    expect(stdout).toContain(words);
    const written = async (file: string): Promise<string> =>
      (await readFile(join(cwd, 'run', file), 'utf8')).replaceAll(/\\|<\/?span[^>]*>/g, '');
    for (const file of ['report.html', 'junit.xml', 'summary.md']) {
      expect(await written(file)).toContain(words);
    }
    expect(await written('junit.xml')).toMatch(
      /<testcase name="exit code" classname="service" time="0">\s*<failure message="Exit 1: --strict/,
    );
    expect((await document()).exit).toEqual({ code: 1, reason: '--strict, 1 warning' });
  });

  it('prints the command that judges a broken rule again, which does so', async () => {
    await serve('record/pay-type');
    const { stdout } = await check([...onTarget, '--max-rate', '100000']);
    const repeat = 'fareproof check --target target.yaml --max-rate 100000 --rule record/pay-type';
    expect(stdout).toContain(`rerun      ${repeat}\n`);
    const replay = /replay {5}(fareproof replay run x\d+ --target target\.yaml)\n/.exec(stdout);
    for (const file of ['junit.xml', 'summary.md', 'report.html']) {
      expect(await readFile(join(cwd, 'run', file), 'utf8')).toContain(repeat);
      expect(await readFile(join(cwd, 'run', file), 'utf8')).toContain(replay?.[1]);
    }
    expect(await readFile(join(cwd, 'run', 'report.html'), 'utf8')).toContain(
      'id="record/pay-type"',
    );
    expect((await runCaptured(repeat.split(' ').slice(1), { cwd })).exitCode).toBe(1);
    const sent = await runCaptured(replay?.[1]?.split(' ').slice(1) ?? [], { cwd });
    expect(sent.stdout).toMatch(/^NOT AS EXPECTED {2}x\d+ of run\/run\.json/);
    expect(sent.stdout).toContain(', but record/pay-type: pay_type is ""');
    expect(sent.exitCode).toBe(1);
  });

  it('counts what was judged and what was waived in its first line', async () => {
    await serve('record/pay-type');
    await waivers({ rule: 'record/pay-type' });
    const { stdout } = await check([...onTarget, '--waivers', 'waivers.yaml', '--label', '1.5']);
    expect((await document()).label).toBe('1.5');
    expect(stdout).toMatch(/^CONFORMANT, \d+ of \d+ rules judged, 1 waived {2}Conformance of /);
    expect(stdout).toContain('Exit 0: no rule failed; 1 violation waived');
  });

  it.each([
    [['--rule', 'tokn/*'], 'RULE_UNKNOWN: --rule: no rule matches "tokn/*"; did you mean token/*?'],
    [['--rule', 'xyzzy'], 'RULE_UNKNOWN: --rule: no rule matches "xyzzy"; see fareproof rules.'],
    [['--suite', 'smok'], 'SUITE_UNKNOWN: --suite: there is no suite "smok"; did you mean smoke?'],
    [['--suite', 'x.yaml'], 'FILE_NOT_READ: x.yaml: there is no such file.'],
    [['--target', 'x.yaml'], 'FILE_NOT_READ: x.yaml: there is no such file.'],
    [
      ['--target', 'ftp://x'],
      'ADDRESS_SCHEME: --target: unsupported URL scheme "ftp"; use http or https.',
    ],
    [['--requests', '0'], 'FLAG_VALUE: --requests: must be a positive integer or "all", not "0".'],
    [['--waivers', 'x.yaml'], 'FILE_NOT_READ: x.yaml: there is no such file.'],
  ])('%o is refused', async (args, message) => {
    const { exitCode, stderr, stdout } = await check(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(`error ${message}\n`);
  });

  it('a glob of a suite that matches nothing is named with its line', async () => {
    await writeFile(
      join(cwd, 's.yaml'),
      'name: s\nrules:\n  include: [token/*]\n  exclude: [tokens/*]\n',
    );
    const { exitCode, stderr } = await check(['--suite', 's.yaml']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      's.yaml:4: rules.exclude[0]: no rule matches "tokens/*"; did you mean token/*?',
    );
  });

  it('an unreachable target is one error, and a run folder that says so', async () => {
    const profile = {
      name: 'gone',
      baseUrl: 'http://127.0.0.1:1',
      partners: [{ id: 'a', signingKey: 'k' }],
    };
    await writeFile(join(cwd, 'target.yaml'), JSON.stringify(profile));
    const args = ['--target', 'target.yaml', '--ledger', 'ledger.jsonl'];
    const { exitCode, stderr } = await check(args);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      /\nerror TARGET_UNREACHABLE: http:\/\/127\.0\.0\.1:1 does not answer: [^\n]*\n$/,
    );
    const files = await readdir(join(cwd, 'run'));
    expect(files.sort()).toEqual(['junit.xml', 'report.html', 'run.json', 'summary.md']);
    const { verdict, rules, summary, next } = await document();
    expect([verdict, summary.pass + summary.fail]).toEqual(['incomplete', 0]);
    expect(next?.command).toBe('fareproof check --target target.yaml --ledger ledger.jsonl');
    expect(rules[0]?.reason).toMatch(/^http:\/\/127\.0\.0\.1:1 does not answer: /);
  });

  it('reports broken rules to GitHub Actions', { tags: ['long'] }, async () => {
    await serve('record/pay-type');
    const summary = join(cwd, 'summary.md');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
    const { stdout } = await check(onTarget, { env });
    expect(stdout).toMatch(/^::error title=record\/pay-type::/m);
    expect(await readFile(summary, 'utf8')).toContain('### ❌ `record/pay-type`');
    const json = await check([...onTarget, '--json'], { env });
    expect((JSON.parse(json.stdout) as ConformanceDocument).summary.fail).toBe(1);
    expect(json.stderr).toMatch(/^::error title=record\/pay-type::/m);
  });

  it('writes results when interrupted', async () => {
    await serve();
    const args = ['check', ...onTarget, '--out', 'run'];
    const { exitCode, stdout } = await runCaptured(args, {
      cwd,
      interruption: AbortSignal.abort('SIGINT'),
    });
    expect(exitCode).toBe(130);
    expect(stdout).toContain('Interrupted: partial results.');
    expect(await document()).toMatchObject({
      interrupted: true,
      verdict: 'incomplete',
      next: { command: 'fareproof check --resume run' },
    });
    expect((await readdir(join(cwd, 'run'))).sort()).toEqual([
      'junit.xml',
      'report.html',
      'run-id',
      'run.json',
      'summary.md',
    ]);
  });
});
