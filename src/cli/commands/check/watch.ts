import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { watchTarget } from '../../../app/check/watch-target.ts';
import { isAddress } from '../../../app/files/environment-profile.ts';
import { runFolder } from '../../../app/files/run-folder.ts';
import type { RuleResult } from '../../../documents/conformance.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { escapeTerminalLine, roundText } from '../../../report/index.ts';
import { flagOf } from '../../flags/load-option.ts';
import type { Io } from '../../io.ts';
import { CheckProgress } from '../../output/check-progress.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { deliver } from './deliver.ts';
import type { CheckFlags } from './flags.ts';
import { readAskedCheck } from './settings.ts';

/** Flags of a single run, or of a comparison with another one than the last round. */
const NOT_WATCHED = ['plan', 'resume', 'wait', 'against', 'failOn', 'onlyFailed', 'json'] as const;

/** Characters of a finding that is shown at once. */
const LINE_LIMIT = 240;

/** Verdicts that are shown at once, in words. */
const SHOWN: Readonly<Record<string, string>> = { fail: 'broken', warn: 'broken', pass: 'passes' };

/** Runs `fareproof check --watch`: shows each broken rule as it is found, then the verdict of the round, and what changed. */
export async function watch(given: CheckFlags, io: Io): Promise<void> {
  const other = NOT_WATCHED.find((name) => given[name] !== undefined);
  if (other !== undefined) throw refused(`it cannot be combined with ${flagOf(other)}.`);
  const { target, watch: files = [], seed = String(randomInt(2 ** 31)) } = given;
  if (target === undefined) throw refused('it needs --target: the embedded server never changes.');
  const folder = runFolder(io, 'conformance', Date.now(), given.out);
  // From round to round the target changes, not what it is sent.
  const flags = { ...given, seed, out: folder };
  let progress = new CheckProgress(io);
  const shown = new Set<string>();
  const note = (line: string, limit?: number): void => {
    progress.erase();
    io.note(escapeTerminalLine(line, limit));
  };
  const show = ({ id, verdict, reason }: Pick<RuleResult, 'id' | 'verdict' | 'reason'>): void => {
    const words = `${SHOWN[verdict]} ${id}`;
    if (!shown.has(words)) note(`${words}: ${reason}`, LINE_LIMIT);
    shown.add(words);
  };
  let exitCode: number = EXIT.interrupted;
  note(`watching ${target} (Ctrl-C ends)`);
  await watchTarget(
    {
      target,
      // A server that is started again may write another profile.
      files: [...(isAddress(target) ? [] : [target]), ...(files === true ? [] : files)].map(
        (file) => resolve(io.cwd, file),
      ),
      folder,
      read: () => readAskedCheck(flags, io),
    },
    {
      onRound: () => {
        progress = new CheckProgress(io);
        shown.clear();
        note('judging');
      },
      onRequest: (sent) => progress.request(sent, performance.now()),
      onRule: (rule) => {
        progress.add(rule);
        if (SHOWN[rule.verdict] === 'broken') show(rule);
      },
      onExplored: (so) => progress.explored(so),
      onLastFailures: (rules) => {
        for (const rule of rules) if (rule.verdict in SHOWN) show(rule);
        progress = new CheckProgress(io);
      },
      deliver: async (judged) => {
        const { rules } = judged.document;
        for (const rule of rules) if (SHOWN[rule.verdict] === 'broken') show(rule);
        progress.end(rules);
        const exit = (code: number): void => void (exitCode = code);
        await deliver(folder, judged, flags, { ...io, exit }, roundText);
      },
      onFailure: (error) => {
        note(`error ${error.code}: ${error.message}`);
        exitCode = error instanceof ConfigurationError ? EXIT.usage : EXIT.inconclusive;
      },
      onChange: (what) => note(what),
    },
    io,
  );
  io.exit(exitCode);
}

function refused(problem: string): ConfigurationError {
  return new ConfigurationError('FLAG_CONFLICT', problem, { field: 'watch' });
}
