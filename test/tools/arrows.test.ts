import { describe, expect, test } from 'vitest';
import { checkArrows, formatViolation } from '../../tools/check-arrows.mjs';

/** The objections to one file, each as `line  what`, with the rest of the tree given. */
function objections(file: string, source: string, rest: Record<string, string> = {}): string[] {
  return checkArrows({ ...rest, [file]: source })
    .filter((violation) => violation.file === file)
    .map(({ line, what }) => `${line}  ${what}`);
}

const GREEN_TREE = {
  'bin/fareproof.js': `import { launch } from '../dist/cli/launch.js';`,
  'src/index.ts': `export { startServer } from './server/index.ts';
    export type { Rule } from './interface/index.ts';`,
  'src/cli/main.ts': `import { checkTarget } from '../app/check/check-target.ts';
    import type { LoadFlags } from '../load/index.ts';
    import type { RunDocument } from '../documents/run-document.ts';
    import { print } from './print.ts';
    const rules = await import(process.argv[2]);
    const suite = new URL(\`../../suites/\${name}.yaml\`, import.meta.url);`,
  'src/app/check/check-target.ts': `import { checkService } from '../../conformance/index.ts';
    import { ledgerFile } from '../../spending/index.ts';`,
  'src/cli/print.ts': `new URL('../../package.json', import.meta.url);`,
  'src/interface/index.ts': `export * from './token-messages.ts'; export * from './catalogue.ts';`,
  'src/interface/token-messages.ts': `import * as z from 'zod';`,
  'src/interface/catalogue.ts': `import { RULES } from './catalogue/service.ts';`,
  'src/interface/catalogue/service.ts': `import { hash } from 'node:crypto';`,
  'src/documents/run-document.ts': `import type { Rule } from '../interface/catalogue.ts';`,
  'src/server/index.ts': `export { startServer } from './start-server.ts';`,
  'src/server/service-listener.ts': `import { FastPath } from './speed/fast-path.ts';`,
  'src/server/start-server.ts': `import { createServer } from 'node:http';
    import { TokenRequest } from '../interface/token-messages.ts';
    const worker = new Worker(new URL('./worker.js', import.meta.url));
    const page = new URL('../../suites/full.yaml', import.meta.url);`,
  'src/server/speed/fast-path.ts': `import './estimate-writer.ts';`,
  'src/conformance/index.ts': `export * from './service/token.ts'; export * from './client/token.ts';`,
  'src/conformance/verdict.ts': `import { LIMITS } from '../interface/limits.ts';
    import type { RuleResult } from '../documents/conformance.ts';`,
  'src/conformance/service/token.ts': `import { sign } from '../../interface/signature.ts';
    import { SERVICE_RULES } from '../../interface/catalogue/service.ts';
    import { judge } from '../verdict.ts';`,
  'src/conformance/client/token.ts': `import { judge } from '../verdict.ts';`,
  'src/load/index.ts': `import type { EstimateRecord } from '../interface/index.ts';
    import './run-load.ts';`,
  'src/load/run-load.ts': `import './engine/engine.ts';
    import './tokens/keeper.ts';`,
  'src/load/tokens/keeper.ts': `import { spend } from '../../spending/index.ts';
    import { firstToken } from './access-token.ts';`,
  'src/load/tokens/access-token.ts': `import { post } from './post.ts';`,
  'src/spending/index.ts': `export { openLedger } from './ledger.ts';`,
  'src/spending/ledger.ts': `import { LIMITS } from '../interface/limits.ts';
    import { makeFolder } from '../files/make-folder.ts';`,
  'src/files/make-folder.ts': `import { mkdirSync } from 'node:fs';`,
  'src/load/engine/engine.ts': `const { prepare } = await import('./autocannon/engine.ts');`,
  'src/report/index.ts': `import * as console from './console.ts';`,
};

test('a tree whose arrows all point the right way has no violation', () => {
  expect(checkArrows(GREEN_TREE).map(formatViolation)).toEqual([]);
});

test('a violation is printed with its place, what is wrong and why', () => {
  const [violation] = checkArrows({ 'src/load/plan.ts': `\nimport '../server/index.ts';` });
  expect(violation && formatViolation(violation)).toBe(
    'src/load/plan.ts:2  imports ../server/index.ts  load knows itself, src/redaction, src/spending, src/answers, src/documents, src/files and src/interface',
  );
});

test.each([
  ['import', `import { a } from '../load/plan.ts';`],
  ['type import', `import type { A } from '../load/plan.ts';`],
  ['import for its effect', `import '../load/plan.js';`],
  ['export of names', `export { a } from '../load/plan.ts';`],
  ['export of everything', `export * from '../load/plan.ts';`],
  ['dynamic import', `await import('../load/plan.ts');`],
  ['dynamic import of a template', 'await import(`../load/plan.ts`);'],
  ['import.meta.resolve', `import.meta.resolve('../load/plan.ts');`],
  ['worker', `new Worker(new URL('../load/plan.js', import.meta.url));`],
  ['worker over several lines', `new URL(\n  '../load/plan.js',\n  import.meta.url,\n);`],
])('an arrow is seen in each form of reference: %s', (_form, source) => {
  expect(objections('src/server/a.ts', source)).toHaveLength(1);
});

test('a file of a package has an address without being an arrow', () => {
  expect(objections('src/report/a.ts', `import.meta.resolve('uplot/dist/uPlot.min.css');`)).toEqual(
    [],
  );
});

describe('the areas', () => {
  test.each([
    ['src/server/a.ts', '../load/index.ts'],
    ['src/server/a.ts', '../report/index.ts'],
    ['src/server/a.ts', '../documents/load.ts'],
    ['src/conformance/service/a.ts', '../../server/index.ts'],
    ['src/conformance/a.ts', '../load/index.ts'],
    ['src/load/a.ts', '../conformance/index.ts'],
    ['src/report/a.ts', '../conformance/index.ts'],
    ['src/report/a.ts', '../cli/print.ts'],
    ['src/report/a.ts', '../index.ts'],
    ['src/cli/a.ts', '../index.ts'],
    ['src/cli/a.ts', '../spending/index.ts'],
    ['src/cli/a.ts', '../conformance/index.ts'],
    ['src/app/a.ts', '../cli/print.ts'],
    ['src/app/a.ts', '../testing/matchers.ts'],
    ['src/load/a.ts', '../app/check/check-target.ts'],
    ['src/index.ts', './cli/main.ts'],
    ['src/documents/a.ts', '../report/index.ts'],
    ['src/interface/a.ts', '../documents/load.ts'],
    ['src/interface/a.ts', '../../package.json'],
    ['src/load/a.ts', '../../tools/x.mjs'],
    ['src/spending/a.ts', '../documents/load.ts'],
    ['src/spending/a.ts', '../interface/token-messages.ts'],
    ['src/server/a.ts', '../spending/index.ts'],
    ['src/load/a.ts', '../spending/ledger.ts'],
    ['src/files/a.ts', '../interface/limits.ts'],
    ['bin/fareproof.js', '../dist/server/index.js'],
  ])('do not know each other: %s imports %s', (file, specifier) => {
    expect(objections(file, `import '${specifier}';`)).toEqual([`1  imports ${specifier}`]);
  });

  test.each(['src/cli/check.ts', 'src/app/check.ts', 'src/index.ts'])(
    'are entered by their index.ts: %s',
    (file) => {
      const up = file === 'src/index.ts' ? '.' : '..';
      expect(objections(file, `import '${up}/server/state.ts';`)).toHaveLength(1);
      expect(objections(file, `new URL('${up}/load/worker.js', import.meta.url);`)).toHaveLength(1);
      expect(objections(file, `import '${up}/server/index.ts';`)).toEqual([]);
      expect(objections(file, `import '${up}/interface/signature.ts';`)).toEqual([]);
      expect(objections(file, `import '${up}/documents/load.ts';`)).toEqual([]);
    },
  );

  test('hold every file of src/', () => {
    expect(objections('src/util.ts', '')).toEqual(['1  belongs to no area']);
    expect(objections('src/common/util.ts', '')).toEqual(['1  belongs to no area']);
  });

  test('reach outside of src/ for data only, and the ground floor not even so', () => {
    const tool = `new URL('../../tools/x.mjs', import.meta.url);`;
    const suite = `new URL('../../suites/full.yaml', import.meta.url);`;
    expect(objections('src/load/a.ts', tool)).toEqual(['1  refers to ../../tools/x.mjs']);
    expect(objections('src/load/a.ts', suite)).toEqual([]);
    expect(objections('src/interface/a.ts', suite)).toHaveLength(1);
  });

  test.each(['fareproof', '#load', '/load.js', 'file:///load.js'])(
    'are imported by relative paths: %s',
    (specifier) => {
      expect(objections('src/load/a.ts', `import { a } from '${specifier}';`)).toHaveLength(1);
    },
  );

  test.each([
    'await import(file);',
    'await import(`../${area}/index.ts`);',
    'import.meta.dirname;',
    'import.meta.resolve(file);',
    "import.meta.resolve('uplot/dist/' + file);",
  ])('have no computed address, but for the command line: %s', (source) => {
    expect(objections('src/conformance/a.ts', source)).toEqual([
      expect.stringContaining('a computed address'),
    ]);
    expect(objections('src/cli/a.ts', source)).toEqual([]);
  });
});

describe('the checker', () => {
  const service = 'src/conformance/service/a.ts';
  const client = 'src/conformance/client/a.ts';

  test('judges service and client apart', () => {
    expect(objections(service, `import '../client/b.ts';`)).toEqual(['1  imports ../client/b.ts']);
    expect(objections(client, `import '../service/b.ts';`)).toEqual(['1  imports ../service/b.ts']);
  });

  test('judges them apart by way of a shared file too', () => {
    const rest = {
      'src/conformance/list.ts': `import './client/run.ts';`,
      'src/conformance/verdict.ts': `import './list.ts';`,
    };
    expect(objections(service, `import '../verdict.ts';`, rest)).toEqual([
      '1  imports ../verdict.ts, which leads to src/conformance/client/run',
    ]);
  });

  test.each([
    [service, '../../interface/token-messages.ts'],
    [client, '../../interface/estimate-messages.ts'],
    ['src/conformance/engine.ts', '../interface/openapi.ts'],
    ['src/conformance/engine.ts', '../interface/index.ts'],
  ])('shares no message shape with the server: %s imports %s', (file, specifier) => {
    expect(objections(file, `import '${specifier}';`)).toEqual([`1  imports ${specifier}`]);
  });

  test('shares files that lead to no message shape', () => {
    const source = `import './token-messages.ts';`;
    expect(objections('src/interface/limits.ts', source)).toHaveLength(1);
    expect(
      objections('src/interface/catalogue/service.ts', `import '../openapi.ts';`),
    ).toHaveLength(1);
    expect(objections('src/interface/openapi.ts', source)).toEqual([]);
  });

  test('has checks that do not know who runs them', () => {
    const contract = 'src/conformance/service/contract/check.ts';
    expect(objections(contract, `import type { Run } from '../runner/run.ts';`)).toHaveLength(1);
    const rest = { 'src/conformance/service/result.ts': `import './runner/run.ts';` };
    expect(objections(contract, `import '../result.ts';`, rest)).toHaveLength(1);
    expect(objections(contract, `import '../result.ts';`)).toEqual([]);
    const runner = 'src/conformance/service/runner/run.ts';
    expect(objections(runner, `import '../contract/check.ts';`)).toEqual([]);
  });
});

describe('a room', () => {
  test.each([
    ['src/server/service/service.ts', '../speed/fast-path.ts', 1],
    ['src/server/service/estimate/endpoint.ts', '../../speed/steps.ts', 1],
    ['src/server/start-server.ts', './speed/fast-path.ts', 1],
    ['src/server/service-listener.ts', './speed/fast-path.ts', 0],
    ['src/server/speed/steps.ts', './fast-path.ts', 0],
    ['src/load/plan/plan.ts', '../engine/autocannon/client.ts', 1],
    ['src/load/index.ts', './engine/native/generator.ts', 1],
    ['src/load/engine/engine.ts', './native/generator.ts', 0],
  ])('is entered by those that may: %s imports %s', (file, specifier, count) => {
    expect(objections(file, `import '${specifier}';`)).toHaveLength(count);
  });
});

describe('a circle', () => {
  test('of two files is seen at each of its imports, types too', () => {
    const tree = {
      'src/load/a.ts': `import { b } from './b.ts';`,
      'src/load/b.ts': `import type { A } from './a.ts';`,
    };
    expect(checkArrows(tree).map(({ file, line, what }) => `${file}:${line} ${what}`)).toEqual([
      'src/load/a.ts:1 imports ./b.ts, part of src/load/{a, b}',
      'src/load/b.ts:1 imports ./a.ts, part of src/load/{a, b}',
    ]);
  });

  test('of folders is seen where no circle of files is', () => {
    const tree = {
      'src/load/plan/plan.ts': `import '../tokens/keeper.ts';`,
      'src/load/tokens/take.ts': `import '../options.ts';`,
      'src/load/options.ts': `import './plan/stages.ts';`,
    };
    expect(checkArrows(tree).map(({ what }) => what)).toEqual([
      'imports ./plan/stages.ts, part of src/load/{options, plan, tokens}',
      'imports ../tokens/keeper.ts, part of src/load/{options, plan, tokens}',
      'imports ../options.ts, part of src/load/{options, plan, tokens}',
    ]);
  });

  test('is none where imports go one way', () => {
    const tree = {
      'src/load/index.ts': `import './plan/plan.ts'; import './options.ts';`,
      'src/load/plan/plan.ts': `import '../options.ts'; import './stages.ts';`,
      'src/load/plan/stages.ts': `import '../options.ts';`,
      'src/load/thread.ts': `new Worker(new URL('./worker.js', import.meta.url));`,
      'src/load/worker.ts': `import './thread.ts';`,
    };
    expect(checkArrows(tree)).toEqual([]);
  });
});

test('bin/ is the launcher and nothing else', () => {
  expect(objections('bin/fareproof.js', `import '../dist/server/index.js';`)).toHaveLength(1);
  expect(objections('bin/fareproof.js', `import '../dist/cli/launch.js';`)).toEqual([]);
});

test('a file that cannot be read is a violation', () => {
  expect(objections('src/load/a.ts', 'const = 1;')).toHaveLength(1);
});

test.each([
  ['src/conformance/service/a.ts', './http/transport.ts', '../../spending/index.ts'],
  ['src/load/tokens/a.ts', './access-token.ts', '../../spending/index.ts'],
])('%s cannot send to a target without the ledger', (file, sender, ledger) => {
  expect(objections(file, `import '${sender}';`)).toEqual([`1  imports ${sender}`]);
  expect(objections(file, `import '${sender}';\nimport '${ledger}';`)).toEqual([]);
});
