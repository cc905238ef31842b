import type { ShapeResult, StageResult } from '../../documents/load.ts';
import { measuredStages, stageStartsMs } from '../plan.ts';
import type { PlannedLoad } from '../plan-load.ts';
import { latencySummaries, mergeParts, type PartData, type PartRecord } from '../record/parts.ts';
import type { PartObservation, RunPart } from '../threshold.ts';
import { failedShareOf, reconnectedShareOf } from './error-share.ts';

/** Requests of a run by shape, where the mix has several, and by stage, where there are several. */
export function partResults(
  load: PlannedLoad,
  parts: readonly PartData[],
): { shapes?: ShapeResult[]; stages?: StageResult[] } {
  const { plan, engine, mix } = load;
  const shapes = engine.can.tellsShapes ? [...mix.keys()] : [];
  const stages = measuredStages(plan);
  const startsMs = stageStartsMs(plan);
  const resultOf = (part: RunPart) => figuresOf(recordOf(load, parts, part));
  return {
    ...(shapes.length > 1 && {
      shapes: shapes.map((shape) => ({ shape, ...resultOf({ shape }) })),
    }),
    ...(stages.length > 1 && {
      stages: stages.map(({ fromRate, toRate, durationMs }, index) => ({
        stage: index + 1,
        fromRate,
        toRate,
        startS: (startsMs[index] ?? 0) / 1000,
        durationS: durationMs / 1000,
        ...resultOf({ stage: index + 1 }),
      })),
    }),
  };
}

/** Measurements of a part of a run, for thresholds. */
export function observePart(
  load: PlannedLoad,
  parts: readonly PartData[],
  part: RunPart,
): PartObservation {
  const record = recordOf(load, parts, part);
  return {
    errorShare: failedShareOf(record),
    reconnectedShare: reconnectedShareOf(record),
    latencyUs: (of, at) => record[of].at(at),
  };
}

function recordOf(
  { mix }: PlannedLoad,
  parts: readonly PartData[],
  { shape, stage }: RunPart,
): PartRecord {
  const names = [...mix.keys()];
  return mergeParts(
    parts.filter(
      (one) =>
        (shape === undefined || names[one.shape] === shape) &&
        (stage === undefined || one.stage === stage - 1),
    ),
  );
}

function figuresOf(record: PartRecord) {
  const { ok, failed } = record;
  return { planned: ok + failed, ok, failed, latencyUs: latencySummaries(record) };
}
