import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, it } from 'vitest';
import { createVitest } from 'vitest/node';
import { LongFirst } from '../support/long-first.ts';

it('the tests tagged long start before all others', async () => {
  const vitest = await createVitest('test', { watch: false });
  try {
    const sorted = await new LongFirst(vitest).sort(await vitest.globTestSpecifications());
    const tagged = sorted.map(({ moduleId }) =>
      /^\/\/ @module-tag long/m.test(readFileSync(moduleId, 'utf8')),
    );
    const count = tagged.lastIndexOf(true) + 1;
    expect(sorted.slice(0, count).map(({ moduleId }) => relative('test', moduleId))).toContain(
      'independent-service/forms/control.test.ts',
    );
    expect(tagged.slice(0, count)).not.toContain(false);
  } finally {
    await vitest.close();
  }
});
