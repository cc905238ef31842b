// @module-tag long
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  type InProcessServers,
  openServersInProcess,
} from '../../../src/app/embedded/in-process.ts';
import {
  checkService,
  recheckService,
  type ServiceResult,
} from '../../../src/conformance/index.ts';
import type { ProfilePartner } from '../../../src/interface/index.ts';
import type { FaultId } from '../../../src/server/index.ts';
import { ledgerFile } from '../../../src/spending/index.ts';
import { RUN } from '../../independent-service/judge.ts';
import { watchedClock } from '../../independent-service/world.ts';
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
  readonly #sleptMs: number[] = [];
  #world: InProcessServers | undefined;

  /** Times for which its runs slept. */
  get sleptMs(): readonly number[] {
    return this.#sleptMs;
  }

  async restart(...faults: FaultId[]): Promise<void> {
    const startMs = this.#world?.clock.now() ?? Date.now();
    this.#world = await openServersInProcess([{ partners: PARTNERS, faults }], {
      seed: RUN.seed,
      startMs,
    });
  }

  async check(only: readonly string[] = []): Promise<ServiceResult> {
    const { clock, openTransport, profiles } = this.#world!;
    return checkService({
      ...RUN,
      clock: watchedClock(clock, (forMs) => this.#sleptMs.push(forMs)),
      openTransport,
      target: profiles[0]!,
      ledger: this.#ledger,
      probesGaps: false,
      only,
    });
  }
}

async function ownService(): Promise<OwnService> {
  const service = new OwnService();
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
    const result = await service.check(only);
    expect(idsWith(result, 'fail', 'warn')).toEqual([]);
    notes.push(...result.notes);
  }
  expect(notes.join()).toContain(USED_UP);
});

it('what earlier runs used up is waited for in no later one', LIMIT, async () => {
  const service = await ownService();
  await service.restart('token/nostr-length');
  await service.check(['token/nostr-length']);
  const again = await service.check(['token/nostr-length']);
  expect(again.notes.join()).toContain(USED_UP);
  expect(service.sleptMs.filter((forMs) => forMs > 30_000)).toEqual([]);
});
