import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chartLibrary } from '../../src/report/chart-library.ts';

test('the library of the charts keeps its license notice, and cannot end its element', () => {
  const license = readFileSync(
    new URL('../../node_modules/uplot/LICENSE', import.meta.url),
    'utf8',
  );
  const [copyright] = /Copyright .*/.exec(license) ?? [];
  for (const text of Object.values(chartLibrary())) {
    expect(text).toMatch(/^\/\*! uPlot, MIT\. /);
    expect(text).toContain(copyright);
    expect(text).not.toMatch(/<\/(script|style)|<!--/i);
  }
  expect(chartLibrary().script).toContain('var uPlot=');
});
