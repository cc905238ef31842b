import type { Diagnosis } from '../../documents/conformance.ts';
import type { ClientResult } from './judging/judge-client.ts';

/**
 * Adds the diagnosis of a client that sent no request in any scenario: it cannot be started, it failed
 * at its start, or it called another address.
 */
export function diagnosedClient(result: ClientResult): ClientResult {
  const { scenarios } = result;
  const [first] = scenarios;
  if (first === undefined || result.exchanges.length > 0) return result;
  const last = first.output?.findLast((line) => /error|exception|not found/i.test(line));
  const words = last ?? first.output?.at(-1);
  const said = words === undefined ? 'It wrote nothing.' : `It wrote: ${words.trim()}`;
  const ended = first.exitCode == null ? '' : ` and ended with exit code ${first.exitCode}`;
  const diagnosis: Diagnosis = {
    finding: `The client sent no request in any scenario${ended}. ${said}`,
    remedy:
      'Run the command by itself. It must call the address in FAREPROOF_BASE_URL, which is another one in each scenario.',
    isWhole: true,
  };
  return { ...result, diagnosis };
}
