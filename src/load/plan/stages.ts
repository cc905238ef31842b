import { ConfigurationError } from '../../interface/index.ts';
import { parseDurationMs } from './duration.ts';

/** A stretch of the schedule; the rate goes in a straight line from one to the other. */
export interface Stage {
  /** Requests a second at its start. */
  fromRate: number;
  /** Requests a second at its end. */
  toRate: number;
  durationMs: number;
}

/**
 * Reads stages such as `1000/10s,5000/30s`; `0-5000/30s` is a ramp in a straight line.
 *
 * @throws ConfigurationError `STAGES_INVALID`
 */
export function parseStages(text: string, source = '--stages'): Stage[] {
  const number = String.raw`(\d+(?:\.\d+)?)`;
  const shape = new RegExp(String.raw`^\s*${number}(?:-${number})?\s*/\s*(\S+)\s*$`);
  const stages = text.split(',').map((part) => {
    const [, from, to, duration] = shape.exec(part) ?? [];
    if (from === undefined || duration === undefined) {
      throw new ConfigurationError(
        'STAGES_INVALID',
        `${source} '${text}': "${part}" is no stage; write rate/duration, as in 1000/10s, or a ramp, as in 0-5000/30s.`,
      );
    }
    const durationMs = parseDurationMs(duration, `${source} '${text}'`);
    return { fromRate: Number(from), toRate: Number(to ?? from), durationMs };
  });
  if (stages.every(({ fromRate, toRate }) => fromRate === 0 && toRate === 0)) {
    throw new ConfigurationError(
      'STAGES_INVALID',
      `${source} '${text}': no stage has a rate above 0.`,
    );
  }
  if (stages.every(({ durationMs }) => durationMs > 0)) return stages;
  throw new ConfigurationError(
    'STAGES_INVALID',
    `${source} '${text}': a stage must take some time.`,
  );
}

/** How long the stages take together, milliseconds. */
export function totalMs(stages: readonly Stage[]): number {
  return stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Requests planned over the stages, a fraction included. */
export function totalRequests(stages: readonly Stage[]): number {
  return stages.reduce(
    (sum, { fromRate, toRate, durationMs }) =>
      sum + ((fromRate + toRate) / 2) * (durationMs / 1000),
    0,
  );
}
