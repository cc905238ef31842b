import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { resumeRunLog, type ServiceResult } from '../../../../src/conformance/index.ts';
import { MeteredRun, ruleOf, verdicts } from '../../../independent-service/metered-run.ts';
import { STYLES, type Style } from '../../../independent-service/style.ts';
import fc from '../../../support/property.ts';

const USES = ['general', 'general', 'witness'] as const;
const running: MeteredRun[] = [];

afterEach(async () => {
  for (const { service } of running.splice(0)) await service.stop();
});

async function open(
  style: Style,
  uses: ConstructorParameters<typeof MeteredRun>[2] = USES,
): Promise<MeteredRun> {
  const run = new MeteredRun(style, [], uses);
  running.push(run);
  await run.service.start();
  return run;
}

/** Runs until the service receives the request of that number, and interrupts it then. */
async function interruptedAt(
  run: MeteredRun,
  number: number,
  options: Parameters<MeteredRun['judge']>[1] = {},
): Promise<ServiceResult> {
  const interruption = new AbortController();
  let seen = 0;
  run.service.onRequest = () => {
    if (++seen === number) interruption.abort();
  };
  const result = await run.judge('start', { ...options, signal: interruption.signal });
  run.service.onRequest = () => undefined;
  return result;
}

/** Number of repeated uses of each refresh_token. */
function repeats(bodies: readonly string[]): number {
  const tokens = bodies.flatMap((body) => /"refresh_token":"([^"]*)"/.exec(body)?.[1] ?? []);
  return tokens.length - new Set(tokens).size;
}

function nostrsOf(bodies: readonly string[]): string[] {
  return bodies.flatMap((body) => /"nostr":"([0-9A-Za-z]{6})"/.exec(body)?.[1] ?? []);
}

it('a resumed run keeps the order of rules that it began with', {
  tags: ['long'],
}, async () => {
  const first = ['lifecycle/refresh-single-use-concurrent'];
  const whole = await open(STYLES[0]!, ['general']);
  const expected = await whole.judge('start', { first });
  expect(ruleOf(expected, first[0]!).verdict).toBe('pass');
  const run = await open(STYLES[0]!, ['general']);
  await interruptedAt(run, 2, { first });
  const result = await run.judge('resume');
  expect(verdicts(result)).toEqual(verdicts(expected));
});

describe('a run that was interrupted', () => {
  const expectSameWhenResumed = async (
    style: Style,
    atRequests: readonly number[],
  ): Promise<void> => {
    const whole = await open(style);
    const expected = await whole.judge('start');
    for (const number of atRequests) {
      const run = await open(style);
      const first = await interruptedAt(run, number);
      expect(first.interrupted).toBe(true);
      const result = await run.judge('resume');
      expect(verdicts(result)).toEqual(verdicts(expected));
      expect(result.interrupted).toBeUndefined();
      expect(result.spend).toEqual(expected.spend);
      expect(result.seed).toBe(expected.seed);
      expect(run.service.bodies).toHaveLength(whole.service.bodies.length);
      expect(repeats(run.service.bodies)).toBe(repeats(whole.service.bodies));
      const nostrs = nostrsOf(run.service.bodies);
      const twice = (all: string[]): number => all.length - new Set(all).size;
      expect(twice(nostrs)).toBe(twice(nostrsOf(whole.service.bodies)));
      expect(run.service.bans).toEqual([]);
      const ids = result.exchanges.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  };

  // Worlds draw the style, the rules and the moment.
  it('has the same verdicts, without an extra request, when resumed', { tags: ['long'] }, () =>
    expectSameWhenResumed(STYLES[0]!, [9, 60]),
  );
});

describe('a run that died with a request in flight', () => {
  /** The file as it is if the process is killed right after a request was recorded. */
  function killAt(run: MeteredRun, count: number): void {
    const lines = readFileSync(run.runLogPath, 'utf8').split('\n');
    const at = lines.findIndex(
      (line, index) =>
        line.startsWith('{"sending"') &&
        lines.slice(0, index).filter((one) => one.startsWith('{"sending"')).length === count,
    );
    writeFileSync(run.runLogPath, `${lines.slice(0, at + 1).join('\n')}\n{"exch`);
  }

  it('does not send that request again', { tags: ['long'] }, async () => {
    const run = await open(STYLES[0]!);
    await interruptedAt(run, 120);
    killAt(run, 3);
    const before = run.service.bodies.length;
    const result = await run.judge('resume');
    const lost = result.exchanges.find(({ error }) => error?.code === 'ANSWER_LOST');
    expect(lost).toBeDefined();
    const nostr = /"nostr":"(\w+)"/.exec(lost?.request.body ?? '')?.[1] ?? '';
    const after = run.service.bodies.slice(before);
    expect(after.some((body) => body.includes(nostr))).toBe(false);
    expect(result.summary.fail).toBe(0);
    const again = await run.judge('resume');
    expect(again.rules).toEqual(result.rules);
  });
});

describe('the files of a run', () => {
  it('are for their owner only, and have secrets only in the journal', {
    timeout: 120_000,
  }, async () => {
    const run = await open(STYLES[1]!);
    await interruptedAt(run, 120);
    const { service } = run;
    expect(statSync(run.runLogPath).mode & 0o777).toBe(0o600);
    const text = readFileSync(run.runLogPath, 'utf8');
    const secrets = [
      ...[...service.partners.values()].map(({ key }) => key),
      ...service.tokens.keys(),
      ...service.refreshes.keys(),
      'code-0-0',
    ];
    expect(secrets.length).toBeGreaterThan(10);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).toContain('"judged"');
  });

  it('can be read wherever they were cut off', async () => {
    const run = await open(STYLES[0]!);
    await interruptedAt(run, 20);
    const whole = readFileSync(run.runLogPath);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: whole.length }), (length) => {
        writeFileSync(run.runLogPath, whole);
        truncateSync(run.runLogPath, length);
        const { earlier } = resumeRunLog(run.runLogPath);
        expect(earlier?.exchanges.length).toBeLessThanOrEqual(20);
        // Repaired by the reader: the next entry begins a new line.
        expect(() => resumeRunLog(run.runLogPath)).not.toThrow();
      }),
      { numRuns: 60 },
    );
  });

  it('are refused if damaged, or of another run', async () => {
    const run = await open(STYLES[0]!);
    await interruptedAt(run, 5);
    await expect(run.judge('resume', { only: ['token/*'] })).rejects.toMatchObject({
      code: 'RESUME_OTHER_RUN',
    });
    const whole = readFileSync(run.runLogPath, 'utf8');
    writeFileSync(run.runLogPath, `nonsense\n${whole}`);
    await expect(run.judge('resume')).rejects.toMatchObject({ code: 'RESUME_BROKEN' });
    expect(() => resumeRunLog('/nowhere/progress.jsonl')).toThrow(
      expect.objectContaining({ code: 'RESUME_NOTHING' }),
    );
  });

  it('of a finished run give the same verdicts, and send nothing', {
    tags: ['long'],
  }, async () => {
    const run = await open(STYLES[0]!);
    const first = await run.judge('start');
    const requests = run.service.bodies.length;
    const again = await run.judge('resume');
    expect(again.rules).toEqual(first.rules);
    expect(again.exchanges).toEqual(first.exchanges);
    expect(run.service.bodies).toHaveLength(requests);
    expect(ruleOf(again, 'token/nostr-length').verdict).toBe('pass');
  });
});
