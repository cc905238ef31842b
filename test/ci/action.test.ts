// @module-tag long
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/index.ts';
import { CLOSED_ADDRESS } from '../support/closed-address.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readAction, runAction } from './action-runner.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8');

const action = readAction(TEXT);

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({
    partners: [{ id: 'demo', signingKey: 'key-of-demo', use: 'general', authCodes: [] }],
  });
});
afterAll(() => server.close());

let folder: string;
beforeEach(() => {
  folder = join(temporaryFolder(), 'a project');
  mkdirSync(folder);
  writeProfile('target.yaml', server.baseUrl);
});

function writeProfile(name: string, baseUrl: string): void {
  const profile = {
    name,
    baseUrl,
    partners: [{ id: 'demo', signingKey: 'key-of-demo' }],
    estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
  };
  writeFileSync(join(folder, name), JSON.stringify(profile));
}

const run = (inputs: Record<string, string>) =>
  runAction(action, {
    inputs,
    folder,
    scratch: temporaryFolder(),
    actionPath: ROOT,
    contexts: { github: { job: 'release' }, strategy: {} },
  });

describe('the action', () => {
  it('checks a service: outputs, job summary, annotations and an artifact', async () => {
    const { succeeded, outputs, used, summary, log } = await run({
      target: 'target.yaml',
      rule: 'token/nostr-*\nsignature/wrong-key-refused',
      ledger: 'ledger.jsonl',
      flags: '--seed 1\n--max-rate 50\n',
    });
    expect(log).not.toContain('::error');
    expect(outputs).toMatchObject({ 'exit-code': '0', report: 'reports/check/report.html' });
    expect(outputs['verdict']).toBe('conformant');
    expect(Number(outputs['judged'])).toBeGreaterThan(1);
    expect(existsSync(join(folder, 'reports/check/run.json'))).toBe(true);
    expect(summary).toContain('Conformant, ');
    expect(used.at(-1)).toMatchObject({
      with: {
        name: 'fareproof-check-release',
        path: join(folder, 'reports/check'),
        'if-no-files-found': 'ignore',
      },
    });
    expect(succeeded).toBe(true);
  });

  it('gates on load: a missed threshold of several fails the job, and the artifact is kept', async () => {
    const { succeeded, outputs, used, log } = await run({
      command: 'load',
      target: 'target.yaml',
      rate: '50',
      duration: '300ms',
      threshold: 'errors<100%\nrate>1000000',
      out: 'figures of load',
      ledger: 'ledger.jsonl',
    });
    expect(['1', '3']).toContain(outputs['exit-code']);
    expect(log).toContain('::error');
    expect(succeeded).toBe(false);
    expect(used.at(-1)).toMatchObject({ with: { path: join(folder, 'figures of load') } });
    const document = JSON.parse(readFileSync(join(folder, 'figures of load/run.json'), 'utf8')) as {
      thresholds: { expression: string }[];
    };
    expect(document.thresholds.map(({ expression }) => expression)).toEqual([
      'errors<100%',
      'rate>1000000',
    ]);
  });

  it('certifies a client, whose command is one input', async () => {
    const { outputs, log } = await run({
      command: 'certify',
      client: 'echo "the client says $((1 + 1))"',
      orders: 'no',
      flags: '--scenario steady-platform',
    });
    expect(log).toContain('the client says 2');
    expect(outputs).toMatchObject({ report: 'reports/certify/report.html' });
    expect(outputs['verdict']).not.toBe('conformant');
  });

  it.each([
    ['nothing was judged', 'target.yaml', 'house/*', 'true', false],
    ['the target does not answer', 'gone.yaml', 'token/nostr-length\nhouse/*', 'true', false],
    ['a rule was judged', 'target.yaml', 'token/nostr-length\nhouse/*', 'true', true],
    ['that is not allowed', 'target.yaml', 'token/nostr-length\nhouse/*', 'false', false],
  ])('allows that a rule is inconclusive: %s', async (_, target, rule, allowed, passes) => {
    writeProfile('gone.yaml', CLOSED_ADDRESS);
    const undecided = "{ verdict: 'inconclusive', reason: 'no answer' }";
    const check = `{ baseRequest: 'standalone', spends: () => ({}), run: async () => (${undecided}) }`;
    const rules = `[{ id: 'house/open', level: 'must', statement: 'It is open.', check: ${check} }]`;
    writeFileSync(join(folder, 'house.mjs'), `export const rules = ${rules};`);
    const { succeeded, outputs, log } = await run({
      target,
      rule,
      flags: '--rules-module house.mjs',
      ledger: 'ledger.jsonl',
      'allow-inconclusive': allowed,
    });
    expect(outputs['exit-code']).toBe('3');
    expect(succeeded).toBe(passes);
    expect(log.includes('::warning title=Fareproof::')).toBe(passes);
  });

  it.each(['strict', 'allow-inconclusive'])('takes no %s: yes for off', async (name) => {
    const { succeeded, log } = await run({ target: 'target.yaml', [name]: 'yes' });
    expect(succeeded).toBe(false);
    expect(log).toContain(`${name}: is "yes"; use true or false`);
  });

  it('passes a value with the letters of a shell on as it is, and has no artifact without a name', async () => {
    const { outputs, used, summary, log } = await run({
      target: 'none $(touch injected) `touch injected`; touch injected.yaml',
      artifact: '',
    });
    expect(outputs['exit-code']).toBe('2');
    expect(log).toContain('::error title=Fareproof::error ');
    expect(summary).toContain('there is no such file');
    expect(log).toContain('none $(touch injected) `touch injected`; touch injected.yaml');
    expect(existsSync(join(folder, 'injected'))).toBe(false);
    expect(used.map(({ uses }) => uses)).not.toContainEqual(expect.stringContaining('upload'));
  });
});
