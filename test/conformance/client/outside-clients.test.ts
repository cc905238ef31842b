import { describe, expect, it } from 'vitest';
import { certifyOutside } from '../../outside-clients/certify-outside.ts';
import { RIGHT_CLIENTS } from '../../outside-clients/right-clients.ts';
import { WRONG_CLIENTS, type WrongClient } from '../../outside-clients/wrong-clients.ts';
import { SCENARIOS } from './reference.ts';

/** Every third client is certified by each test run, the others by the long tests. */
const options = (at: number) => (at % 3 === 0 ? {} : { tags: ['long'] });

const STEADY = SCENARIOS.filter(({ name }) => /^steady-|^token-expiry/.test(name));
const scenariosFor = ({ cause }: WrongClient) =>
  cause === 'refused' || cause === 'read' || cause === 'signature' ? STEADY : SCENARIOS;

describe.concurrent('a right client that', () => {
  for (const [at, { style, deviation }] of RIGHT_CLIENTS.entries()) {
    it(`${style} is conformant`, options(at), async () => {
      const result = await certifyOutside(deviation, SCENARIOS);
      const rules = result.rules.filter(({ verdict }) => verdict !== 'pass');
      expect(rules.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
      const scenarios = result.scenarios.filter(({ verdict }) => verdict !== 'pass');
      expect(scenarios.map(({ name, reason, missing }) => [name, reason, missing])).toEqual([]);
      expect(result).toMatchObject({ verdict: 'conformant', complete: true });
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
