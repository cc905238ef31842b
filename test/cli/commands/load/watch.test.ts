import { expect, it } from 'vitest';
import { LoadWatch } from '../../../../src/cli/commands/load/watch.ts';
import type { LoadProgress } from '../../../../src/load/index.ts';
import type { LivePage } from '../../../../src/report/index.ts';
import { loadSample } from '../../../report/samples/load-sample.ts';
import { capturedIo } from '../../../support/captured-io.ts';

const LATENCY = { min: 1, p50: 1, p90: 1, p99: 1, p99_9: 1, p99_99: 1, max: 1, mean: 1, count: 1 };
const progressAt = (elapsedS: number): LoadProgress => ({
  phase: 'measuring',
  elapsedS,
  totalS: 30,
  rate: 100,
  plannedRate: 100,
  p50Us: 1,
  p99Us: 1,
  maxUs: 1,
  ok: 1,
  failed: 0,
  soFar: { latencyUs: LATENCY, values: [], statuses: {}, errors: {} },
  seconds: loadSample(3).series.slice(0, 1),
});

/** Watches runs without a terminal; events of the page have their kind and text or label only. */
function watched(act: (watch: LoadWatch) => void): { lines: string[]; events: string[] } {
  const { io, captured } = capturedIo({});
  const events: string[] = [];
  const page = {
    publish: (event: { kind: string; label?: string; text?: string }) =>
      events.push([event.kind, event.label ?? event.text ?? []].flat().join(' ')),
  } as unknown as LivePage;
  act(new LoadWatch(io, page));
  return { lines: captured.stderr.split('\n').slice(0, -1), events };
}

it('writes a line every five seconds where stderr is no terminal, counted anew for each run', () => {
  const { lines } = watched((watch) => {
    watch.onStart('run 1 of 2');
    for (const elapsedS of [1, 4.9, 5, 6, 9, 9.5, 14]) watch.onProgress(progressAt(elapsedS));
    watch.onStart('run 2 of 2');
    for (const elapsedS of [1, 5.1]) watch.onProgress(progressAt(elapsedS));
  });
  const seconds = lines.map((line) => /^(run \d of 2: ).*?(\d+) s of 30 s/.exec(line)?.slice(1));
  expect(seconds).toEqual([
    ['run 1 of 2: ', '5'],
    ['run 1 of 2: ', '10'],
    ['run 1 of 2: ', '14'],
    ['run 2 of 2: ', '5'],
  ]);
});

it('sums up each of several runs, and not a single one', () => {
  const document = loadSample(3);
  const several = watched((watch) => {
    watch.onStart('run 1 of 2');
    watch.onEnd(document);
  });
  expect(several.lines).toEqual([
    expect.stringMatching(/^run 1 of 2: \w.*, p99 .* ms, \d+ failed$/),
  ]);
  expect(several.events.at(-1)).toBe(`line ${several.lines[0]}`);
  const single = watched((watch) => {
    watch.onStart('');
    watch.onProgress(progressAt(5));
    watch.onEnd(document);
  });
  expect(single.lines).toEqual([expect.stringMatching(/^measuring/)]);
});

it('begins a run on the page with its first report, and adds the last seconds at its end', () => {
  const { events } = watched((watch) => {
    watch.onStart('');
    watch.onProgress(progressAt(1));
    watch.onProgress(progressAt(2));
    watch.onEnd(loadSample(20));
  });
  const [begin, ...later] = events;
  expect(begin).toMatch(/^begin/);
  expect(later).toEqual(['progress', 'point', 'progress', 'point', ...Array(4).fill('point')]);
});

it('says of each trial of a search how it ended, and numbers them', async () => {
  const { io, captured } = capturedIo({});
  const labels: string[] = [];
  const page = {
    publish: (event: { kind: string; label?: string }) => {
      if (event.kind === 'begin') labels.push(event.label ?? '');
    },
  } as unknown as LivePage;
  const trials = [
    { held: true, valid: true, word: 'holds' },
    { held: false, valid: true, word: 'falls short' },
    { held: false, valid: false, word: 'is not valid' },
  ];
  await new LoadWatch(io, page).search({} as never, async (_, { onProgress, onTrial }) => {
    for (const { held, valid } of trials) {
      onProgress?.(progressAt(1));
      onTrial?.({ rate: 100, held, valid, reason: 'So.' } as never);
    }
    return null as never;
  });
  expect(captured.stderr).toBe(trials.map(({ word }) => `100/s ${word}: So.\n`).join(''));
  expect(labels).toEqual(['trial 1', 'trial 2', 'trial 3']);
});
