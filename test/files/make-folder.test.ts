import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../src/files/make-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a folder is not made where there can be none', () => {
  expect(() => makeFolder('/proc/fareproof/reports')).toThrow('mkdir');
});

test('a folder is made with those above it, and again', () => {
  const folder = join(temporaryFolder(), 'a', 'b', 'c');
  makeFolder(folder, 0o700);
  makeFolder(folder, 0o700);
  expect(existsSync(folder)).toBe(true);
  expect(statSync(join(folder, '..')).mode & 0o777).toBe(0o700);
});
