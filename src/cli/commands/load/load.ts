import { withLoadTargets } from '../../../app/load/target.ts';
import type { LoadFlags } from '../../../load/index.ts';
import { OPTION_ROWS, runOptionsOf } from '../../../load/options.ts';
import { readNumber } from '../../flags/numbers.ts';
import type { Io } from '../../io.ts';
import { openLivePage } from '../../output/live-page.ts';
import { nextOfLoad } from '../../output/next-step.ts';
import { proxyWords } from '../../output/proxy-words.ts';
import { TerminalOutput } from '../../output/terminal-output.ts';
import { withAgents } from './agents.ts';
import { type DeliveredLoad, documentOutput, exitOf } from './deliver.ts';
import { readPart } from './part.ts';
import { withSuite } from './suite.ts';

/** Runs `fareproof load`. */
export async function load(typed: LoadFlags, io: Io): Promise<void> {
  await withSuite(typed, io, async (flags) => {
    const { allOutputs, readExports } = await import('../../../load/index.ts');
    const exports = readExports(flags.export);
    const { openCollector } = await import('../../../app/load/collector.ts');
    const { prepareLoad } = await import('../../../app/load/load-target.ts');
    const { PageOutput, subjectOf } = await import('../../../app/load/page-output.ts');
    const collector = flags.otlp === undefined ? null : await openCollector(flags.otlp, io);
    const signal = io.interruption();
    await withLoadTargets(flags, io, (target, base) =>
      withAgents(flags, { io, signal }, async (agents) => {
        const run = { signal, agents, part: readPart(flags, Date.now()) };
        const marginPercent = readNumber(flags.margin?.toString(), 'margin', OPTION_ROWS.margin);
        const asked = { options: runOptionsOf(flags), runs: flags.runs, marginPercent };
        const prepared = await prepareLoad(
          asked,
          { ...target, ...run },
          base && { ...base, ...run },
        );
        const page = await openLivePage(flags, subjectOf(prepared, target, flags.against), io);
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
          const outcome = await prepared.run(output);
          const isInterrupted = signal.aborted && { interrupted: true };
          document = {
            ...outcome,
            ...(flags.label !== undefined && { label: flags.label }),
            exit: exitOf({ ...outcome, ...isInterrupted }),
            ...nextOfLoad(outcome, typed, io),
          };
          const aboutProxy = proxyWords('reason' in outcome ? outcome.reason : '', io.env);
          if (aboutProxy !== null) io.note(aboutProxy);
        } finally {
          await output.stop(document);
        }
      }),
    );
  });
}
