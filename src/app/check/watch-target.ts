import { acceptsConnection, MACHINE_CLOCK, spendsOfProfile } from '../../conformance/index.ts';
import type { RuleResult } from '../../documents/conformance.ts';
import { isBroken } from '../../documents/rule-verdict.ts';
import { ConfigurationError, FareproofError } from '../../interface/errors.ts';
import { isLoopback } from '../../interface/loopback.ts';
import type { Surroundings } from '../surroundings.ts';
import { ChangeWatch } from './change-watch.ts';
import {
  type AskedCheck,
  type CheckWatch,
  checkTarget,
  type PreparedCheck,
  prepareCheck,
} from './check-target.ts';
import type { EarlierRun } from './earlier-run.ts';
import { withTargets } from './targets.ts';

/** Time between two looks at a service, ms: elsewhere, and with TLS, a connection without a request may be logged. */
const LOOK_EVERY_MS = { quiet: 100, logged: 1_000 } as const;

/** A check that is repeated. */
export interface WatchedCheck {
  /** Path of a profile with a control API. */
  readonly target: string;
  /** Absolute paths. */
  readonly files: readonly string[];
  readonly folder: string;
  /** Reads what is asked for; its files may have changed since the last round. */
  readonly read: () => Promise<AskedCheck>;
}

/** Callbacks of the rounds of a check. */
export interface RoundWatch
  extends Pick<CheckWatch, 'onRequest' | 'onRule' | 'onExplored' | 'deliver'> {
  onRound(): void;
  /** Takes the rules that the last round found broken, as the first requests of this one judge them. */
  onLastFailures(rules: readonly RuleResult[]): void;
  /** Called for a round without findings. */
  onFailure(error: FareproofError): void;
  /** Called with what ends a round, or the wait after one. */
  onChange(what: string): void;
}

/**
 * Judges a target, and again each time that it was restarted or a file was written, until interrupted. What changes
 * during a round ends it without findings, as they would be of neither state.
 *
 * @throws ConfigurationError `CONTROL_MISSING` if a round would spend of the profile's partners, and as prepareCheck
 */
export async function watchTarget(
  { target, files, folder, read }: WatchedCheck,
  watch: RoundWatch,
  surroundings: Surroundings,
): Promise<void> {
  const rounds: { last: EarlierRun | null } = { last: null };
  const prepare = (): Promise<PreparedCheck> =>
    withTargets(target, surroundings, async (targets) => {
      const asked = { ...(await read()), against: rounds.last };
      return unmetered(await prepareCheck(asked, await targets, surroundings));
    });
  let prepared = await prepare();
  let { baseUrl } = prepared.options.target;
  const { clock = MACHINE_CLOCK } = surroundings;
  const accepts = (): Promise<boolean | null> => acceptsConnection(baseUrl);
  const onWritten = async (): Promise<void> => {
    try {
      ({ baseUrl } = (await prepare()).options.target);
    } catch (error) {
      if (!(error instanceof FareproofError)) throw error;
      // Else the next round says so.
      if (!(await accepts())) watch.onFailure(error);
    }
  };
  const isQuiet = isLoopback(baseUrl) && baseUrl.startsWith('http:');
  const everyMs = LOOK_EVERY_MS[isQuiet ? 'quiet' : 'logged'];
  const changes = new ChangeWatch({ files, accepts, onWritten, clock, everyMs });
  const interruption = surroundings.interruption();
  for (let isFirst = true; await changes.settled(interruption); isFirst = false) {
    watch.onRound();
    const round = new AbortController();
    const changed = changes.changed(interruption).finally(() => round.abort());
    const judge = (check: PreparedCheck, deliver: CheckWatch['deliver']): Promise<void> => {
      const ofRound = { ...watch, signal: round.signal, onUnfinished: () => undefined, deliver };
      return checkTarget(check, { folder, kept: null }, ofRound);
    };
    try {
      if (!isFirst) prepared = await prepare();
      const broken = (rounds.last?.document.rules ?? []).filter(isBroken).map(({ id }) => id);
      if (broken.length > 0)
        await judge(briefly(prepared, broken), async ({ document }) => {
          if (!round.signal.aborted) watch.onLastFailures(document.rules);
        });
      await judge(prepared, async (judged) => {
        const isCut = round.signal.aborted && (rounds.last !== null || !interruption.aborted);
        if (isCut || judged.unreachable) return;
        await watch.deliver(judged);
        const { document } = judged;
        rounds.last = { run: 'the last round', document, isAsked: false, failsOnNew: false };
      });
    } catch (error) {
      if (!(error instanceof FareproofError)) throw error;
      if (!round.signal.aborted) watch.onFailure(error);
    }
    const what = await changed;
    if (what !== null) watch.onChange(what);
  }
}

/** Some of the rules of a check, judged by their first requests and by those that showed them broken. */
function briefly(prepared: PreparedCheck, only: readonly string[]): PreparedCheck {
  const options = { ...prepared.options, only, requests: 1, exploreSeconds: undefined };
  return { ...prepared, options };
}

/** A check that sends nothing as a partner of the profile, whose allowances many rounds would use up. */
function unmetered(prepared: PreparedCheck): PreparedCheck {
  const { target, suite } = prepared.options;
  if (!spendsOfProfile(target, suite))
    return { ...prepared, options: { ...prepared.options, sparesProfile: true } };
  const problem = target.control
    ? `each round of the suite ${suite.name} would spend of the profile's partners; choose another suite, or remove accessToken from the profile.`
    : "each round would spend of the profile's partners; add the target's control API to the profile, as control.";
  throw new ConfigurationError('CONTROL_MISSING', problem, { field: 'watch' });
}
