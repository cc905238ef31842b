import { randomInt } from 'node:crypto';
import {
  type CaseResult,
  type CheckTarget,
  exchangeToReplay,
  replayCase,
  replayExchange,
  replayObstacle,
} from '../../conformance/index.ts';
import { SCHEMA_VERSION } from '../../documents/base.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import type { StoredCase } from '../../documents/explored.ts';
import type { ListedRule, ReplayDocument } from '../../documents/replay.ts';
import { isBroken } from '../../documents/rule-verdict.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { ledgerFile } from '../../spending/index.ts';
import type { StoredCheck } from '../check/earlier-run.ts';
import { type CheckTargets, withTargets } from '../check/targets.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';

/** The exchange of each rule that shows the most when it is sent again; null for none. */
export function decisiveExchanges(run: ConformanceDocument) {
  return run.rules.some(isBroken) ? exchangeToReplay(run) : () => null;
}

/** The exchanges of each broken rule. */
export function exchangesOfBroken(run: ConformanceDocument) {
  const byId = new Map(run.exchanges.map((one) => [one.id, one]));
  return run.rules.filter(isBroken).map(
    (rule): ListedRule => ({
      rule: rule.id,
      exchanges: [...new Set(rule.exchanges)].flatMap((id) => {
        const one = byId.get(id);
        if (!one) return [];
        const obstacle = replayObstacle(one, run);
        return [{ id, purpose: one.purpose, status: one.response?.status ?? null, obstacle }];
      }),
    }),
  );
}

/** Exchange to send again. */
export interface AskedReplay {
  /** Id of the exchange. */
  readonly id: string;
  /** Profile or address; undefined for an embedded server. */
  readonly target: string | undefined;
  /** Path of the ledger; undefined for that of the user. */
  readonly ledger: string | undefined;
  readonly serviceRestarted: boolean | undefined;
  /** Limit of one request. */
  readonly timeoutMs: number;
}

/**
 * Sends one exchange of a check again.
 *
 * @throws ConfigurationError `EXCHANGE_UNKNOWN`, `TARGET_MISSING`; FareproofError `INTERRUPTED` if it was not sent,
 *   and as replayExchange
 */
export async function replayStored(
  { file, document }: StoredCheck,
  asked: AskedReplay,
  surroundings: Surroundings,
): Promise<Omit<ReplayDocument, 'exit'>> {
  const exchange = exchangeOf(document, asked.id, file);
  // Only an embedded server is judged in both environments.
  if (asked.target === undefined && document.sites?.length === 1) {
    const { name, baseUrl } = document.target;
    throw new ConfigurationError(
      'TARGET_MISSING',
      (option) => `The run judged ${name} (${baseUrl}): name its profile with ${option('target')}.`,
    );
  }
  return withTargets(asked.target, surroundings, async (targets) => {
    const target = targetFor(exchange, document, await targets);
    const replayed = await replayExchange({
      exchange,
      run: document,
      target,
      ledger: ledgerFile(asked.ledger, surroundings, (line) => surroundings.note(line)),
      serviceRestarted: asked.serviceRestarted,
      timeoutMs: asked.timeoutMs,
      seed: randomInt(2 ** 31),
      clock: surroundings.clock,
      signal: surroundings.interruption(),
    });
    return { schemaVersion: SCHEMA_VERSION, tool: TOOL, kind: 'replay', run: file, ...replayed };
  });
}

function exchangeOf({ exchanges }: ConformanceDocument, id: string, file: string): Exchange {
  const found = exchanges.find((one) => one.id === id);
  if (found) return found;
  const [first, last] = [exchanges[0]?.id, exchanges.at(-1)?.id];
  const range = first === undefined ? 'it has none' : `it has ${first} to ${last}`;
  const wanted = `x${id.replace(/\D/g, '')}`;
  const near = exchanges.some((one) => one.id === wanted) ? `Did you mean ${wanted}? ` : '';
  throw new ConfigurationError(
    'EXCHANGE_UNKNOWN',
    `${file}: there is no exchange "${id}"; ${range}. ${near}The report names the exchanges of each rule; a replay without an id lists those of broken rules.`,
  );
}

/** Target of the environment that an exchange was sent to, where there is a choice. */
function targetFor(
  { request }: Exchange,
  { sites = [] }: ConformanceDocument,
  { target, companion }: CheckTargets,
): CheckTarget {
  const site = sites.find(({ baseUrl }) => request.url.startsWith(`${baseUrl}/`));
  return companion && companion.environment === site?.environment ? companion : target;
}

/** Target and limits of a case that is played again. */
export interface AskedCase {
  /** Profile or address; undefined for an embedded server. */
  readonly target: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Plays the steps of a case on fresh partners of a target.
 *
 * @throws ConfigurationError `CONTROL_MISSING` for a target without a control API, and as withTargets
 */
export function playStoredCase(
  { walk }: StoredCase,
  { target: path, timeoutMs }: AskedCase,
  surroundings: Surroundings,
): Promise<CaseResult> {
  return withTargets(path, surroundings, async (targets) => {
    const { target } = await targets;
    const { clock } = surroundings;
    const signal = surroundings.interruption();
    return replayCase({ target, walk, timeoutMs, clock, signal, seed: randomInt(2 ** 31) });
  });
}
