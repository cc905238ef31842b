import { expect, test } from 'vitest';
import { ProgressLine } from '../../../src/cli/output/progress-line.ts';
import { capturedIo } from '../../support/captured-io.ts';

function drawn(interactive: boolean, act: (line: ProgressLine) => void): string {
  const { io, captured } = capturedIo({});
  act(new ProgressLine({ ...io, interactive }));
  return captured.stderr;
}

test('on a terminal, each text replaces the last one, without wrapping', () => {
  const text = drawn(true, (line) => {
    line.draw('1 of 2');
    line.draw('2 of 2');
    line.write('done');
  });
  expect(text).toBe(
    '\r\u001b[2K\u001b[?7l1 of 2\u001b[?7h\r\u001b[2K\u001b[?7l2 of 2\u001b[?7h\r\u001b[2Kdone\n',
  );
});

test('elsewhere, only permanent lines are written', () => {
  const text = drawn(false, (line) => {
    line.draw('1 of 2');
    line.erase();
    line.write('done');
  });
  expect(text).toBe('done\n');
});

test('an erased line is not erased again', () => {
  const text = drawn(true, (line) => {
    line.erase();
    line.draw('1');
    line.erase();
    line.erase();
  });
  expect(text).toBe('\r\u001b[2K\u001b[?7l1\u001b[?7h\r\u001b[2K');
});
