import { expect, test } from 'vitest';
import { ProgressLines } from '../../../src/cli/output/progress-lines.ts';
import { capturedIo } from '../../support/captured-io.ts';
import { screenOf } from '../../support/screen.ts';

function drawn(interactive: boolean, act: (lines: ProgressLines) => void, rows?: number): string {
  const { io, captured } = capturedIo({});
  const stderr = Object.assign(io.stderr, rows === undefined ? {} : { rows });
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
  const text = drawn(true, (lines) => lines.draw('1', '2', '3', '4'), 3);
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
