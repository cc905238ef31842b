import { expect, test } from 'vitest';
import { checkArrows, formatViolation } from '../../tools/check-arrows.mjs';

/** The objections to one file, each as `line  what`, with the rest of the tree empty. */
function objections(file: string, source: string, rest: Record<string, string> = {}): string[] {
  return checkArrows({ ...rest, [file]: source })
    .filter((violation) => violation.file === file)
    .map(({ line, what }) => `${line}  ${what}`);
}

const GREEN_TREE = {
  'bin/fareproof.js': `import '../dist/cli/main.js';`,
  'src/index.ts': `export { startServer } from './server/index.ts';
    export type { Rule } from './interface/index.ts';`,
  'src/cli/main.ts': `import { runCheck } from '../conformance/index.ts';
    import packageJson from '../../package.json' with { type: 'json' };
    import { print } from './print.ts';
    const rules = await import(process.argv[2]);
    process.exitCode = 1;`,
  'src/cli/print.ts': `console.log(process.env.NO_COLOR); process.stdout.write('');`,
  'src/interface/index.ts': `export * from './token-messages.ts'; export * from './catalogue.ts';`,
  'src/interface/token-messages.ts': `import * as z from 'zod';`,
  'src/interface/catalogue.ts': `import { TOKEN_RULES } from './catalogue/token.ts';
    export const at = new Date(0);`,
  'src/interface/catalogue/token.ts': `import { hash } from 'node:crypto';`,
  'src/server/index.ts': `import { createServer } from 'node:http';
    import { TokenRequest } from '../interface/token-messages.ts';
    const worker = new Worker(new URL('./worker.js', import.meta.url));
    const page = new URL('../../suites/full.yaml', import.meta.url);
    const used = process.memoryUsage().rss;
    const [, second = 2, { third }, ...rest] = [, 1];
    for (;;) break;`,
  'src/server/worker.ts': `import { setTimeout } from 'node:timers/promises'; Date.now();`,
  'src/conformance/index.ts': `export * from './service/token.ts'; export * from './client/token.ts';`,
  'src/conformance/engine.ts': `import { LIMITS } from '../interface/limits.ts';`,
  'src/conformance/service/token.ts': `import { sign } from '../../interface/signature.ts';
    import { SERVICE_RULES } from '../../interface/catalogue.ts';
    import { judge } from '../engine.ts';`,
  'src/conformance/client/token.ts': `import { judge } from '../engine.ts';`,
  'src/load/index.ts': `import type { EstimateRecord } from '../interface/index.ts';`,
  'src/report/index.ts': `import * as console from './console.ts';
    export const text = console.render();`,
  'src/report/console.ts': `export const render = (process: { env: string }) => process.env;`,
  'src/report/live/page.ts': `import { createServer } from 'node:http'; void fetch;`,
};

test('a tree with allowed imports only has no violation', () => {
  expect(checkArrows(GREEN_TREE).map(formatViolation)).toEqual([]);
});

test('a violation is printed with its place, what is wrong and why', () => {
  const [violation] = checkArrows({ 'src/load/plan.ts': `\nimport '../server/index.ts';` });
  expect(violation && formatViolation(violation)).toBe(
    'src/load/plan.ts:2  imports ../server/index.ts  server, conformance, load and report know themselves and the ground floor, never each other',
  );
});

test.each([
  ['import', `import { a } from '../load/plan.ts';`],
  ['type import', `import type { A } from '../load/plan.ts';`],
  ['import for its effect', `import '../load/plan.js';`],
  ['export of names', `export { a } from '../load/plan.ts';`],
  ['export of everything', `export * from '../load/plan.ts';`],
  ['dynamic import', `await import('../load/plan.ts');`],
  ['dynamic import of a template', 'await import(`../load/plan.${extension}`);'],
  ['dynamic import of one of two', `await import(built ? '../load/plan.js' : './plan.ts');`],
  ['import inside a type', `type A = import('../load/plan.ts').A;`],
  ['require', `require('../load/plan.ts');`],
  ['createRequire', `createRequire(import.meta.url)('../load/plan.ts');`],
  ['import.meta.resolve', `import.meta.resolve('../load/plan.ts');`],
  ['worker', `new Worker(new URL('../load/plan.js', import.meta.url));`],
  ['worker with a computed end', `new URL('../load/plan' + extension, import.meta.url);`],
])('an arrow is seen in each form of reference: %s', (_form, source) => {
  expect(objections('src/server/index.ts', source)).toHaveLength(1);
});

test.each([
  ['src/server/a.ts', '../load/index.ts'],
  ['src/server/a.ts', '../report/index.ts'],
  ['src/conformance/service/a.ts', '../../server/index.ts'],
  ['src/conformance/a.ts', '../load/index.ts'],
  ['src/load/a.ts', '../conformance/index.ts'],
  ['src/report/a.ts', '../conformance/index.ts'],
])('the parts do not know each other: %s imports %s', (file, specifier) => {
  expect(objections(file, `import '${specifier}';`)).toEqual([`1  imports ${specifier}`]);
});

test.each(['src/cli/check.ts', 'src/index.ts'])(
  '%s comes in by the index.ts of an area',
  (file) => {
    const up = file === 'src/index.ts' ? '.' : '..';
    expect(objections(file, `import '${up}/server/state.ts';`)).toHaveLength(1);
    expect(objections(file, `import '${up}/interface/signature.ts';`)).toEqual([]);
    expect(objections(file, `new URL('${up}/load/worker.js', import.meta.url);`)).toHaveLength(1);
    expect(objections(file, `import '${up}/server/index.ts';`)).toEqual([]);
  },
);

test('nothing imports src/cli or src/index.ts', () => {
  expect(objections('src/report/a.ts', `import '../cli/print.ts';`)).toHaveLength(1);
  expect(objections('src/report/a.ts', `import '../index.ts';`)).toHaveLength(1);
  expect(objections('src/cli/a.ts', `import '../index.ts';`)).toHaveLength(1);
  expect(objections('src/index.ts', `import './cli/main.ts';`)).toHaveLength(1);
});

test('the sides of the checker judge apart', () => {
  const service = 'src/conformance/service/a.ts';
  const client = 'src/conformance/client/a.ts';
  expect(objections(service, `import '../client/b.ts';`)).toEqual(['1  imports ../client/b.ts']);
  expect(objections(client, `import '../service/b.ts';`)).toEqual(['1  imports ../service/b.ts']);
});

test('the sides of the checker do not meet through a shared file', () => {
  const rest = {
    'src/conformance/index.ts': `import './client/run.ts';`,
    'src/conformance/engine.ts': `import './index.ts';`,
  };
  expect(objections('src/conformance/service/a.ts', `import '../engine.ts';`, rest)).toEqual([
    '1  imports ../engine.ts, which leads to src/conformance/client/run',
  ]);
});

test.each([
  ['src/conformance/service/token.ts', '../../interface/token-messages.ts'],
  ['src/conformance/client/token.ts', '../../interface/estimate-messages.ts'],
  ['src/conformance/engine.ts', '../interface/openapi.ts'],
  ['src/conformance/engine.ts', '../interface/index.ts'],
])('the checker uses no message shape: %s imports %s', (file, specifier) => {
  expect(objections(file, `import '${specifier}';`)).toEqual([`1  imports ${specifier}`]);
});

test('what the checker may use leads to no message shape', () => {
  expect(objections('src/interface/limits.ts', `export * from './token-messages.ts';`)).toEqual([
    '1  imports ./token-messages.ts',
  ]);
  expect(objections('src/interface/openapi.ts', `import './token-messages.ts';`)).toEqual([]);
});

test.each([
  `import { readFileSync } from 'node:fs';`,
  `import http from 'http';`,
  `import { z } from 'yaml';`,
  `import '../server/index.ts';`,
  `import page from '../../package.json' with { type: 'json' };`,
  `new URL('../../suites/full.yaml', import.meta.url);`,
  `export const home = process.env.HOME;`,
  `export const used = process.memoryUsage();`,
  `await fetch('http://127.0.0.1/');`,
  `export const now = Date.now();`,
  `export const now = new Date();`,
  `export const chance = Math.random();`,
  `setTimeout(() => {}, 1);`,
])('the interface is pure: %s', (source) => {
  expect(objections('src/interface/a.ts', source)).toHaveLength(1);
});

test.each([
  `console.log(1);`,
  `const { log } = console;`,
  `globalThis.console.error(1);`,
  `import { log } from 'node:console';`,
  `process.stdout.write('');`,
  `process.stderr.write('');`,
  `process.stdin.resume();`,
  `export const name = process.argv[2];`,
  `export const home = process.env.HOME;`,
  `export const home = process.env['HOME'];`,
  `export const home = process['env'].HOME;`,
  `export const home = process[name].HOME;`,
  `export const home = globalThis.process.env.HOME;`,
  `export const home = process!.env.HOME;`,
  `const { env } = process;`,
  `const alias = process;`,
  `import { env } from 'node:process';`,
  `import node from 'node:process'; export const home = node.env.HOME;`,
  `process.exit(1);`,
  `process.exitCode = 1;`,
  `function stop(code: number) { if (code) process.exit(code); }`,
])('only the command line prints, reads and ends the process: %s', (source) => {
  expect(objections('src/server/a.ts', source)).toHaveLength(1);
  expect(objections('src/cli/a.ts', source)).toEqual([]);
});

test.each([
  `import type { Env } from 'node:process';`,
  `export type Env = typeof process.env;`,
  `export const env = options.process.env;`,
  `export const code = { process: 1, console: 2 };`,
  `for (const process of processes) process.exit();`,
  `try { run(); } catch (console) { console.log(); }`,
  `export const hasProcess = typeof process !== 'undefined';`,
  `export const cpu = process.cpuUsage();`,
])('what only looks like the command line is none of it: %s', (source) => {
  expect(objections('src/server/a.ts', source)).toEqual([]);
});

test.each(['_http_common', 'node:_http_server', 'internal/deps/undici'])(
  'internals of Node are out of bounds everywhere: %s',
  (specifier) => {
    expect(objections('src/server/a.ts', `import '${specifier}';`)).toHaveLength(1);
    expect(objections('src/cli/a.ts', `process.getBuiltinModule('${specifier}');`)).toHaveLength(1);
  },
);

test.each([
  `import { createServer } from 'node:net';`,
  `import http from 'node:http';`,
  `import { request } from 'undici';`,
  `await fetch(address);`,
])('only the live page of report uses the network: %s', (source) => {
  expect(objections('src/report/html.ts', source)).toHaveLength(1);
  expect(objections('src/report/live/server.ts', source)).toEqual([]);
});

test('every file of src/ belongs to an area', () => {
  expect(objections('src/util.ts', '')).toEqual(['1  belongs to no area']);
  expect(objections('src/common/util.ts', '')).toEqual(['1  belongs to no area']);
});

test('src/ reaches outside itself for data only', () => {
  expect(objections('src/load/a.ts', `import '../../tools/x.mjs';`)).toHaveLength(1);
  expect(
    objections('src/load/a.ts', `new URL('../../tools/x.mjs', import.meta.url);`),
  ).toHaveLength(1);
  expect(objections('src/load/a.ts', `import { a } from 'fareproof';`)).toHaveLength(1);
});

test('a computed address is for the command line only', () => {
  expect(objections('src/conformance/a.ts', 'await import(file);')).toHaveLength(1);
  expect(objections('src/conformance/a.ts', 'await import(`../${area}/index.ts`);')).toHaveLength(
    1,
  );
  expect(objections('src/cli/a.ts', 'await import(file);')).toEqual([]);
});

test('bin/ is the launcher and nothing else', () => {
  expect(objections('bin/fareproof.js', `import '../dist/server/index.js';`)).toHaveLength(1);
  expect(objections('bin/fareproof.js', `import 'commander';`)).toHaveLength(1);
  expect(
    objections('bin/fareproof.js', `import { enableCompileCache } from 'node:module';`),
  ).toEqual([]);
});

test('a file that cannot be read is a violation', () => {
  expect(objections('src/load/a.ts', 'const = 1;')).toHaveLength(1);
});
