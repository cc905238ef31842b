import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownPath, writeFiles, writeSecretFile } from '../../../src/app/files/write.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FAILURE = { code: 'REPORT_NOT_WRITABLE', place: 'out', option: 'out' };

test('files are written into folders that are created first', async () => {
  const folder = join(temporaryFolder(), 'a', 'b');
  await writeFiles(folder, { 'one.txt': '1', 'c/two.txt': '2' }, FAILURE);
  expect(readFileSync(join(folder, 'c/two.txt'), 'utf8')).toBe('2');
});

test('a failure has the code, the place, its reason and the option', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(writeFiles(join(file, 'sub'), { 'one.txt': '1' }, FAILURE)).rejects.toMatchObject({
    code: 'REPORT_NOT_WRITABLE',
    message:
      'out: cannot be written: a part of the path is not a folder (ENOTDIR). Choose another place with out.',
  });
});

test('a file that cannot be replaced stays as it was, and no draft is left', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'run.json'));
  await expect(writeFiles(folder, { 'run.json': '{}' }, FAILURE)).rejects.toMatchObject({
    message: expect.stringContaining('it is a folder (EISDIR)'),
  });
  expect(readdirSync(folder)).toEqual(['run.json']);
});

test('a file is replaced by a new one, not written over', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'run.json'), 'former');
  linkSync(join(folder, 'run.json'), join(folder, 'kept'));
  await writeFiles(folder, { 'run.json': 'new' }, FAILURE);
  expect(readFileSync(join(folder, 'run.json'), 'utf8')).toBe('new');
  expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('former');
});

test('a secret is for its owner only', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'profile.yaml');
  writeFileSync(file, 'former', { mode: 0o644 });
  await writeSecretFile(file, 'secret');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['secret', 0o600]);
  await writeSecretFile('/dev/null', 'secret');
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test.each([
  ['/home/ci/reports/run', 'reports/run'],
  ['/home/ci', '/home/ci'],
  ['/elsewhere/run', '/elsewhere/run'],
])('%s is shown in /home/ci as %s', (path, shown) => {
  expect(shownPath(path, { cwd: '/home/ci' })).toBe(shown);
});
