import {
  type CheckServiceOptions,
  SeededRandom,
  type World,
} from '../../../../src/conformance/index.ts';
import { SpendCounter } from '../../../../src/conformance/service/budget/spend-counter.ts';
import { factsOf, type Target } from '../../../../src/conformance/service/contract/target.ts';
import { type Explored, explore } from '../../../../src/conformance/service/explore/explore.ts';
import { Recording } from '../../../../src/conformance/service/resume/recording.ts';
import { steadyRunClock } from '../../../../src/conformance/service/run-clock.ts';
import { Evidence } from '../../../../src/conformance/service/wire/evidence.ts';
import { RateLimiter } from '../../../../src/conformance/service/wire/rate-limit.ts';
import { readTarget } from '../../../../src/conformance/service/wire/read-target.ts';
import { Stability } from '../../../../src/conformance/service/wire/stability.ts';
import { TargetClient } from '../../../../src/conformance/service/wire/target-client.ts';
import { Chance } from '../../../independent-service/chance.ts';
import { targetOf } from '../../../independent-service/judge.ts';
import type { OddStyle } from '../../../independent-service/odd/odd-style.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { embeddedPair, newWorld } from '../../../independent-service/world.ts';

type World_ = Pick<World, 'openTransport'> & { readonly clock: World };

/** A client of a target in this process. */
function clientOf(
  given: CheckServiceOptions['target'],
  { clock: world, openTransport }: World_,
): TargetClient {
  const clock = steadyRunClock(world);
  const target: Target = readTarget(given);
  const { send, pause } = openTransport({ timeoutMs: 60_000 });
  const monotonic = (): number => clock.monotonicNs() / 1e6;
  return new TargetClient({
    target,
    facts: factsOf(target, { metered: false, partners: 0, asked: () => true, waits: false }),
    evidence: new Evidence(),
    send,
    pause,
    rateLimit: new RateLimiter(null, monotonic, (forMs) => clock.sleep(forMs)),
    random: new SeededRandom(5),
    stability: new Stability(),
    spend: new SpendCounter(() => clock.now(), clock.now()),
    recording: new Recording([], new Map()),
    runLog: null,
    machine: clock,
    monotonic,
    sleepUntil: (atMs) => clock.sleep(atMs - clock.now()),
  });
}

/** Explores the reference server in this process. */
export async function exploreReference(seed: number, most: number): Promise<Explored> {
  const pair = await embeddedPair();
  const client = clientOf(pair.target, pair as unknown as World_);
  return exploreAfterChecks(client, { seed, goesOn: ({ steps }) => steps < most });
}

/** Explores as a check does: the clock was read before, so moves of walks must not be taken for steps of it. */
async function exploreAfterChecks(
  ...[client, options]: Parameters<typeof explore>
): Promise<Explored> {
  await client.clock.refresh();
  return explore(client, options);
}

/** Explores the second service in a style, with forms of broken rules; it ends with the first find of that rule. */
export async function exploreSecond(
  style: OddStyle,
  broken: readonly string[],
  seed: number,
  most: number,
  until?: string,
): Promise<Explored> {
  const world = newWorld();
  const service = await new OutsideService(
    style,
    broken,
    'production',
    world,
    new Chance(),
  ).start();
  const { openTransport } = world;
  const client = clientOf(targetOf(service, true), { clock: world, openTransport });
  const isFound = ({ finds }: Explored): boolean => finds.some(({ rule }) => rule === until);
  return exploreAfterChecks(client, { seed, goesOn: (so) => so.steps < most && !isFound(so) });
}
