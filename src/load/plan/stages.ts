import { ConfigurationError, parseDurationMs } from '../../interface/index.ts';

/** A stage of the schedule; the rate changes linearly from its start to its end. */
export interface Stage {
  /** Requests per second at its start. */
  fromRate: number;
  /** Requests per second at its end. */
  toRate: number;
  durationMs: number;
}

/** Parses `1000/10s,5000/30s`, or a ramp `0-5000/30s`; throws ConfigurationError `STAGES_INVALID`. */
export function parseStages(text: string, source = '--stages'): Stage[] {
  const refuse = (why: string): never => {
    throw new ConfigurationError('STAGES_INVALID', `${source} '${text}': ${why}.`);
  };
  const number = String.raw`(\d+(?:\.\d+)?)`;
  const shape = new RegExp(String.raw`^\s*${number}(?:-${number})?\s*/\s*(\S+)\s*$`);
  const stages = text.split(',').map((part) => {
    const match = shape.exec(part);
    if (match === null) {
      return refuse(
        `"${part}" is not a stage; write rate/duration, as in 1000/10s, or a ramp, as in 0-5000/30s`,
      );
    }
    const [, from, to = from, duration = ''] = match;
    const durationMs = parseDurationMs(duration, `${source} '${text}'`);
    return { fromRate: Number(from), toRate: Number(to), durationMs };
  });
  if (stages.every(({ fromRate, toRate }) => fromRate === 0 && toRate === 0)) {
    refuse('no stage has a rate above 0');
  }
  if (stages.some(({ durationMs }) => durationMs <= 0)) {
    refuse('each stage needs a duration above 0');
  }
  return stages;
}

/** The stages of the measured window: those of a schedule without its warm-up. */
export function measuredStages({
  stages,
  warmupMs,
}: {
  stages: readonly Stage[];
  warmupMs: number;
}): readonly Stage[] {
  return warmupMs > 0 ? stages.slice(1) : stages;
}

/** Start of each stage of the measured window, milliseconds from the start of the window. */
export function stageStartsMs(plan: { stages: readonly Stage[]; warmupMs: number }): number[] {
  const stages = measuredStages(plan);
  return stages.map((_, index) => totalMs(stages.slice(0, index)));
}

/** Duration of all stages, milliseconds. */
export function totalMs(stages: readonly Stage[]): number {
  return stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** Requests planned over all stages; may have a fraction. */
export function totalRequests(stages: readonly Stage[]): number {
  return stages.reduce((sum, stage) => sum + requestsOf(stage), 0);
}

/** Requests planned in a stage; may have a fraction. */
export function requestsOf({ fromRate, toRate, durationMs }: Stage): number {
  return ((fromRate + toRate) / 2) * (durationMs / 1000);
}
