import type { OtlpExport } from '../../../load/index.ts';
import type { ExportFormat, LiveSubject } from '../../../report/index.ts';
import type { Io } from '../../io.ts';
import { openLivePage } from '../../output/live-page.ts';
import { withAgents } from './agents.ts';
import { deliverOutcome } from './deliver.ts';
import type { LoadFlags } from './flags.ts';
import { withCollector } from './otlp.ts';
import { type AskedLoad, planAsked } from './run.ts';
import { readLoadSettings } from './settings.ts';
import { type LoadTarget, withLoadTargets } from './target.ts';
import { LoadWatch } from './watch.ts';

/** Runs `fareproof load`. */
export async function load(flags: LoadFlags, io: Io): Promise<void> {
  const read = await readLoadSettings(flags, io);
  const signal = io.interruption();
  await withLoadTargets(flags, io, (target, base) =>
    withCollector(read.collector, io, (otlp) =>
      withAgents(flags, { ...read, otlp }, { io, signal }, (settings) =>
        settings.explain(async () => {
          const asked = await planAsked(settings, { target, base }, signal);
          const subject = subjectOf(asked, target, flags.against);
          const { exports } = settings;
          await runAsked(asked, subject, { flags, exports, otlp, signal }, io);
        }),
      ),
    ),
  );
}

async function runAsked(
  asked: AskedLoad,
  subject: LiveSubject,
  {
    flags,
    exports,
    otlp,
    signal,
  }: {
    readonly flags: LoadFlags;
    readonly exports: readonly ExportFormat[];
    readonly otlp: OtlpExport | null;
    readonly signal: AbortSignal;
  },
  io: Io,
): Promise<void> {
  const page = await openLivePage(flags, subject, io);
  try {
    const outcome = await asked.run(new LoadWatch(io, page));
    // A collector may be slow; nothing is waited for once the result is printed.
    await otlp?.close();
    const delivery = { flags, exports, page, isInterrupted: signal.aborted };
    io.exit(await deliverOutcome(outcome, delivery, io));
  } finally {
    await page?.close();
  }
}

/** Title and facts of a load for its live page. */
function subjectOf(
  { description, thresholds, stages }: AskedLoad,
  { options: { profile } }: LoadTarget,
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
