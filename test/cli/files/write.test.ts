import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownPath, writeFiles } from '../../../src/cli/files/write.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FAILURE = { code: 'REPORT_NOT_WRITABLE', place: 'out', flag: '--out' };

test('files are written into folders that are created first', async () => {
  const folder = join(temporaryFolder(), 'a', 'b');
  await writeFiles(folder, { 'one.txt': '1', 'c/two.txt': '2' }, FAILURE);
  expect(readFileSync(join(folder, 'c/two.txt'), 'utf8')).toBe('2');
});

test('a failure has the code, the place, its reason and the flag', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(writeFiles(join(file, 'sub'), { 'one.txt': '1' }, FAILURE)).rejects.toMatchObject({
    code: 'REPORT_NOT_WRITABLE',
    message: 'out: cannot be written (ENOTDIR); choose another place with --out.',
  });
});

test.each([
  ['/home/ci/reports/run', 'reports/run'],
  ['/home/ci', '/home/ci'],
  ['/elsewhere/run', '/elsewhere/run'],
])('%s is shown in /home/ci as %s', (path, shown) => {
  expect(shownPath(path, { cwd: '/home/ci' })).toBe(shown);
});
