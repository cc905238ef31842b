import { expect, it } from 'vitest';
import { recheckService, replayCase, suiteSchema } from '../../../../src/conformance/index.ts';
import {
  judgeControlled,
  judgeMetered,
  targetOf,
  withVerdict,
} from '../../../independent-service/judge.ts';
import { ODD_STYLES } from '../../../independent-service/odd-styles.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { newWorld } from '../../../independent-service/world.ts';

const [plain] = STYLES;

/** A rule that no request of its own check breaks, as the form is one of a wide scope. */
const FORM = 'token/scope-echo#wider';
const RULE = 'token/scope-echo';

it('fails a rule by what it finds, with the exchanges of its steps and its case', {
  tags: ['long'],
}, async () => {
  const result = await judgeControlled(plain!, [FORM], { only: [RULE], exploreSeconds: 1 });
  expect(withVerdict(result, 'fail')).toEqual([RULE]);
  const { explored, exchanges } = result;
  const [find] = explored?.finds ?? [];
  expect(explored).toMatchObject({ seed: 11, unconfirmed: 0 });
  expect(find).toMatchObject({
    rule: RULE,
    file: expect.stringMatching(/^cases\/token-scope-echo-/),
  });
  const stored = exchanges.filter(({ id }) => find?.exchanges.includes(id));
  expect(stored.map(({ request }) => request.method)).toEqual(find?.words.map(() => 'POST'));
  expect(result.notes.join()).toContain('Explored: ');

  const world = newWorld();
  const play = async (broken: readonly string[]) => {
    const service = new OutsideService(plain!, broken, 'production', world);
    await service.start();
    const target = targetOf(service, true);
    const { openTransport } = world;
    return replayCase({
      target,
      walk: find!.walk,
      timeoutMs: 60_000,
      clock: world,
      openTransport,
      seed: 2,
    });
  };
  expect((await play([FORM])).words).toEqual(find?.words);
  const { reason, script } = await play([]);
  expect(reason).toBeNull();
  expect(script[0]).toMatch(/^curl -i -X POST /);
});

it('fails a rule by a find when the run is judged again', { tags: ['long'] }, async () => {
  const form = 'signature/invalid-refused#31-digits';
  const only = ['signature/invalid-refused', 'token/scope-default'];
  const result = await judgeControlled(plain!, [form], { only, exploreSeconds: 1 });
  const stored = JSON.parse(JSON.stringify(result)) as typeof result;
  expect(withVerdict(await recheckService(stored), 'fail')).toEqual(withVerdict(result, 'fail'));
});

it('leaves a sound service as its checks found it', async () => {
  const result = await judgeControlled(plain!, [], { only: [RULE], exploreSeconds: 0.3 });
  expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  expect(result.explored?.steps).toBeGreaterThan(100);
});

it('explores estimates with metered partners, by one platform token and one user token', {
  tags: ['long'],
}, async () => {
  // Its own requests have no departure_time on a full minute.
  const form = 'estimate/departure-time#on-the-minute';
  const rule = 'estimate/departure-time';
  const judge = (broken: readonly string[], exploreSeconds?: number) =>
    judgeMetered(plain!, broken, ['general', 'general'], { only: [rule], exploreSeconds });
  const alone = await judge([form]);
  expect(withVerdict(alone.result, 'fail')).toEqual([]);
  const { result, service } = await judge([form], 20);
  expect(withVerdict(result, 'fail')).toEqual([rule]);
  expect(result.explored?.finds.map(({ words }) => words)).toEqual([
    [
      '1. a platform token request',
      expect.stringMatching(
        /^2\. an estimate of a platform with .*with a departure_time: .*refused/,
      ),
    ],
  ]);
  const askedBy = (one: typeof service) =>
    [...one.partners.values()].flatMap(({ asked }) => asked.map(({ kind }) => kind)).sort();
  expect(askedBy(service)).toEqual([...askedBy(alone.service), 'platform', 'user'].sort());
  expect(service.bans).toEqual([]);

  const sound = await judge([], 2);
  expect(sound.result.explored).toMatchObject({ finds: [], unconfirmed: 0 });
  expect(sound.result.explored?.steps).toBeGreaterThan(100);
});

it('takes no token beyond the cap of a suite', async () => {
  const rules = { include: ['estimate/departure-time'] };
  const suite = suiteSchema.parse({ name: 'capped', rules, tokenRequests: { most: 2 } });
  const { result, service } = await judgeMetered(plain!, [], ['general'], {
    suite,
    exploreSeconds: 1,
  });
  const asked = [...service.partners.values()].flatMap((one) => one.asked);
  expect(asked).toHaveLength(2);
  expect(result.explored?.notExplored).toContain('the suite allows no more token requests');
});

it('reports of an estimate nothing that a token said before it', { tags: ['long'] }, async () => {
  const style = ODD_STYLES.find(({ name }) => name === 'writes a BOM')!;
  const run = { only: ['record/array'], exploreSeconds: 1 };
  const { result } = await judgeMetered(style, [], ['general'], run);
  expect(result.explored).toMatchObject({ finds: [] });
  expect(withVerdict(result, 'fail')).toEqual([]);
});

it('accuses nobody where a token that it holds has ended', async () => {
  let requests = 0;
  const ends = (service: OutsideService) => {
    service.onRequest = () => {
      if (++requests === 400) service.tokens.clear();
    };
  };
  const { result } = await judgeMetered(
    plain!,
    [],
    ['general'],
    { only: ['estimate/departure-time'], exploreSeconds: 3600 },
    ends,
  );
  expect(withVerdict(result, 'fail')).toEqual([]);
  expect(result.explored?.unconfirmed).toBe(3);
  expect(requests).toBeLessThan(600);
});

it('explores nothing where no partner has a token request left, and says so', async () => {
  const { result } = await judgeMetered(plain!, [], ['spendable'], {
    only: [RULE],
    exploreSeconds: 1,
    allowBan: true,
  });
  expect(result.explored).toMatchObject({ steps: 0, finds: [] });
  expect(result.notes.join()).toContain('Nothing was explored');
});
