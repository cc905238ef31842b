import { expect, it } from 'vitest';
import { unlessStopped } from '../../../../src/conformance/service/runner/batch.ts';
import { FareproofError } from '../../../../src/interface/errors.ts';

const failing = (code: string): Promise<string> =>
  unlessStopped(Promise.reject(new FareproofError(code, `for ${code}`)), (reason) => reason);

it.each([
  'ALLOWANCE_GUARD',
  'INTERRUPTED',
  'REFRESH_TOKEN_USED',
  'EXCHANGE_MISSING',
  'RUN_NOT_RECORDED',
  'LEDGER_NOT_WRITABLE',
  'LEDGER_IN_USE',
])('a request that was not sent for %s leaves the run going', async (code) => {
  expect(await failing(code)).toBe(`for ${code}`);
});

it('any other error ends the run', async () => {
  await expect(failing('TARGET_UNREACHABLE')).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' });
  const bug = Promise.reject(new TypeError('a bug'));
  await expect(unlessStopped(bug, () => '')).rejects.toThrow('a bug');
  expect(await unlessStopped(Promise.resolve('sent'), () => '')).toBe('sent');
});
