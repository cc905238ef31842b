import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Exchange } from '../../../documents/exchange.ts';
import type { Exchange as Sealed } from '../../../documents/sealed.ts';
import { PRIVATE, replaceFile } from '../../../files/write-file.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { Budget } from '../budget/budgets.ts';
import { RecordFile } from './record-file.ts';

/** Options of a run that have to be the same when it is resumed. */
export interface RunFacts {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seed: number;
  readonly baseUrl: string;
  readonly suite: string;
  /** Ids of the selected rules. */
  readonly rules: readonly string[];
  /** Ids of the rules and checks that come first, so that they give the same plan. */
  readonly first: readonly string[];
  readonly allowBan: boolean;
  /** Unused auth codes as hashes. Null if no request is metered: such a run starts over. */
  readonly budgets: readonly Budget[] | null;
}

/** Request of the log; it has an error where the run died before the answer. */
export interface LoggedExchange<E extends Sealed = Exchange> {
  readonly exchange: E;
  /** Target's time, ms since the epoch. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Log of an earlier part of a run. */
export interface EarlierPart {
  readonly facts: RunFacts | null;
  /** Data of the command line, opaque here. */
  readonly command: unknown;
  /** In order of sending. */
  readonly exchanges: readonly LoggedExchange[];
  /** Pseudonym of a secret, found by its hash; undefined for a new one. */
  readonly pseudonymOf: (secret: string) => string | undefined;
  readonly pseudonyms: readonly string[];
}

/** Lines of the file, by the field that tells their kind. */
interface Lines {
  readonly run: { readonly run: RunFacts | null; readonly command: unknown };
  readonly secret: { readonly secret: string; readonly as: string };
  readonly sending: { readonly sending: Exchange; readonly sentAtMs: number };
  readonly exchange: LoggedExchange;
  readonly stepped: { readonly stepped: readonly string[]; readonly byMs: number };
  readonly judged: { readonly judged: string; readonly verdict: string; readonly reason: string };
}

type Line = Lines[keyof Lines];

/** Log of a run, by which it can be resumed after its process died; secrets are redacted. */
export interface RunLog {
  /** Null for a new run. */
  readonly earlier: EarlierPart | null;
  /** True if a request that counts was sent, in this part of the run or an earlier one. */
  readonly hasSent: boolean;
  /** True once a request was not sent because it could not be recorded. */
  readonly isShort: boolean;
  /** Writes what a new run is, into its first line. */
  begin(facts: RunFacts): void;
  learned(secret: string, pseudonym: string): void;
  /**
   * Writes a request that counts to disk before it is sent.
   *
   * @throws FareproofError `RUN_NOT_RECORDED`
   */
  sending(exchange: Exchange, sentAtMs: number): void;
  exchanged(logged: LoggedExchange): void;
  /** Notes by how much a clock was set while exchanges were measured. */
  stepped(exchanges: readonly string[], byMs: number): void;
  judged(rule: string, verdict: string, reason: string): void;
}

/**
 * Starts the log of a new run in a file that only its owner can read; an earlier one is overwritten.
 *
 * @param command data of the command line, JSON, returned when the run is resumed
 */
export function startRunLog(path: string, command: unknown): RunLog {
  return openRunLog(path, null, command);
}

/**
 * Reads the log of an earlier run and continues it.
 *
 * @throws ConfigurationError `RESUME_NOTHING` if there is none, `RESUME_BROKEN` if it is damaged
 */
export function resumeRunLog(path: string): RunLog {
  const lines = readLines(path);
  // Rewritten without the half line of a run that died while writing.
  replaceLines(path, lines);
  const [first] = lines;
  const [facts, command] = first && 'run' in first ? [first.run, first.command] : [null, null];
  const pseudonyms = new Map(
    lines.flatMap((line) => ('secret' in line ? [[line.secret, line.as] as const] : [])),
  );
  const earlier: EarlierPart = {
    facts,
    command,
    exchanges: exchangesOf(lines),
    pseudonymOf: (secret) => pseudonyms.get(hashOf(secret)),
    pseudonyms: [...pseudonyms.values()],
  };
  return openRunLog(path, earlier, command);
}

function openRunLog(path: string, earlier: EarlierPart | null, command: unknown): RunLog {
  const file = new RecordFile(path);
  // At once, so that a run which dies before it begins can be resumed as well.
  if (earlier === null) file.attempt(() => replaceLines(path, [{ run: null, command }]));
  const append = (line: Line): void => file.append(textOf(line));
  let hasSent = (earlier?.exchanges ?? []).some(
    ({ exchange }) => exchange.request.method === 'POST',
  );
  return {
    earlier,
    get hasSent() {
      return hasSent;
    },
    get isShort() {
      return file.isShort;
    },
    begin: (run) => {
      // A run that starts over, as nothing of it was metered, drops the earlier log.
      if (!earlier?.facts || run.budgets === null)
        file.attempt(() => replaceLines(path, [{ run, command }]));
    },
    learned: (secret, as) => append({ secret: hashOf(secret), as }),
    sending: (exchange, sentAtMs) => {
      file.require(textOf({ sending: exchange, sentAtMs }), true);
      hasSent = true;
    },
    exchanged: (one) => append(one),
    stepped: (stepped, byMs) => append({ stepped, byMs }),
    judged: (rule, verdict, reason) => append({ judged: rule, verdict, reason }),
  };
}

/** Hash by which an auth code or a token is recognised. */
export function hashOf(secret: string): string {
  return hash('sha256', secret).slice(0, 32);
}

/** Requests that were under way when the run died are lost: they are not sent again. */
function exchangesOf(lines: readonly Line[]): LoggedExchange[] {
  const byId = new Map<string, LoggedExchange>();
  for (const line of lines) {
    if ('sending' in line) {
      const { sending, sentAtMs } = line;
      const exchange = { ...sending, error: ANSWER_LOST };
      byId.set(sending.id, { exchange, sentAtMs, answeredAtMs: sentAtMs });
    }
    if ('exchange' in line) byId.set(line.exchange.id, line);
    if (!('stepped' in line)) continue;
    for (const id of line.stepped) {
      const one = byId.get(id);
      if (one) byId.set(id, { ...one, exchange: { ...one.exchange, clockStepMs: line.byMs } });
    }
  }
  return [...byId.values()];
}

const ANSWER_LOST = {
  code: 'ANSWER_LOST',
  message: 'the run ended before the response arrived, and the request is not sent again',
} as const;

/** Checks whether the answer is unknown because the run ended before it. */
export function isLost({ exchange: { error } }: LoggedExchange<Sealed>): boolean {
  return error?.code === ANSWER_LOST.code || error?.code === 'INTERRUPTED';
}

function readLines(path: string): Line[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new ConfigurationError(
      'RESUME_NOTHING',
      `${path} does not exist: there is no run to resume; start a new one.`,
    );
  }
  const texts = text.split('\n');
  return texts.flatMap((line, at) => {
    if (line === '') return [];
    const parsed = parseLine(line);
    if (parsed) return [parsed];
    if (at === texts.length - 1) return [];
    throw new ConfigurationError(
      'RESUME_BROKEN',
      `${path}:${at + 1}: not a line of a run's log; the run cannot be resumed, start a new one.`,
    );
  });
}

function parseLine(text: string): Line | null {
  try {
    const line: unknown = JSON.parse(text);
    if (line === null || typeof line !== 'object') return null;
    return Object.keys(KINDS).some((kind) => kind in line) ? (line as Line) : null;
  } catch {
    return null;
  }
}

const KINDS: Readonly<Record<keyof Lines, true>> = {
  run: true,
  secret: true,
  sending: true,
  exchange: true,
  stepped: true,
  judged: true,
};

function textOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** Writes all or nothing, whenever the process dies. */
function replaceLines(path: string, lines: readonly Line[]): void {
  replaceFile(path, lines.map(textOf).join(''), PRIVATE);
}
