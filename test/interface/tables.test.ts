import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  ESTIMATE_PARAMETERS,
  estimateQuerySchema,
  GRANT_SHAPES,
  OPTIONAL_ESTIMATE_PARAMETERS,
  REQUIRED_ESTIMATE_PARAMETERS,
  TOKEN_FIELDS,
} from '../../src/interface/index.ts';
import { PARAMETERS } from '../../src/server/speed/query-scanner.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Names of the table below a heading of docs/reference.md. */
function namesBelow(heading: string): string[] {
  const [, below = ''] = read('docs/reference.md').split(heading);
  const [section = ''] = below.split(/\n#/);
  return [...section.matchAll(/^\| `([\w, ]+)` +\|/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
}

/** Parameters on which no record of an answer depends. */
const WITHOUT_EFFECT = ['imei', 'map_type', 'from_name', 'to_name'];

describe('the parameters of an estimate', () => {
  it('are those that are required and those that are not', () => {
    const both = [...REQUIRED_ESTIMATE_PARAMETERS, ...OPTIONAL_ESTIMATE_PARAMETERS];
    expect(ESTIMATE_PARAMETERS.toSorted()).toEqual(both.toSorted());
  });

  it.each([
    ['the schema of the query', Object.keys(estimateQuerySchema.shape)],
    ['docs/reference.md', namesBelow('#### 2. Estimate prices')],
    ['the fast path (server/speed/query-scanner.ts)', [...PARAMETERS]],
  ])('are all in %s', (_, names) => {
    expect(names.toSorted()).toEqual(ESTIMATE_PARAMETERS.toSorted());
  });

  it.each(REQUIRED_ESTIMATE_PARAMETERS)('the second service requires %s', (name) => {
    expect(read('test/independent-service/estimates.ts')).toContain(`'${name}'`);
  });

  const ofAnswers = ESTIMATE_PARAMETERS.filter((name) => !WITHOUT_EFFECT.includes(name));
  it.each(
    ['src/server/service/estimate/route.ts', 'test/independent-service/estimates.ts'].flatMap(
      (place) => ofAnswers.map((name) => [name, place] as const),
    ),
  )('%s is read by %s', (name, place) => {
    expect(read(place)).toMatch(new RegExp(`\\b${name}\\b`));
  });
});

describe('the fields of a token request', () => {
  it.each([
    [
      'the schema of the body',
      [...new Set(Object.values(GRANT_SHAPES).flatMap(({ shape }) => Object.keys(shape)))],
    ],
    ['docs/reference.md', namesBelow('### Token request body')],
  ])('are all in %s', (_, names) => {
    expect(names.toSorted()).toEqual([...TOKEN_FIELDS].toSorted());
  });
});
