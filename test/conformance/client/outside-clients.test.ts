import { describe, expect, it } from 'vitest';
import { certifyOutside } from '../../outside-clients/certify-outside.ts';
import { RIGHT_CLIENTS } from '../../outside-clients/right-clients.ts';
import { STOPPING_CLIENTS } from '../../outside-clients/stopping-clients.ts';
import type { WrongClient } from '../../outside-clients/wrong-client.ts';
import { WRONG_CLIENTS } from '../../outside-clients/wrong-clients.ts';
import { SEED } from '../../support/property.ts';
import { SCENARIOS } from './reference.ts';

/** Of so many clients, the quick tests certify one. */
const OF = 12;

const options = (at: number) => ((at + SEED) % OF === 0 ? {} : { tags: ['long'] });

const STEADY = SCENARIOS.filter(({ name }) => /^steady-|^token-expiry/.test(name));
const scenariosFor = ({ cause }: WrongClient) =>
  ['refused', 'read', 'signature', 'form'].includes(cause) ? STEADY : SCENARIOS;

describe.concurrent('a right client that', () => {
  const clients = [...RIGHT_CLIENTS, ...STOPPING_CLIENTS];
  for (const [at, client] of clients.entries()) {
    const { style, deviation, orders, verdicts, wrongIn = [] } = client;
    const scenarios = SCENARIOS.filter(({ name }) => !wrongIn.includes(name));
    it(`${style} is not accused`, options(at), async () => {
      const certified = await certifyOutside(deviation, scenarios, orders);
      const { rules, verdict } = certified;
      const accused = [...rules, ...certified.scenarios].filter((one) =>
        /fail|warn/.test(one.verdict),
      );
      expect(accused).toEqual([]);
      expect(verdicts).toContain(verdict);
    });
  }
});

describe.concurrent('a wrong client that', () => {
  for (const [at, client] of WRONG_CLIENTS.entries()) {
    const { mistake, deviation, red, explainedBy } = client;
    it(`${mistake} is found`, options(at), async () => {
      const result = await certifyOutside(deviation, scenariosFor(client));
      const broken = result.rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
      const hasFailed = result.scenarios.some(({ verdict }) => verdict === 'fail');
      const found = [...broken.map(({ id }) => id), ...(hasFailed ? ['scenario'] : [])];
      expect(red.filter((one) => found.includes(one))).not.toEqual([]);
      if (explainedBy === undefined) return;
      const mistakes = result.exchanges.flatMap(
        ({ observed }) => observed.signature?.mistakes.map(({ id }) => id) ?? [],
      );
      expect(mistakes).toContain(explainedBy);
    });
  }
});
