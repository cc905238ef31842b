// @module-tag long
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  checkService,
  recheckService,
  type ServiceResult,
} from '../../../src/conformance/index.ts';
import type { ProfilePartner } from '../../../src/interface/index.ts';
import { describeProfile, type FaultId, startServer } from '../../../src/server/index.ts';
import { ledgerFile } from '../../../src/spending/index.ts';
import { RUN } from '../../independent-service/judge.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { stored } from './recheck/same-again.ts';

const USED_UP = 'its allowances are used up: restart it, or give it a control API';
const LIMIT = { timeout: 300_000 };

const PARTNERS: readonly ProfilePartner[] = ['p-1', 'p-2'].map((id) => ({
  id,
  signingKey: `key-of-${id}`,
  use: 'general',
  authCodes: Array.from({ length: 6 }, (_, at) => `${id}-code-${at}`),
}));

/** A service on one port that is restarted between runs, and a ledger that knows of all of them. */
class OwnService {
  readonly #ledger = ledgerFile(join(temporaryFolder(), 'ledger.jsonl'));
  #port = 0;
  #stop: () => Promise<void> = async () => undefined;
  #target: Parameters<typeof checkService>[0]['target'] | undefined;

  async restart(...faults: FaultId[]): Promise<void> {
    await this.#stop();
    const server = await startServer({ partners: PARTNERS, port: this.#port, faults });
    this.#port = Number(new URL(server.baseUrl).port);
    this.#stop = () => server.close(0);
    this.#target = describeProfile(server);
  }

  async check(run: Partial<Parameters<typeof checkService>[0]> = {}): Promise<ServiceResult> {
    return checkService({
      ...RUN,
      clock: { ...RUN.clock, now: Date.now },
      target: this.#target!,
      ledger: this.#ledger,
      probesGaps: false,
      ...run,
    });
  }

  async stop(): Promise<void> {
    await this.#stop();
  }
}

async function ownService(): Promise<OwnService> {
  const service = new OwnService();
  onTestFinished(() => service.stop());
  await service.restart();
  return service;
}

const idsWith = ({ rules }: ServiceResult, ...verdicts: string[]): string[] =>
  rules.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
const judged = (result: ServiceResult): string[] => idsWith(result, 'pass', 'fail', 'warn');

it(
  'a service that is restarted after each repair is judged as a whole each time',
  LIMIT,
  async () => {
    const service = await ownService();
    const faults: FaultId[] = [
      'token/scope-default',
      'lifecycle/refresh-rotates',
      'signature/empty-skipped',
    ];
    await service.restart(...faults);
    const first = await service.check();
    expect(idsWith(first, 'fail')).toEqual(expect.arrayContaining(faults));
    while (faults.length > 0) {
      const repaired = faults.pop()!;
      await service.restart(...faults);
      const result = await service.check();
      expect(idsWith(result, 'fail')).toEqual(expect.arrayContaining(faults));
      expect(idsWith(result, 'pass')).toContain(repaired);
      expect(judged(first).filter((id) => !judged(result).includes(id))).toEqual([]);
    }
  },
);

it('a service that was not restarted is told so, and not accused', LIMIT, async () => {
  const service = await ownService();
  await service.check();
  const again = await service.check();
  expect(idsWith(again, 'fail', 'warn')).toEqual([]);
  expect(again.verdict).toBe('incomplete');
  expect(again.notes[0]).toContain(USED_UP);
  const rechecked = await recheckService(stored(again));
  expect(rechecked.rules.map(({ id, verdict }) => [id, verdict])).toEqual(
    again.rules.map(({ id, verdict }) => [id, verdict]),
  );
});

it('small runs without a restart between them never accuse it', LIMIT, async () => {
  const service = await ownService();
  const only = ['token/scope-default', 'lifecycle/refresh-*'];
  const notes: string[] = [];
  for (let run = 0; run < 6; run++) {
    const result = await service.check({ only });
    expect(idsWith(result, 'fail', 'warn')).toEqual([]);
    notes.push(...result.notes);
  }
  expect(notes.join()).toContain(USED_UP);
});

it('what earlier runs used up is waited for in no later one', LIMIT, async () => {
  const service = await ownService();
  await service.restart('token/nostr-length');
  const slept: number[] = [];
  const sleep: typeof RUN.clock.sleep = (forMs, signal) => {
    slept.push(forMs);
    return RUN.clock.sleep(forMs, signal);
  };
  const clock = { ...RUN.clock, now: Date.now, sleep };
  await service.check({ only: ['token/nostr-length'], clock });
  const again = await service.check({ only: ['token/nostr-length'], clock });
  expect(again.notes.join()).toContain(USED_UP);
  expect(slept.filter((forMs) => forMs > 30_000)).toEqual([]);
});
