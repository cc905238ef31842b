// @module-tag long
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeOpenApi } from '../../src/interface/index.ts';
import { linksOf } from '../docs/guide.ts';
import { installPackage } from '../support/installed-package.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';

/** The file that `npm pack` makes, in an empty project; its name has a space. dist/ has to be built. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const project = join(temporaryFolderOfFile(), 'a project');
const installed = join(project, 'node_modules/fareproof');

let files: readonly string[] = [];

beforeAll(() => {
  ({ files } = installPackage(project));
});

describe('the packed file', () => {
  it('has types for each entry', () => {
    const types = files.filter((path) => /^dist\/[^/]*\.d\.ts$/.test(path));
    expect(types.sort()).toEqual(['dist/index.d.ts', 'dist/matchers.d.ts', 'dist/vitest.d.ts']);
  });

  it('has the client that demo runs', () => {
    expect(files).toContain('examples/typescript/dist/client.js');
  });

  it('has each file that one of its pages links to', () => {
    const links = files
      .filter((page) => page.endsWith('.md'))
      .flatMap((page) =>
        linksOf(readFileSync(join(installed, page), 'utf8'))
          .filter((address) => !/^(#|[a-z]+:)/.test(address))
          .map((address) => posix.join(dirname(page), address.replace(/#.*/, ''))),
      );
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
  });
});

const USE = `
import { checkService, FULL_SUITE_NAME_UNKNOWN, runLoad, startServer, type RunDocument } from 'fareproof';
`;

const SOURCE = `
import { checkService, DEMO_PARTNERS, runLoad, type RunDocument, startServer } from 'fareproof';
const server = await startServer({ port: 0 });
const url: string = server.baseUrl;
export const verdictOf = (document: RunDocument): string => document.kind;
export const all = [checkService, runLoad, DEMO_PARTNERS, url];
`;

/** Compiles a file of the project; the errors, none for a file that is right. */
function errorsOf(module: string, moduleResolution: string, source: string): string {
  const name = `use-${moduleResolution}.mts`;
  writeFileSync(join(project, name), source);
  const options = {
    module,
    moduleResolution,
    target: 'es2023',
    types: [],
    strict: true,
  };
  const config = join(project, 'tsconfig.json');
  const compilerOptions = { ...options, noEmit: true };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [name] }));
  try {
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config]);
    return '';
  } catch (error) {
    return String((error as { stdout?: Buffer }).stdout);
  }
}

describe('the types of the library', () => {
  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('are found by module %s with resolution %s, without those of Node', (module, by) => {
    expect(errorsOf(module, by, SOURCE)).toBe('');
  });

  it('show no schema, and no name of ours, and lack what is for the command alone', () => {
    const paths = files.filter((path) => path.endsWith('.d.ts'));
    const types = paths.map((path) => readFileSync(join(installed, path), 'utf8')).join('');
    expect(types).not.toMatch(/@internal|from "zod"|\b(?:DocumentOf|Sealed|\w+\$\d)\b/);
  });

  it('refuse a name that the library lacks', () => {
    expect(errorsOf('nodenext', 'nodenext', USE)).toContain('FULL_SUITE_NAME_UNKNOWN');
  });
});

describe('the library', () => {
  it.each([
    ['use.mjs', "import { sign } from 'fareproof';"],
    ['use.cjs', "const { sign } = require('fareproof');"],
  ])('is loaded by %s', (name, first) => {
    writeFileSync(join(project, name), `${first}\nconsole.log(typeof sign);\n`);
    const flags = ['--no-warnings', join(project, name)];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe('function\n');
  });
});

describe('the command', () => {
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [join(installed, 'bin/fareproof.js'), ...args], {
      cwd: project,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  it('finds its version, its suites and its worker in a path with a space', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(run('--version')).toBe(`${version}\n`);
    expect(run('check', '--rule', 'token/grant-type-known')).toContain('1 pass');
  });

  it('describes the interface as the sources do', () => {
    const described = describeOpenApi('http://127.0.0.1:8080', run('--version').trim());
    expect(run('rules', '--openapi')).toBe(`${JSON.stringify(described, null, 2)}\n`);
  });

  it('says what a module of rules needs that lies outside of a project', () => {
    const module = join(project, '..', 'rules.mjs');
    writeFileSync(
      module,
      "import { defineRule } from 'fareproof';\nexport const rules = [defineRule({})];\n",
    );
    expect(() => run('check', '--rules-module', module)).toThrow('npm install fareproof');
  });

  it('takes rules in TypeScript where Node can strip types, and says so where not', () => {
    const rule = { id: 'house/x', level: 'must', statement: 'it is so' };
    const check = "{ baseRequest: 'estimate', spends: () => ({}), run: async () => PASS }";
    writeFileSync(
      join(project, 'rules.ts'),
      `const PASS: object = { verdict: 'pass', reason: 'so' };\nexport const rules: object[] = [{ ...${JSON.stringify(rule)}, check: ${check} }];\n`,
    );
    const judged = (): string => run('check', '--rules-module', 'rules.ts', '--rule', 'house/*');
    const strips = 'typescript' in process.features && process.features.typescript !== false;
    if (strips) expect(judged()).toContain('1 pass');
    else expect(judged).toThrow('use Node 22.18 or newer');
  });

  it('says which package a generator lacks', () => {
    const load = (): string => run('load', '--engine', 'autocannon', '--duration', '1s');
    expect(load).toThrow('AUTOCANNON_NOT_INSTALLED');
  });
});
