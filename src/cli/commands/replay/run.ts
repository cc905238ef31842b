import { randomInt } from 'node:crypto';
import type { CheckTarget, Resent } from '../../../conformance/index.ts';
import { SCHEMA_VERSION } from '../../../documents/base.ts';
import type { ConformanceDocument } from '../../../documents/conformance.ts';
import type { Exchange } from '../../../documents/exchange.ts';
import type { ReplayDocument } from '../../../documents/replay.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import { ledgerFile } from '../../../spending/index.ts';
import { readRun } from '../../files/document.ts';
import { readDuration } from '../../flags/numbers.ts';
import { type Io, note, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { TOOL } from '../../tool.ts';
import { type CheckTargets, openTargets } from '../check/targets.ts';
import type { ReplayFlags } from './flags.ts';
import { listText, replayText } from './replay-text.ts';

/** Conformance document of a service, with the facts of its targets. */
type ServiceRun = ConformanceDocument & {
  readonly sites: NonNullable<ConformanceDocument['sites']>;
};

/** Runs `fareproof replay`, or lists the exchanges of broken rules. */
export async function replay(
  run: string,
  id: string | undefined,
  flags: ReplayFlags,
  io: Io,
): Promise<void> {
  const timeoutMs = readDuration(flags.timeout, 'timeout', { unit: 'ms', min: 1 });
  const { file, document } = await readCheck(run, io);
  if (id === undefined) return await listExchanges(document, file, flags, io);
  const exchange = exchangeOf(document, id, file);
  const { resendExchange } = await import('../../../conformance/index.ts');
  const targets = await targetsFor(document, flags, io);
  try {
    const target = targetFor(exchange, document, targets);
    const startedAt = new Date().toISOString();
    try {
      const resent = await resendExchange({
        exchange,
        run: document,
        target,
        ledger: ledgerFile(flags.ledger, io, (message) => note(io, message)),
        serviceRestarted: flags.serviceRestarted,
        timeoutMs,
        seed: randomInt(2 ** 31),
        clock: io.clock,
        signal: io.interruption(),
      });
      await deliver(await describeReplay(resent, { file, target, startedAt }), flags, io);
    } catch (error) {
      if (!(error instanceof FareproofError) || error.code !== 'INTERRUPTED') throw error;
      note(io, 'interrupted: the exchange was not sent');
      io.exit(EXIT.interrupted);
    }
  } finally {
    await targets.close();
  }
}

/** @throws ConfigurationError `RUN_NOT_A_CHECK`, or as {@link readRun} */
async function readCheck(run: string, io: Io): Promise<{ file: string; document: ServiceRun }> {
  const { file, document } = await readRun(run, io);
  if (document.kind === 'conformance' && document.side === 'service' && document.sites)
    return { file, document: document as ServiceRun };
  throw new ConfigurationError(
    'RUN_NOT_A_CHECK',
    `${file}: only exchanges of a "check" can be sent again; this is ${document.kind === 'conformance' ? `a run on a ${document.side}` : `a document of kind ${document.kind}`}.`,
  );
}

/** @throws ConfigurationError `EXCHANGE_UNKNOWN`, with similar ids */
function exchangeOf({ exchanges }: ServiceRun, id: string, file: string): Exchange {
  const found = exchanges.find((one) => one.id === id);
  if (found) return found;
  const [first, last] = [exchanges[0]?.id, exchanges.at(-1)?.id];
  const range = first === undefined ? 'it has none' : `it has ${first} to ${last}`;
  const near = nearby(exchanges, id);
  throw new ConfigurationError(
    'EXCHANGE_UNKNOWN',
    `${file}: there is no exchange "${id}"; ${range}. ${near}The report names the exchanges of each rule; "fareproof replay ${file}" lists those of broken rules.`,
  );
}

/** Suggests the exchange of that number. */
function nearby(exchanges: readonly Exchange[], id: string): string {
  const wanted = `x${id.replace(/\D/g, '')}`;
  return exchanges.some((one) => one.id === wanted) ? `Did you mean ${wanted}? ` : '';
}

/** @throws ConfigurationError `TARGET_MISSING` for a run on another target than an embedded server */
async function targetsFor(
  { sites, target }: ServiceRun,
  flags: ReplayFlags,
  io: Io,
): Promise<CheckTargets> {
  // Only an embedded server is judged in both environments.
  if (flags.target !== undefined || sites.length > 1) return openTargets(flags.target, io);
  throw new ConfigurationError(
    'TARGET_MISSING',
    `The run judged ${target.name} (${target.baseUrl}): name its profile with --target.`,
  );
}

/** Target of the environment that an exchange was sent to, where there is a choice. */
function targetFor(
  { request }: Exchange,
  { sites }: ServiceRun,
  { target, companion }: CheckTargets,
): CheckTarget {
  const site = sites.find(({ baseUrl }) => request.url.startsWith(`${baseUrl}/`));
  return companion && companion.environment === site?.environment ? companion : target;
}

async function describeReplay(
  { now, former, before, renewed, kept, spend }: Resent,
  { file, target, startedAt }: { file: string; target: CheckTarget; startedAt: string },
): Promise<ReplayDocument> {
  const { answerOutcome } = await import('../../../conformance/index.ts');
  const { name, baseUrl, environment } = target;
  const outcome = answerOutcome(now);
  const isInterrupted = now.error?.code === 'INTERRUPTED';
  const code = isInterrupted ? EXIT.interrupted : CODES[outcome.verdict];
  return {
    schemaVersion: SCHEMA_VERSION,
    tool: TOOL,
    kind: 'replay',
    startedAt,
    finishedAt: new Date().toISOString(),
    target: { name, baseUrl, environment },
    run: file,
    ...outcome,
    renewed: [...renewed],
    kept: [...kept],
    before: [...before],
    now,
    former,
    spend,
    ...(isInterrupted ? { interrupted: true } : {}),
    exit: { code, reason: isInterrupted ? 'interrupted' : outcome.reason },
  };
}

const CODES = {
  'as-expected': EXIT.passed,
  answered: EXIT.passed,
  'not-as-expected': EXIT.failed,
  inconclusive: EXIT.inconclusive,
} as const satisfies Readonly<Record<ReplayDocument['verdict'], number>>;

async function deliver(document: ReplayDocument, { json }: ReplayFlags, io: Io): Promise<void> {
  const lines = json ? [JSON.stringify(document, null, 2)] : await replayText(document);
  for (const line of lines) print(io, line);
  io.exit(document.exit?.code ?? EXIT.inconclusive);
}

async function listExchanges(
  { rules, exchanges, sites }: ServiceRun,
  file: string,
  { json }: ReplayFlags,
  io: Io,
): Promise<void> {
  const { resendObstacle } = await import('../../../conformance/index.ts');
  const byId = new Map(exchanges.map((one) => [one.id, one]));
  const listed = rules
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn' || verdict === 'waived')
    .map((rule) => ({
      rule: rule.id,
      exchanges: [...new Set(rule.exchanges)].flatMap((id) => {
        const one = byId.get(id);
        if (!one) return [];
        const obstacle = resendObstacle(one, { exchanges, sites });
        return [{ id, purpose: one.purpose, status: one.response?.status ?? null, obstacle }];
      }),
    }));
  const lines = json ? [JSON.stringify(listed, null, 2)] : await listText(listed, file);
  for (const line of lines) print(io, line);
  io.exit(EXIT.passed);
}
