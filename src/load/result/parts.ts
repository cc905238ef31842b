import type { LoadDocument, ShapeResult, StageResult } from '../../documents/load.ts';
import { measuredStages, stageStartsMs } from '../plan.ts';
import type { JudgedLoad } from '../plan-load.ts';
import { latencySummaries, mergeParts, type PartData, type PartRecord } from '../record/parts.ts';
import { SHAPE_FAULTS } from '../record/recorder.ts';
import type { PartObservation, RunPart } from '../threshold.ts';

/** Requests of a run by shape, where the mix has several, and by stage, where there are several. */
export function partResults(
  load: JudgedLoad,
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
  load: JudgedLoad,
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
  { mix }: JudgedLoad,
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

/**
 * Failed share of the planned requests, 0 to 1; null if none was planned.
 *
 * Only a sample of the answers is checked, so a malformed one stands for those that were not: of
 * checked answers that are all malformed, every answer with status 200 counts as failed.
 */
export function errorShareOf(
  record: Pick<LoadDocument['achieved'], 'ok' | 'failed' | 'checked'> &
    Pick<LoadDocument, 'errors'>,
): number | null {
  return failedShareOf({ ...record, malformed: malformedIn(record.errors) });
}

/** {@link errorShareOf} of a part of a run. */
function failedShareOf(
  part: Pick<PartRecord, 'ok' | 'failed' | 'checked' | 'malformed'>,
): number | null {
  const { ok, failed, checked, malformed } = part;
  const planned = ok + failed;
  if (planned === 0) return null;
  if (malformed === 0) return failed / planned;
  const malformedOfAll = (malformed / Math.max(checked, malformed)) * (ok + malformed);
  return (failed - malformed + malformedOfAll) / planned;
}

/** Share of the planned requests that were sent again, 0 to 1; null if none was planned. */
function reconnectedShareOf(
  part: Pick<PartRecord, 'ok' | 'failed' | 'reconnected'>,
): number | null {
  const planned = part.ok + part.failed;
  return planned === 0 ? null : part.reconnected / planned;
}

/** Number of checked answers whose shape was not that of an estimate. */
export function malformedIn(errors: Readonly<Record<string, number>>): number {
  return SHAPE_FAULTS.reduce((sum, kind) => sum + (errors[kind] ?? 0), 0);
}
