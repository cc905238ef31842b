import { Redactor } from '../../../redaction/index.ts';
import { SpendCounter } from '../budget/spend-counter.ts';
import type { Walk } from '../contract/walk.ts';
import { Evidence } from '../wire/evidence.ts';
import { PartnerPool } from '../wire/partner-pool.ts';
import type { TargetClient } from '../wire/target-client.ts';
import { Stage } from './stage.ts';

const DAY_S = 86_400;

/** Seconds since midnight UTC of a time in ms. */
const secondOfDay = (atMs: number): number => Math.floor(atMs / 1000) % DAY_S;

/** Opens a stage of fresh partners; its requests are no evidence of the run. */
export async function openStage(
  client: TargetClient,
  longLock: boolean,
  startsAt?: number,
  broken?: ReadonlySet<string>,
): Promise<Stage> {
  const { clock } = client;
  const wall = (): number => clock.machineNow();
  const apart = client.apart(new Evidence(new Redactor()), new SpendCounter(wall, wall()));
  return stageOf(apart, longLock, startsAt, broken);
}

/** Opens a stage of fresh partners at a time of the day; left out, now. */
export async function stageOf(
  client: TargetClient,
  longLock: boolean,
  startsAt?: number,
  broken: ReadonlySet<string> = new Set(),
): Promise<Stage> {
  const { clock } = client;
  await clock.refresh();
  if (startsAt !== undefined) {
    const seconds = (startsAt - secondOfDay(clock.now()) + DAY_S) % DAY_S;
    await clock.moveTo(clock.now() + seconds * 1000);
  }
  const walk: Pick<Walk, 'startsAt' | 'longLock'> = {
    startsAt: secondOfDay(clock.now()),
    longLock,
  };
  const pool = new PartnerPool(client, {});
  client.freshRequest = () => pool.freshRequest();
  return new Stage(client, pool, walk, broken);
}
