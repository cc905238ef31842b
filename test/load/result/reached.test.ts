import { describe, expect, it } from 'vitest';
import { exhaustionReasons, unreachableReason } from '../../../src/load/result/reached.ts';

describe('unreachableReason', () => {
  const reached = {
    baseUrl: 'http://127.0.0.1:1',
    planned: 20,
    sent: 0,
    errors: { ECONNREFUSED: 15, unsent: 5 },
  } as const;

  it.each([
    reached,
    { ...reached, errors: { 'connect-timeout': 20 } },
    { ...reached, errors: { DEPTH_ZERO_SELF_SIGNED_CERT: 20 } },
  ])('names a target to which no connection was had: %j', (given) => {
    expect(unreachableReason(given)).toContain('TARGET_UNREACHABLE: none of 20 requests');
  });

  it('names the errors of a target in alphabetical order', () => {
    const errors = { ENOTFOUND: 5, ECONNREFUSED: 15 };
    expect(unreachableReason({ ...reached, errors })).toContain('(ECONNREFUSED, ENOTFOUND)');
  });

  it.each([
    { ...reached, sent: 1 },
    { ...reached, planned: 0, errors: {} },
    { ...reached, errors: { unsent: 20 } },
    { ...reached, errors: { EMFILE: 20 } },
    { ...reached, errors: { EMFILE: 10, ECONNREFUSED: 10 } },
  ])('says nothing of one that was there, or of what is not its fault: %j', (given) => {
    expect(unreachableReason(given)).toBeNull();
  });
});

it('names what this machine had too little of, in order', () => {
  expect(exhaustionReasons({ ENFILE: 1, ECONNREFUSED: 2, EMFILE: 3 }).join()).toContain(
    '(EMFILE, ENFILE): ask for fewer connections',
  );
  expect(exhaustionReasons({ ECONNREFUSED: 2 })).toEqual([]);
});
