import { readFileSync } from 'node:fs';
import { parseAction } from '@actions/workflow-parser/actions/index';
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer';
import { expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { readAction } from './action-runner.ts';

const TEXT = readFileSync(new URL('../../action.yml', import.meta.url), 'utf8');

function problems(content: string): string[] {
  const { context } = parseAction({ name: 'action.yml', content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}

it('action.yml is as the schema of GitHub says', () => {
  expect(problems(TEXT)).toEqual([]);
  expect(problems(TEXT.replace('using: composite', 'using: composed'))).not.toEqual([]);
  expect(problems(TEXT.replace('inputs.target }}', 'input.target }}'))).not.toEqual([]);
});

it('each input is used, and each that is used is declared', () => {
  const { inputs } = readAction(TEXT);
  const used = TEXT.matchAll(/\binputs\.([\w-]+)/g);
  expect(new Set([...used].map(([, name]) => name))).toEqual(new Set(Object.keys(inputs)));
});

it('runs the version that it belongs to if there is none in node_modules', () => {
  expect(TEXT).toContain(`npx --yes fareproof@${packageFile.version})`);
});
