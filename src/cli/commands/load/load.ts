import type { AgentPool, LoadFlags, OtlpExport, RunContext } from '../../../load/index.ts';
import type { LiveSubject } from '../../../report/index.ts';
import { readTextFile } from '../../files/text.ts';
import type { Io } from '../../io.ts';
import { openLivePage } from '../../output/live-page.ts';
import { withAgents } from './agents.ts';
import { deliverOutcome, readExports } from './deliver.ts';
import { withCollector } from './otlp.ts';
import { type AskedLoad, planAsked } from './run.ts';
import { withSuite } from './suite.ts';
import { type LoadTarget, withLoadTargets } from './target.ts';
import { LoadWatch } from './watch.ts';

/** Runs `fareproof load`. */
export async function load(typed: LoadFlags, io: Io): Promise<void> {
  await withSuite(typed, io, async (flags) => {
    const exports = await readExports(flags.export);
    const signal = io.interruption();
    await withLoadTargets(flags, io, (target, base) =>
      withCollector(flags.otlp, io, (otlp) =>
        withAgents(flags, { io, signal }, async (agents) => {
          const run = { signal, agents, otlp };
          const asked = await planAsked(flags, {
            target: contextOf(target, run, io),
            base: base && contextOf(base, run, io),
          });
          const page = await openLivePage(flags, subjectOf(asked, target, flags.against), io);
          try {
            const outcome = await asked.run(new LoadWatch(io, page));
            // A collector may be slow; nothing is waited for once the result is printed.
            await otlp?.close();
            const delivery = { flags, exports, page, isInterrupted: signal.aborted };
            io.exit(await deliverOutcome(outcome, delivery, io));
          } finally {
            await page?.close();
          }
        }),
      ),
    );
  });
}

/** Surroundings of a run of the command on a target. */
export function contextOf(
  { context }: LoadTarget,
  run: {
    readonly signal: AbortSignal;
    readonly agents?: AgentPool | undefined;
    readonly otlp?: OtlpExport | null;
  },
  io: Io,
): RunContext {
  return {
    ...io.load,
    ...context,
    signal: run.signal,
    agents: run.agents,
    onRecords: run.otlp?.listenerFor(context.profile),
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
