import { expect, it } from 'vitest';
import { PageOutput } from '../../../src/app/load/page-output.ts';
import { TerminalOutput } from '../../../src/cli/output/terminal-output.ts';
import {
  type AllOutputs,
  allOutputs,
  type EndedRun,
  type LoadProgress,
  type OutputSample,
} from '../../../src/load/index.ts';
import type { LivePage } from '../../../src/report/index.ts';
import { loadSample } from '../../report/samples/load-sample.ts';
import { capturedIo } from '../../support/captured-io.ts';

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

/** Tells outputs of runs, without a terminal; events of the page have their kind and text or label only. */
async function told(
  act: (output: AllOutputs<never>) => void,
): Promise<{ lines: string[]; events: string[] }> {
  const { io, captured } = capturedIo({});
  const events: string[] = [];
  const page = {
    publish: (event: { kind: string; label?: string; text?: string }) =>
      events.push([event.kind, event.label ?? event.text ?? []].flat().join(' ')),
    end: (_document: unknown, path: string) => events.push(`end ${path.split('/').at(-1)}`),
    close: async () => void events.push('close'),
  } as unknown as LivePage;
  const outputs = [new TerminalOutput(io), new PageOutput(page, undefined, io)];
  const output = allOutputs(outputs, (message) => expect.unreachable(message));
  act(output);
  await output.stop(null);
  return { lines: captured.stderr.split('\n').slice(0, -1), events };
}

const sampleAt = (elapsedS: number): OutputSample => ({
  target: { name: 'a', baseUrl: 'http://127.0.0.1:1' },
  progress: progressAt(elapsedS),
  records: null,
});

it('writes a line every five seconds where stderr is no terminal, counted anew for each run', async () => {
  const { lines } = await told((output) => {
    output.start('run 1 of 2');
    for (const elapsedS of [1, 4.9, 5, 6, 9, 9.5, 14]) output.add(sampleAt(elapsedS));
    output.start('run 2 of 2');
    for (const elapsedS of [1, 5.1]) output.add(sampleAt(elapsedS));
  });
  const seconds = lines.map((line) => /^(run \d of 2: ).*?(\d+) s of 30 s/.exec(line)?.slice(1));
  expect(seconds).toEqual([
    ['run 1 of 2: ', '5'],
    ['run 1 of 2: ', '10'],
    ['run 1 of 2: ', '14'],
    ['run 2 of 2: ', '5'],
  ]);
});

it('sums up each of several runs, and not a single one', async () => {
  const result = loadSample(3);
  const several = await told((output) => {
    output.start('run 1 of 2');
    output.end({ result });
  });
  expect(several.lines).toEqual([
    expect.stringMatching(/^run 1 of 2: \w.*, p99 .* ms, \d+ failed$/),
  ]);
  expect(several.events.slice(-2)).toEqual([`line ${several.lines[0]}`, 'close']);
  const single = await told((output) => {
    output.start('');
    output.add(sampleAt(5));
    output.end({ result });
  });
  expect(single.lines).toEqual([expect.stringMatching(/^measuring/)]);
});

it('begins a run on the page with its first sample, and adds the last seconds at its end', async () => {
  const { events } = await told((output) => {
    output.start('');
    output.add(sampleAt(1));
    output.add(sampleAt(2));
    output.end({ result: loadSample(20) });
  });
  const [begin, ...later] = events;
  expect(begin).toMatch(/^begin/);
  const samples = ['progress', 'point', 'progress', 'point'];
  expect(later).toEqual([...samples, ...Array(4).fill('point'), 'close']);
});

it('ends the page with the path of the report', async () => {
  const { io } = capturedIo({});
  const ended: unknown[] = [];
  const page = {
    end: (_document: unknown, path: string) => ended.push(path),
    close: async () => void ended.push('closed'),
  } as unknown as LivePage;
  const document = { ...loadSample(3), exit: { code: 0, reason: '' } };
  await new PageOutput(page, 'here', io).stop(document);
  expect(ended).toEqual([expect.stringMatching(/here.report\.html$/), 'closed']);
});

it('says of each trial of a search how it ended', async () => {
  const trials = [
    { held: true, valid: true, word: 'holds' },
    { held: false, valid: true, word: 'falls short' },
    { held: false, valid: false, word: 'is not valid' },
  ];
  const { lines, events } = await told((output) => {
    for (const [at, { held, valid }] of trials.entries()) {
      output.start(`trial ${at + 1}`);
      output.add(sampleAt(1));
      const trial = { rate: 100, held, valid, reason: 'So.' } as EndedRun['trial'];
      output.end({ result: loadSample(3), trial });
    }
  });
  expect(lines).toEqual(trials.map(({ word }, at) => `trial ${at + 1}: 100/s ${word}: So.`));
  expect(events.filter((event) => event.startsWith('begin'))).toEqual([
    'begin trial 1',
    'begin trial 2',
    'begin trial 3',
  ]);
});
