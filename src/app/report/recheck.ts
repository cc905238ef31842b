import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';

/**
 * Judges the stored exchanges of a document again, by the side that it judged. A document that holds
 * no judgement of exchanges, as of load, stays as it is.
 *
 * @throws ConfigurationError `RECHECK_IMPOSSIBLE` for one that does not hold what it was judged by
 */
export async function recheckDocument(document: RunDocument): Promise<RunDocument> {
  if (document.kind !== 'conformance') return document;
  const { recheckClient, recheckService } = await import('../../conformance/index.ts');
  // The exit code was that of the command that judged first.
  const { exit: _exit, ...stored } = document;
  if (document.side === 'service') return recheckService(stored);
  const again = recheckClient(document);
  if (again) {
    const judged = again.scenarios.map((one, at) => ({ ...document.scenarios?.[at], ...one }));
    return { ...stored, ...again, scenarios: judged } satisfies ConformanceDocument;
  }
  throw new ConfigurationError(
    'RECHECK_IMPOSSIBLE',
    'The document does not hold what was seen of the client; certify again to have one that does.',
  );
}
