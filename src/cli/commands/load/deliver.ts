import { basename } from 'node:path';
import type { LoadOutcome } from '../../../app/load/load-target.ts';
import type { Exit } from '../../../documents/base.ts';
import type { LoadDocument } from '../../../documents/load.ts';
import type { ExportFormat, LoadOutput } from '../../../load/index.ts';
import type { Io } from '../../io.ts';
import { type DeliveryFlags, deliverDocument } from '../../output/deliver.ts';
import {
  exitOfComparison,
  exitOfFindMax,
  exitOfLoad,
  exitOfLoadSet,
} from '../../output/exit-codes.ts';

/** A document of `load` with its exit code. */
export type DeliveredLoad = LoadOutcome & { readonly exit: Exit };

/**
 * Delivers the document of `load`, each of its runs as a separate file, and their exports.
 *
 * @param exports formats in which each run is written besides its document
 */
export function documentOutput(
  flags: DeliveryFlags,
  exports: readonly ExportFormat[],
  io: Io,
): LoadOutput<DeliveredLoad> {
  return {
    stop: async (document) => {
      if (document === null) return;
      const { EXPORTS } = await import('../../../load/index.ts');
      const { toJson } = await import('../../../report/index.ts');
      const runs = runsIn(document);
      const files = Object.fromEntries(runs.map(({ name, ...run }) => [name, toJson(run)]));
      const named = document.kind === 'load' ? [{ ...document, name: '' }] : runs;
      for (const { name, ...run } of named) {
        const prefix = name && `${basename(name, '.json')}-`;
        for (const format of exports) {
          for (const [file, text] of Object.entries(EXPORTS[format](run)))
            files[prefix + file] = text;
        }
      }
      await deliverDocument(document, flags, io, { files });
    },
  };
}

/** The runs of a document, with the names of their files. */
function runsIn(outcome: LoadOutcome): readonly (LoadDocument & { name: string })[] {
  if (outcome.kind === 'comparison') return [...outcome.runs.a, ...outcome.runs.b];
  if (outcome.kind !== 'load-set') return [];
  return outcome.runs.map((run, index) => ({ ...run, name: `run-${index + 1}.json` }));
}

/** The exit code of `load`, by its document. */
export function exitOf(outcome: LoadOutcome): Exit {
  switch (outcome.kind) {
    case 'load':
      return exitOfLoad(outcome);
    case 'load-set':
      return exitOfLoadSet(outcome);
    case 'find-max':
      return exitOfFindMax(outcome);
    case 'comparison':
      return exitOfComparison(outcome);
  }
}
