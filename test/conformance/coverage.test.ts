import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../src/conformance/service/contract/check.ts';
import { factsOf } from '../../src/conformance/service/contract/target.ts';
import { SERVICE_CHECKS, SERVICE_OBSERVATIONS } from '../../src/conformance/service/rules/all.ts';
import { areaOf, SERVICE_RULES } from '../../src/interface/catalogue.ts';

const IDS: readonly string[] = SERVICE_RULES.map(({ id }) => id);
const ROOM = new URL('../../src/conformance/service/rules/', import.meta.url);

const FACTS = factsOf(
  {
    environment: 'production',
    signature: { tokenFields: 'all', estimateFields: 'all' },
    estimates: {},
    control: undefined,
    refusedRequestsCount: true,
    partners: [],
  },
  { metered: false, partners: 1, asked: () => true, waits: false },
);

describe.each(['controlled', 'metered'])('the checks of a %s target', (kind) => {
  const metered = kind === 'metered';
  const facts = { ...FACTS, metered, hasControl: !metered };
  const checks = SERVICE_CHECKS.filter((check) => partsOf(check, facts).length > 0);

  it('judge every service rule, with the observations', () => {
    const judged = [
      ...checks.flatMap(({ rules }) => rules),
      ...SERVICE_OBSERVATIONS.map(({ rule }) => rule),
    ];
    expect([...new Set(judged)].toSorted()).toEqual(IDS.toSorted());
  });

  it('have different ids, those of one rule the id of the rule', () => {
    const ids = checks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const single = checks.filter(({ rules }) => rules.length === 1);
    expect(single.map(({ id }) => id)).toEqual(single.flatMap(({ rules }) => rules));
  });

  it('depend on rules that other checks judge', () => {
    for (const { rules, dependsOn = {} } of checks) {
      expect(rules).toEqual(expect.arrayContaining(Object.keys(dependsOn)));
      const others = checks
        .filter((check) => check.rules !== rules)
        .flatMap((check) => check.rules);
      expect(others).toEqual(expect.arrayContaining(Object.values(dependsOn)));
    }
  });
});

it('each rule is named in the file or folder of its area', () => {
  const sourceOf = (area: string): string => {
    const file = new URL(`${area}.ts`, ROOM);
    if (existsSync(file)) return readFileSync(file, 'utf8');
    const folder = new URL(`${area}/`, ROOM);
    return readdirSync(folder)
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('\n');
  };
  const missing = IDS.filter((id) => !sourceOf(areaOf(id)).includes(`'${id}'`));
  expect(missing).toEqual([]);
});
