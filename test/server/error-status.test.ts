import { describe, expect, it } from 'vitest';
import { DEFAULT_ERROR_STATUS, ERROR_CONDITIONS } from '../../src/interface/index.ts';
import { statusOf, withServer } from './on-server.ts';
import { TRIGGERING, TRIGGERS } from './triggers.ts';

describe('gaps', () => {
  it.each(ERROR_CONDITIONS)('%s: its default status, its own, and its name', async (condition) => {
    await withServer(TRIGGERING, async (caller) => {
      const { status, body } = await TRIGGERS[condition](caller);
      expect([status, body.error.code]).toEqual([DEFAULT_ERROR_STATUS[condition], condition]);
    });
    const moved = { ...TRIGGERING, 'error-status': { [condition]: 499 } };
    expect(await statusOf(moved, TRIGGERS[condition])).toBe(499);
  });
});
