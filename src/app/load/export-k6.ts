import { join } from 'node:path';
import { ConfigurationError } from '../../interface/errors.ts';
import type { K6Export, LoadOptions } from '../../load/index.ts';
import { dropRunFolder, notWritable, prepareRunFolder } from '../files/run-folder.ts';
import { writeFiles, writeSecretFile, writing } from '../files/write.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';
import { type AskedTargets, type LoadTarget, withLoadTargets } from './target.ts';

/** Paths of the files of a script for k6, and what does not go into it. */
export interface WrittenExport extends Pick<K6Export, 'validUntil' | 'notTranslated'> {
  readonly script: string;
  readonly requests: string;
  /** Null without an issuer to trust. */
  readonly issuer: string | null;
}

/**
 * Writes the plan of a load as a script for k6, with a token.
 *
 * @param out folder of the files; undefined for a new one
 * @throws ConfigurationError `EXPORT_WITHOUT_TARGET`, `RUN_FOLDER_NOT_WRITABLE`, and as planLoad; as exportForK6
 */
export async function exportToK6(
  targets: AskedTargets,
  { engine, workers, ...options }: LoadOptions,
  out: string | undefined,
  surroundings: Surroundings,
): Promise<WrittenExport> {
  const signal = surroundings.interruption();
  return withLoadTargets(targets, surroundings, async (target) => {
    refuseEmbedded(target);
    const { exportForK6, planLoad } = await import('../../load/index.ts');
    const load = await planLoad({ ...options, ...target, signal });
    // Before a token is asked for, which a folder that cannot be written would waste.
    const folder = await prepareRunFolder(surroundings, 'k6', Date.now(), out);
    try {
      const made = await exportForK6(load, {
        writtenBy: `${TOOL.name} ${TOOL.version}`,
        notTranslated: ofOurEngine({ engine, workers }),
      });
      return await writeExport(folder, made);
    } catch (error) {
      await dropRunFolder(folder);
      throw error;
    }
  });
}

/** The server would end with this run, long before the script is run. */
function refuseEmbedded({ profile, probeServer }: LoadTarget): void {
  if (probeServer === undefined) return;
  throw new ConfigurationError(
    'EXPORT_WITHOUT_TARGET',
    `${profile.name} is the embedded server, which ends with this command; start a server of its own that writes a profile, and give that profile.`,
    { field: 'target' },
  );
}

/** Options that say how our own engine sends. */
function ofOurEngine({ engine, workers }: LoadOptions): string[] {
  return [
    ...(engine === undefined ? [] : [`engine: ${engine}; k6 sends the requests.`]),
    ...(workers === undefined ? [] : [`workers: ${workers}; k6 uses every core.`]),
  ];
}

async function writeExport(
  folder: string,
  { script, requests, issuer, ...facts }: K6Export,
): Promise<WrittenExport> {
  const { K6_FILES } = await import('../../load/index.ts');
  const place = (file: string): string => join(folder, file);
  await writing(notWritable(folder), () => writeSecretFile(place(K6_FILES.requests), requests));
  const files = {
    [K6_FILES.script]: script,
    ...(issuer !== null && { [K6_FILES.issuer]: issuer }),
  };
  await writeFiles(folder, files, notWritable(folder));
  return {
    ...facts,
    script: place(K6_FILES.script),
    requests: place(K6_FILES.requests),
    issuer: issuer === null ? null : place(K6_FILES.issuer),
  };
}
