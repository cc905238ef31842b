import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendPrivate, followLinks, PRIVATE, replaceFile } from '../../src/files/write-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('a link is replaced, and what it leads to stays', () => {
  const folder = temporaryFolder();
  const [file, victim] = [join(folder, 'file'), join(folder, 'victim')];
  writeFileSync(victim, 'theirs');
  symlinkSync(victim, file);
  replaceFile(file, 'ours', PRIVATE);
  expect(lstatSync(file).isSymbolicLink()).toBe(false);
  expect([readFileSync(file, 'utf8'), readFileSync(victim, 'utf8')]).toEqual(['ours', 'theirs']);
  expect(modeOf(file)).toBe(PRIVATE);
  expect(readdirSync(folder).sort()).toEqual(['file', 'victim']);
});

test('nothing is appended through a link', () => {
  const folder = temporaryFolder();
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'theirs');
  symlinkSync(victim, join(folder, 'file'));
  expect(() => appendPrivate(join(folder, 'file'), 'ours')).toThrow('ELOOP');
  expect(readFileSync(victim, 'utf8')).toBe('theirs');
});

test('what is appended is for its owner only, whatever the permissions of the file were', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'one\n', { mode: 0o666 });
  appendPrivate(file, 'two\n', true);
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  expect(modeOf(file)).toBe(PRIVATE);
});

test('a file that cannot be replaced leaves no draft', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'file'));
  expect(() => replaceFile(join(folder, 'file'), 'ours')).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual(['file']);
});

test('links are followed to a file that need not exist', () => {
  const folder = temporaryFolder();
  symlinkSync('second', join(folder, 'first'));
  symlinkSync(join(folder, 'file'), join(folder, 'second'));
  expect(followLinks(join(folder, 'first'))).toBe(join(folder, 'file'));
  expect(existsSync(join(folder, 'file'))).toBe(false);
  symlinkSync('circle', join(folder, 'circle'));
  expect(() => followLinks(join(folder, 'circle'))).toThrow('ELOOP');
});
