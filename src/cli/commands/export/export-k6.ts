import { shownPath } from '../../../app/files/write.ts';
import { exportToK6 } from '../../../app/load/export-k6.ts';
import { runOptionsOf } from '../../../load/options.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { withSuite } from '../load/suite.ts';
import type { ExportFlags } from './flags.ts';

/** Runs `fareproof export k6`. */
export async function exportK6(typed: ExportFlags, io: Io): Promise<void> {
  const written = await withSuite(typed, io, (flags) =>
    exportToK6(flags, runOptionsOf(flags), flags.out, io),
  );
  const { script, requests, issuer, validUntil, notTranslated } = written;
  for (const sentence of notTranslated) io.note(`warning: not translated: ${sentence}`);
  const end = validUntil === null ? '' : `, valid until ${validUntil}`;
  const lines = [
    `wrote ${shownPath(script, io)}`,
    `wrote ${shownPath(requests, io)}; it has an access token${end}: keep it secret`,
    ...(issuer === null ? [] : [`wrote ${shownPath(issuer, io)}`]),
    '',
    'The first lines of the script say how to run it.',
  ];
  print(io, lines.join('\n'));
  io.exit(EXIT.passed);
}
