import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CheckServiceOptions,
  checkService,
  defineRule,
  pass,
  type ServiceResult,
} from '../../../../src/conformance/index.ts';
import { RUN, withVerdict } from '../../../independent-service/judge.ts';

let server: Server;
let requests: number;
/** True if requests get an answer; otherwise they hang. */
let answers: boolean;
let onRequest: () => void;

beforeEach(async () => {
  requests = 0;
  onRequest = () => undefined;
  server = createServer((request, response) => {
    requests++;
    request.resume();
    if (answers) response.writeHead(401).end('{}');
    onRequest();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function check(
  signal: AbortSignal,
  more: Partial<CheckServiceOptions> = {},
): Promise<ServiceResult> {
  const partners = ['a', 'b'].map((id) => ({
    id,
    signingKey: 'key',
    use: 'general' as const,
    authCodes: [`${id}1`, `${id}2`],
  }));
  return checkService({
    ...RUN,
    timeoutMs: 600_000,
    signal,
    target: {
      name: 'slow',
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      environment: 'production',
      partners,
      signature: { tokenFields: 'all', estimateFields: 'all' },
      estimates: { plain: {} },
      headers: {},
    },
    ...more,
  });
}

describe('a run that is interrupted', () => {
  it('sends nothing more, keeps its verdicts, and leaves the rest undecided', {
    tags: ['long'],
  }, async () => {
    answers = true;
    const whole = withVerdict(await check(new AbortController().signal), 'fail', 'warn');
    requests = 0;
    const interruption = new AbortController();
    onRequest = () => requests === 7 && interruption.abort();
    const result = await check(interruption.signal);
    expect(result.interrupted).toBe(true);
    expect(requests).toBe(7);
    expect(result.exchanges).toHaveLength(7);
    expect(whole).toEqual(expect.arrayContaining(withVerdict(result, 'fail', 'warn')));
    const left = result.rules.filter(({ reason }) => reason.includes('interrupted'));
    expect(left.length).toBeGreaterThan(10);
    expect(left.every(({ verdict }) => verdict === 'inconclusive')).toBe(true);
  });

  it('does not wait for an answer that hangs', { tags: ['long'] }, async () => {
    answers = false;
    const interruption = new AbortController();
    onRequest = () => interruption.abort();
    const result = await check(interruption.signal);
    expect(result.interrupted).toBe(true);
    expect(requests).toBe(1);
    expect(result.exchanges[0]?.error?.code).toBe('INTERRUPTED');
    expect(result.summary.fail).toBe(0);
  });
});

it('a run that was interrupted when all was judged is not conformant', async () => {
  answers = true;
  const interruption = new AbortController();
  const own = {
    baseRequest: 'standalone',
    spends: () => ({}),
    run: async () => pass('seen'),
  } as const;
  const house = { id: 'house/rule', level: 'must', statement: 'It is so.', check: own } as const;
  const result = await check(interruption.signal, {
    customRules: [defineRule(house)],
    only: ['house/rule'],
    onRule: () => interruption.abort(),
  });
  expect(withVerdict(result, 'pass')).toEqual(['house/rule']);
  expect(result).toMatchObject({ interrupted: true, complete: true, verdict: 'incomplete' });
});
