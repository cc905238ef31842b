import { describe, expect, it } from 'vitest';
import { ACCESSES, type Access, checkServer } from '../../../src/app/selfcheck/judge-service.ts';
import { FAULTS, isOnFastPath } from '../../../src/server/index.ts';

const RULE = 'lifecycle/refresh-single-use';

const documentOf = async (seed: number, access: Access): Promise<string> =>
  JSON.stringify(await checkServer(RULE, seed, { access, rule: RULE, sockets: false }));

describe('a check in process', () => {
  it.each(ACCESSES)(
    'is the same to the byte with one seed, and another with another: %s',
    async (access) => {
      const first = await documentOf(3, access);
      expect(await documentOf(3, access)).toBe(first);
      expect(await documentOf(4, access)).not.toBe(first);
    },
  );

  it.each([true, false])(
    'finds a request that answers late (over sockets: %s)',
    async (sockets) => {
      const { rules } = await checkServer(RULE, 1, { access: 'control', rule: RULE, sockets });
      expect(rules.find(({ id }) => id === RULE)?.verdict).toBe('fail');
    },
  );

  it('finds a fault of the fast path, which is judged over sockets', async () => {
    const fault = FAULTS.find(({ id }) => isOnFastPath(id));
    const way = { access: 'control', rule: fault!.rule, sockets: false } as const;
    const { rules } = await checkServer(fault!.id, 1, way);
    expect(rules.find(({ id }) => id === fault!.rule)?.verdict).toMatch(/fail|warn/);
  });
});
