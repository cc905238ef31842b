import { expect, test } from 'vitest';
import { ProgressLines } from '../../../src/cli/output/progress-lines.ts';
import { capturedIo } from '../../support/captured-io.ts';
import { screenOf } from '../../support/screen.ts';

function drawn(
  interactive: boolean,
  act: (lines: ProgressLines) => void,
  size: { rows?: number; columns?: number } = {},
): string {
  const { io, captured } = capturedIo({});
  const stderr = Object.assign(io.stderr, size);
  act(new ProgressLines({ ...io, stderr, interactive }));
  return captured.stderr;
}

test('on a terminal, each drawing replaces the last one', () => {
  const text = drawn(true, (lines) => {
    lines.draw('rate 1', 'p99 200 ms', '200: 1');
    lines.draw('rate 22', 'p99 2 ms');
    lines.draw('rate 3', 'p99 30 ms');
  });
  expect(screenOf(text)).toEqual(['rate 3', 'p99 30 ms']);
});

test('a permanent line takes the place of the drawing', () => {
  const text = drawn(true, (lines) => {
    lines.draw('1 of 2', 'p99 2 ms');
    lines.write('done');
    lines.draw('2 of 2');
  });
  expect(screenOf(text)).toEqual(['done', '2 of 2']);
});

test('no line wraps, and wrapping is on again after each drawing', () => {
  const text = drawn(true, (lines) => lines.draw('1', '2'));
  expect(text).toMatch(/\u001b\[\?7l[^h]*1[^h]*\n[^h]*2[^h]*\u001b\[\?7h/);
});

test('draws no more lines than the terminal can redraw', () => {
  const text = drawn(true, (lines) => lines.draw('1', '2', '3', '4'), { rows: 3 });
  expect(screenOf(text)).toEqual(['1', '2']);
});

test('shows no secret', async () => {
  const { io, captured } = capturedIo({});
  await io.secrets.add('signing_key', 's3cret-value');
  new ProgressLines({ ...io, interactive: true }).draw('refused: s3cret-value');
  expect(captured.stderr).not.toContain('s3cret-value');
});

test('elsewhere, only permanent lines are written', () => {
  const text = drawn(false, (lines) => {
    lines.draw('1 of 2');
    lines.erase();
    lines.write('done');
  });
  expect(text).toBe('done\n');
});

test('erased lines are not erased again', () => {
  const text = drawn(true, (lines) => {
    lines.erase();
    lines.draw('1', '2');
    lines.erase();
    lines.erase();
    lines.write('kept');
  });
  expect(screenOf(text)).toEqual(['kept']);
});

test.each([
  [60, 'response  min 0.41 ms  p50 1.20 ms  p90 8.80 ms  p99 33.5 ms'],
  [59, 'response  min 0.41 ms  p50 1.20 ms  p90 8.80 ms'],
  [80, 'response  min 0.41 ms  p50 1.20 ms  p90 8.80 ms  p99 33.5 ms  p99.9 40.1 ms'],
  [100, 'response  min 0.41 ms  p50 1.20 ms  p90 8.80 ms  p99 33.5 ms  p99.9 40.1 ms  max 41.0 ms'],
])('in %i columns, a figure that does not fit is left out whole', (columns, shown) => {
  const line =
    'response  min 0.41 ms  p50 1.20 ms  p90 8.80 ms  p99 33.5 ms  p99.9 40.1 ms  max 41.0 ms';
  expect(screenOf(drawn(true, (lines) => lines.draw(line), { columns }))).toEqual([shown]);
});

test.each([
  ['1,234 requests, 12 s, about 40 s left  token/scope-echo', 28, '1,234 requests, 12 s'],
  ['token 12 (1 broken) · quota 4 · carpool 3', 31, 'token 12 (1 broken) · quota 4'],
  ['200: 1,250,000, 429: 3', 20, '200: 1,250,000'],
  ['a-name-of-one-word-only', 10, 'a-name-of…'],
  ['fits', 4, 'fits'],
])('%s in %i columns is %s', (line, columns, shown) => {
  expect(screenOf(drawn(true, (lines) => lines.draw(line), { columns }))).toEqual([shown]);
});
