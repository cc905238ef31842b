import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeSystemError } from '../../../src/app/files/system-error.ts';

/** The error that an action throws. */
function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

test('a full disk is named, with what to do', () => {
  const error = errorOf(() => writeFileSync('/dev/full', 'x'));
  expect(describeSystemError(error)).toEqual({
    code: 'DISK_FULL',
    cause: 'no space is left on the disk (ENOSPC)',
    remedy: 'Free some.',
    path: null,
  });
});

test('a folder in place of a file is named', () => {
  expect(describeSystemError(errorOf(() => readFileSync('/')))).toMatchObject({
    code: 'NOT_WRITABLE',
    cause: 'it is a folder (EISDIR)',
  });
});

test('another system error keeps its message', () => {
  const error = Object.assign(new Error('EWEIRD: odd, frobnicate'), {
    code: 'EWEIRD',
    syscall: 'frobnicate',
    path: '/x',
  });
  expect(describeSystemError(error)).toEqual({
    code: 'SYSTEM_ERROR',
    cause: 'EWEIRD: odd, frobnicate',
    remedy: 'Run it again.',
    path: '/x',
  });
});

test.each([new TypeError('x is not a function'), 'text', null])('%s is none', (error) => {
  expect(describeSystemError(error)).toBeNull();
});
