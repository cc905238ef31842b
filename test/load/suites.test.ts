import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  loadSuiteSchema,
  parseObjective,
  parseStages,
  parseThreshold,
} from '../../src/load/index.ts';

const FOLDER = fileURLToPath(new URL('../../suites/load/', import.meta.url));
const FILES = readdirSync(FOLDER);

describe('the load suites', () => {
  it('are the six documented ones', () => {
    expect(FILES.sort()).toEqual([
      'find-max.yaml',
      'ramp.yaml',
      'smoke.yaml',
      'soak.yaml',
      'spike.yaml',
      'steady.yaml',
    ]);
  });

  it.each(FILES)('%s has the shape of a load suite, and expressions that can be read', (file) => {
    const suite = loadSuiteSchema.parse(parse(readFileSync(`${FOLDER}${file}`, 'utf8')));
    expect(`${suite.name}.yaml`).toBe(`load-${file}`);
    const { threshold = [], abortOn = [], stages, findMax } = suite.load;
    for (const expression of [...threshold, ...abortOn]) parseThreshold(expression, file);
    if (stages !== undefined) expect(parseStages(stages).length).toBeGreaterThan(0);
    if (findMax !== undefined) expect(parseObjective(findMax, file).length).toBeGreaterThan(0);
  });

  it.each([
    [{ name: 'x' }],
    [{ name: 'x', load: { rate: 0 } }],
    [{ name: 'x', load: { speed: 5 } }],
    [{ name: 'x', load: { connections: 1.5 } }],
    [{ name: 'x', load: { validate: 2 } }],
  ])('refuses %j', (suite) => {
    expect(loadSuiteSchema.safeParse(suite).success).toBe(false);
  });
});
