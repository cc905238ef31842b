import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Report {
  diagnostics: { code: string; filename: string }[];
}

/**
 * The rules that each file of a tree breaks, with the folders' rules of this repository and none
 * besides.
 */
function lint(tree: Readonly<Record<string, string>>): Map<string, string[]> {
  const folder = temporaryFolder();
  const { overrides, plugins, rules } = JSON.parse(
    readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8'),
  ) as { overrides: unknown[]; plugins: string[]; rules: Record<string, unknown> };
  const config = {
    plugins,
    overrides,
    categories: { correctness: 'off' },
    rules: { 'import/no-cycle': rules['import/no-cycle'] },
  };
  for (const [file, source] of Object.entries({
    ...tree,
    '.oxlintrc.json': JSON.stringify(config),
  })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), source);
  }
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const { stdout } = spawnSync(process.execPath, [oxlint, '--format=json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const broken = new Map<string, string[]>();
  for (const { filename, code } of (JSON.parse(stdout) as Report).diagnostics) {
    broken.set(filename, [...(broken.get(filename) ?? []), code]);
  }
  return broken;
}

type Case = readonly [file: string, source: string];

/** Lints all cases at once, each as a file of its own beside the one named. */
function expectEach(cases: readonly Case[], isBroken: boolean): void {
  const files = cases.map(([file, source], at) => [file.replace('a.ts', `${at}.ts`), source]);
  const broken = lint(Object.fromEntries(files) as Record<string, string>);
  const wrong = cases.filter((_, at) => broken.has(files[at]?.[0] ?? '') !== isBroken);
  expect(wrong).toEqual([]);
}

const inEach = (files: readonly string[], sources: readonly string[]): Case[] =>
  files.flatMap((file) => sources.map((source) => [file, source] as const));

describe('only the command line prints, reads its arguments and ends the process', () => {
  const sources = [
    `console.log(1);`,
    `const { log } = console;`,
    `globalThis.console.error(1);`,
    `import { log } from 'node:console';`,
    `import { log } from 'console';`,
    `process.stdout.write('');`,
    `process.stdin.resume();`,
    `export const name = process.argv[2];`,
    `export const home = process['env'].HOME;`,
    `export const home = process[name].HOME;`,
    `export const home = globalThis.process.env.HOME;`,
    `export const home = global.process.env.HOME;`,
    `const { env } = process;`,
    `const alias = process;`,
    `import { env } from 'node:process';`,
    `import { env } from 'process';`,
    `import node from 'node:process'; export const home = node.env.HOME;`,
    `import * as node from 'node:process';`,
    `const { env } = await import('node:process');`,
    `process.exit(1);`,
    `process.exitCode = 1;`,
  ];

  test('elsewhere it is refused', () => {
    const areas = ['server', 'conformance', 'load', 'report', 'documents', 'interface'];
    const files = areas.map((area) => `src/${area}/a.ts`);
    expectEach(inEach(['src/a.ts', ...files], sources), true);
  });

  test('it may', () => {
    expectEach(inEach(['src/cli/a.ts', 'src/cli/commands/load/a.ts'], sources), false);
  });

  test('what only looks like it is allowed', () => {
    const innocent = [
      `export const env = options.process.env;`,
      `export const code = { process: 1, console: 2 };`,
      `for (const process of processes) process.exit();`,
      `try { run(); } catch (console) { console.log(); }`,
      `import * as console from './console.ts'; console.render();`,
    ];
    expectEach(inEach(['src/server/a.ts', 'src/load/a.ts'], innocent), false);
    expectEach([['src/load/clock.ts', 'process.hrtime();']], false);
  });
});

test('internals of Node are out of bounds everywhere', () => {
  const sources = [
    `import '_http_common';`,
    `import 'node:_http_server';`,
    `await import('internal/deps/undici');`,
    `process.getBuiltinModule('_http_common');`,
    `process.binding('http_parser');`,
    `import { createRequire } from 'node:module';`,
  ];
  const files = ['src/cli/a.ts', 'src/server/http/a.ts', 'src/report/live/a.ts', 'bin/a.ts'];
  expectEach(inEach(files, sources), true);
});

test('an import is seen by tools: no require, and no import inside a type', () => {
  const sources = [`const a = require('./b.js');`, `export type A = import('./b.ts').A;`];
  expectEach(inEach(['src/cli/a.ts', 'src/load/a.ts'], sources), true);
});

describe('the ground floor', () => {
  const files = ['src/interface/a.ts', 'src/documents/a.ts', 'src/interface/catalogue/a.ts'];

  test('is pure', () => {
    const sources = [
      `import { readFileSync } from 'node:fs';`,
      `import http from 'http';`,
      `import { parse } from 'yaml';`,
      `await fetch('http://127.0.0.1/');`,
      `export const now = Date.now();`,
      `export const now = new Date();`,
      `export const now = performance.now();`,
      `export const chance = Math.random();`,
      `const { random } = Math;`,
      `setTimeout(() => {}, 1);`,
    ];
    expectEach(inEach(files, sources), true);
  });

  test('may check shapes and hash', () => {
    const sources = [
      `import { z } from 'zod';`,
      `import { createHash } from 'node:crypto';`,
      `import { a } from './b.ts';`,
      `import { a } from '../interface/b.ts';`,
      `export const size = Math.max(1, 2);`,
    ];
    expectEach(inEach(files, sources), false);
  });
});

test('randomness is a parameter, of tests too', () => {
  const sources = [`export const chance = Math.random();`, `const { random } = Math;`];
  const files = [
    'src/server/a.ts',
    'src/cli/a.ts',
    'test/independent-service/odd/a.ts',
    'test/a.ts',
  ];
  expectEach(inEach(files, sources), true);
  expectEach(inEach(files, [`export const size = Math.max(1, 2);`]), false);
});

describe('the network', () => {
  const sources = [
    `import { createServer } from 'node:net';`,
    `import http from 'node:http';`,
    `import type { Socket } from 'node:net';`,
    `import { connect } from 'tls';`,
    `const { request } = await import('undici');`,
  ];

  test('is used by the folders that may', () => {
    const files = [
      'src/cli/files/a.ts',
      'src/conformance/service/http/a.ts',
      'src/conformance/client/selfcheck/a.ts',
      'src/load/engine/native/a.ts',
      'src/load/engine/autocannon/a.ts',
      'src/load/tokens/a.ts',
      'src/report/live/a.ts',
      'src/server/http/a.ts',
      'src/server/intercept/a.ts',
    ];
    expectEach(inEach(files, sources), false);
  });

  test('is used by no other', () => {
    const files = [
      'src/conformance/service/rules/a.ts',
      'src/load/plan/a.ts',
      'src/report/html/a.ts',
      'src/server/token/a.ts',
    ];
    expectEach(inEach(files, sources), true);
    expectEach([['src/report/html/a.ts', `await fetch(address);`]], true);
    expectEach([['src/report/live/a.ts', `await fetch(address);`]], false);
  });

  test('is reached by autocannon in its engine only', () => {
    const source = `const { default: autocannon } = await import('autocannon');`;
    const files = ['src/load/a.ts', 'src/load/engine/native/a.ts', 'src/load/tokens/a.ts'];
    expectEach(inEach(files, [source]), true);
    expectEach([['src/load/engine/autocannon/a.ts', source]], false);
  });

  test('is reached by NATS in its folder only, and by nothing else there', () => {
    const source = `const { connect } = await import('@nats-io/transport-node');`;
    const files = ['src/load/a.ts', 'src/load/agents/a.ts', 'src/load/tokens/a.ts'];
    expectEach(inEach(files, [source]), true);
    expectEach([['src/load/agents/nats/a.ts', source]], false);
    expectEach(inEach(['src/load/agents/nats/a.ts'], sources), true);
  });
});

test('files form no circle, types included', () => {
  const broken = lint({
    'src/load/a.ts': `import { b } from './b.ts'; export const a = b;`,
    'src/load/b.ts': `import type { C } from './c.ts'; export const b: C = 1;`,
    'src/load/c.ts': `import type { a } from './a.ts'; export type C = typeof a;`,
    'src/load/d.ts': `import { a } from './a.ts'; export const d = a;`,
  });
  expect([...broken.keys()].sort()).toEqual(['src/load/a.ts', 'src/load/b.ts', 'src/load/c.ts']);
});
