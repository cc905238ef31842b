import { randomUUID } from 'node:crypto';
import { readTextFile } from '../../../app/files/text.ts';
import { type LoadTarget, withLoadTargets } from '../../../app/load/target.ts';
import { TOOL } from '../../../app/tool.ts';
import type { ThresholdTerms } from '../../../documents/load.ts';
import type {
  LoadFlags,
  OtlpExport,
  PlannedLoad,
  RunContext,
  RunOutput,
} from '../../../load/index.ts';
import { PAIRS, runOptionsOf } from '../../../load/options.ts';
import type { LiveSubject } from '../../../report/index.ts';
import { readPercent } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { openLivePage } from '../../output/live-page.ts';
import { withAgents } from './agents.ts';
import {
  type DeliveredLoad,
  documentOutput,
  exitOf,
  type LoadOutcome,
  readExports,
} from './deliver.ts';
import { PageOutput } from './page.ts';
import { readPart } from './part.ts';
import { withSuite } from './suite.ts';
import { TerminalOutput } from './watch.ts';

/** Runs `fareproof load`. */
export async function load(typed: LoadFlags, io: Io): Promise<void> {
  await withSuite(typed, io, async (flags) => {
    const exports = await readExports(flags.export);
    const collector = await openCollector(flags.otlp, io);
    const { allOutputs } = await import('../../../load/index.ts');
    const signal = io.interruption();
    await withLoadTargets(flags, io, (target, base) =>
      withAgents(flags, { io, signal }, async (agents) => {
        const run = { signal, agents, part: readPart(flags, Date.now()) };
        const asked = await planAsked(flags, {
          target: contextOf(target, run, io),
          base: base && contextOf(base, run, io),
        });
        const page = await openLivePage(flags, subjectOf(asked, target, flags.against), io);
        // A collector may be slow: nothing is waited for once the result is printed.
        const outputs = [
          new TerminalOutput(io),
          ...(collector === null ? [] : [collector]),
          documentOutput(flags, exports, io),
          ...(page === null ? [] : [new PageOutput(page, flags.out, io)]),
        ];
        const output = allOutputs<DeliveredLoad>(outputs, (message) =>
          io.note(`warning: ${message}`),
        );
        let document: DeliveredLoad | null = null;
        try {
          const outcome = await asked.run(output);
          const isInterrupted = signal.aborted && { interrupted: true };
          document = { ...outcome, exit: exitOf({ ...outcome, ...isInterrupted }) };
        } finally {
          await output.stop(document);
        }
        io.exit(document.exit.code);
      }),
    );
  });
}

/** Surroundings of a run of the command on a target. */
export function contextOf(
  { context }: LoadTarget,
  run: Pick<RunContext, 'signal' | 'agents' | 'part' | 'output'>,
  io: Io,
): RunContext {
  return {
    ...io.load,
    ...context,
    ...run,
    readText: (path) => readTextFile(path, io.cwd),
  };
}

/** Title and facts of a load for its live page. */
function subjectOf(
  { description, thresholds, stages }: AskedLoad,
  { context: { profile } }: LoadTarget,
  against: string | undefined,
): LiveSubject {
  const expressions = thresholds.map(({ expression }) => expression).join(', ');
  return {
    kind: 'load',
    title: `Load on ${profile.name}`,
    state: 'Waiting for the first second',
    facts: [
      ['Target', addressOf(profile.baseUrl)],
      ['Asked for', description],
      ...(against === undefined ? [] : ([['Compared with', against]] as const)),
      ...(thresholds.length === 0 ? [] : ([['Thresholds', expressions]] as const)),
    ],
    thresholds,
    stages,
  };
}

/** The address without credentials. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/$/, '');
}

/** The load that the flags ask for, checked and ready to run. */
interface AskedLoad {
  /** Such as `open model, 2000/s`. */
  readonly description: string;
  readonly thresholds: readonly ThresholdTerms[];
  /** Start of each stage, seconds from the start of the measured window; left out of a search. */
  readonly stages?: readonly { readonly startS: number }[];
  run(output: RunOutput): Promise<LoadOutcome>;
}

/**
 * Plans the load on a target, and on the base that it is compared with where there is one.
 *
 * @throws ConfigurationError as planLoad, before anything is sent
 */
async function planAsked(
  flags: LoadFlags,
  { target, base }: { target: RunContext; base: RunContext | null },
): Promise<AskedLoad> {
  const { findMax, planLoad, RunSeries, runPairs, runSet, stageStartsMs, withOutput } =
    await import('../../../load/index.ts');
  const marginPercent = readPercent(flags.margin?.toString(), 'margin');
  const options = runOptionsOf(flags);
  const planned = await planLoad({ ...options, ...target });
  const { thresholds } = planned;
  if (planned.isSearch) {
    return {
      description: 'the highest rate',
      thresholds,
      run: async (output) => ({ ...(await findMax(withOutput(planned, output))), tool: TOOL }),
    };
  }
  const stages = stageStartsMs(planned.plan).map((startMs) => ({ startS: startMs / 1000 }));
  const asked = { description: modelInWords(planned), thresholds, stages };
  if (base !== null) {
    const baseLoad = await planLoad({ ...options, ...base });
    const { runs: pairs = PAIRS } = flags;
    return {
      ...asked,
      run: (output) =>
        runPairs({
          base: withOutput(baseLoad, output),
          candidate: withOutput(planned, output),
          pairs,
          marginPercent,
          tool: TOOL,
        }),
    };
  }
  const { runs = 1 } = flags;
  return {
    ...asked,
    run: (output) => {
      const told = withOutput(planned, output);
      return runs > 1 ? runSet(told, { runs, tool: TOOL }) : new RunSeries(TOOL).run(told);
    },
  };
}

function modelInWords({ plan, options: { stages, rate } }: PlannedLoad): string {
  if (plan.model === 'closed') return `closed model, ${plan.connections} connections`;
  return stages === undefined ? `open model, ${rate}/s` : 'open model, in stages';
}

/**
 * Opens the output that sends metrics to a collector; null without an address.
 *
 * @throws ConfigurationError `OTLP_URL`, `OTLP_NOT_INSTALLED`
 */
async function openCollector(address: string | undefined, io: Io): Promise<OtlpExport | null> {
  if (address === undefined) return null;
  const { OtlpExport: Export, readCollectorAddress } = await import('../../../load/index.ts');
  const url = readCollectorAddress(address);
  // The exporter reads them by itself, and a warning of it may quote them.
  const { OTEL_EXPORTER_OTLP_HEADERS: all = '', OTEL_EXPORTER_OTLP_METRICS_HEADERS: own = '' } =
    io.env;
  await io.secrets.addProfile({ headers: { all, own } });
  return Export.open({
    url,
    resource: {
      'service.name': TOOL.name,
      'service.version': TOOL.version,
      'service.instance.id': randomUUID(),
    },
  });
}
