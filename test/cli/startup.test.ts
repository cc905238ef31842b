import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadedPackages } from '../support/loaded-packages.ts';

const packagesOf = (source: string): string[] =>
  [...loadedPackages(fileURLToPath(new URL(`../../src/${source}`, import.meta.url)))].sort();

it('loads no package for --version, and only the command line parser for --help', () => {
  expect(packagesOf('cli/launch.ts')).toEqual([]);
  expect(packagesOf('cli/main.ts')).toEqual(['commander']);
});

it('loads the packages that only some loads need when they need them', () => {
  expect(packagesOf('load/index.ts')).toEqual(['hdr-histogram-js', 'zod']);
});

it('loads no package to hide the secrets of a command', () => {
  expect(packagesOf('redaction/index.ts')).toEqual([]);
});

it('finds the modules that a file loads', () => {
  expect(packagesOf('app/files/yaml.ts')).toContain('yaml');
});
