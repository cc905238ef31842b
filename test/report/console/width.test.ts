import { describe, expect, test } from 'vitest';
import { wrapped } from '../../../src/report/console/layout.ts';
import { toConsole } from '../../../src/report/index.ts';
import fc from '../../support/property.ts';
import { ALL_SAMPLES } from '../samples/all-samples.ts';

const COMMAND = /^ {2}(reproduce|rerun|replay|fareproof) /;
/** Without colours, and what is wrapped with single spaces. */
const wordsIn = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe.each([60, 80, 100])('on a terminal of %i columns', (columns) => {
  test.each(Object.entries(ALL_SAMPLES))('%s fits', (_name, document) => {
    const lines = toConsole(document, { color: false, columns }).split('\n');
    const tooLong = lines.filter((line) => line.length > columns && !COMMAND.test(line));
    // What is left is one word, such as an address, which no line may break.
    expect(tooLong.filter((line) => / \S+ \S/.test(line.trim()))).toEqual([]);
  });

  test.each(Object.entries(ALL_SAMPLES))(
    'colours do not change the lines of %s',
    (_name, document) => {
      const colored = toConsole(document, { color: true, columns });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
      expect(colored.replaceAll(/\u001b\[\d+m/g, '')).toBe(
        toConsole(document, { color: false, columns }),
      );
    },
  );
});

test('no word is lost, cut or moved', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 60 }), fc.integer({ min: 53, max: 120 }), (text, columns) => {
      const lines = wrapped(`  reason     ${text}`, columns);
      expect(wordsIn(lines.join('\n'))).toBe(wordsIn(`reason ${text}`));
      for (const line of lines.slice(1)) expect(line).toMatch(/^ {13}\S/);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    }),
  );
});

test('a command stays whole', () => {
  const line = `  rerun      fareproof check --rule '${'a/b '.repeat(40)}'`;
  expect(wrapped(line, 60)).toEqual([line]);
});

test('columns of numbers that do not fit are left out whole', () => {
  const [whole, narrow] = [200, 60].map((columns) =>
    toConsole(ALL_SAMPLES['load']!, { color: false, columns }),
  );
  const header = (text = ''): string =>
    text.split('\n').find((line) => /^ +shape /.test(line)) ?? '';
  expect(header(whole)).toMatch(/p50 +p90 +p99 +p99\.9 +max$/);
  expect(header(narrow)).toMatch(/^ {2}shape +requests +failed +p50/);
  expect(header(narrow).trim()).not.toMatch(/max$/);
});
