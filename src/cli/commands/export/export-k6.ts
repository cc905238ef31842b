import { join } from 'node:path';
import { dropRunFolder, notWritable, prepareRunFolder } from '../../../app/files/run-folder.ts';
import { shownPath, writeFiles, writeSecretFile, writing } from '../../../app/files/write.ts';
import { type LoadTarget, withLoadTargets } from '../../../app/load/target.ts';
import { TOOL } from '../../../app/tool.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { K6Export, LoadOptions, PlannedLoad } from '../../../load/index.ts';
import { runOptionsOf } from '../../../load/options.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { contextOf } from '../load/load.ts';
import { withSuite } from '../load/suite.ts';
import type { ExportFlags } from './flags.ts';

/** Runs `fareproof export k6`. */
export async function exportK6(typed: ExportFlags, io: Io): Promise<void> {
  await withSuite(typed, io, async (flags) => {
    const signal = io.interruption();
    await withLoadTargets(flags, io, async (target) => {
      refuseEmbedded(target);
      const { planLoad } = await import('../../../load/index.ts');
      const { engine, workers, ...options } = runOptionsOf(flags);
      const load = await planLoad({ ...options, ...contextOf(target, { signal }, io) });
      // Before a token is asked for, which a folder that cannot be written would waste.
      const folder = await prepareRunFolder(io, 'k6', Date.now(), flags.out);
      await say(folder, await exportInto(folder, load, ofOurEngine({ engine, workers })), io);
    });
  });
  io.exit(EXIT.passed);
}

/** Takes a token and writes the files; leaves no empty folder if that fails. */
async function exportInto(
  folder: string,
  load: PlannedLoad,
  notTranslated: readonly string[],
): Promise<K6Export> {
  const { exportForK6 } = await import('../../../load/index.ts');
  const writtenBy = `${TOOL.name} ${TOOL.version}`;
  try {
    const made = await exportForK6(load, { writtenBy, notTranslated });
    await writeExport(folder, made);
    return made;
  } catch (error) {
    await dropRunFolder(folder);
    throw error;
  }
}

/** The server would end with this command, long before the script is run. */
function refuseEmbedded({ context: { profile, probeServer } }: LoadTarget): void {
  if (probeServer === undefined) return;
  throw new ConfigurationError(
    'EXPORT_WITHOUT_TARGET',
    `${profile.name} is the embedded server, which ends with this command; start one with fareproof serve --write-profile FILE, and give that file.`,
    { field: 'target' },
  );
}

/** Settings of a suite that say how `load` itself sends. */
function ofOurEngine({ engine, workers }: LoadOptions): string[] {
  return [
    ...(engine === undefined ? [] : [`engine: ${engine}; k6 sends the requests.`]),
    ...(workers === undefined ? [] : [`workers: ${workers}; k6 uses every core.`]),
  ];
}

async function writeExport(folder: string, { script, requests, issuer }: K6Export): Promise<void> {
  const { K6_FILES } = await import('../../../load/index.ts');
  await writing(notWritable(folder), () =>
    writeSecretFile(join(folder, K6_FILES.requests), requests),
  );
  const files = {
    [K6_FILES.script]: script,
    ...(issuer !== null && { [K6_FILES.issuer]: issuer }),
  };
  await writeFiles(folder, files, notWritable(folder));
}

async function say(
  folder: string,
  { validUntil, notTranslated, issuer }: K6Export,
  io: Io,
): Promise<void> {
  const { K6_FILES } = await import('../../../load/index.ts');
  const shown = (file: string): string => shownPath(join(folder, file), io);
  for (const sentence of notTranslated) io.note(`warning: not translated: ${sentence}`);
  const end = validUntil === null ? '' : `, valid until ${validUntil}`;
  const lines = [
    `wrote ${shown(K6_FILES.script)}`,
    `wrote ${shown(K6_FILES.requests)}; it has an access token${end}: keep it secret`,
    ...(issuer === null ? [] : [`wrote ${shown(K6_FILES.issuer)}`]),
    '',
    'The first lines of the script say how to run it.',
  ];
  print(io, lines.join('\n'));
}
