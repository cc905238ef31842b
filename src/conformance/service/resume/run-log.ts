import { hash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { AllowanceKind } from '../../../interface/limits.ts';
import type { Exchange } from '../../exchange.ts';

/** What a partner had left when a run began, and which of its auth codes were unused (hashes). */
export interface StoredBudget {
  readonly partnerId: string;
  readonly left: Readonly<Record<AllowanceKind | 'codes', number>>;
  readonly unusedCodes: readonly string[];
  readonly hasAccessToken: boolean;
  readonly mayBan: boolean;
  readonly kept: number;
}

/** What a run was about; one that goes on with it has to be about the same. */
export interface RunFacts {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seed: number;
  readonly baseUrl: string;
  readonly suite: string;
  /** Ids of the rules that are judged. */
  readonly rules: readonly string[];
  readonly allowBan: boolean;
  /** Null where no request is metered: such a run is not continued, but made anew. */
  readonly budgets: readonly StoredBudget[] | null;
}

/** A request that was sent: its answer, or null where the run died before it was there. */
export interface EarlierExchange {
  readonly exchange: Exchange;
  /** Target's time, ms since the epoch. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** What an earlier part of a run left behind. */
export interface EarlierPart {
  readonly facts: RunFacts | null;
  /** What the command line needs to go on; opaque here. */
  readonly command: unknown;
  /** In order of sending. */
  readonly exchanges: readonly EarlierExchange[];
  /** Of a secret, where it was known; by a hash of it. */
  readonly pseudonymOf: (secret: string) => string | undefined;
  readonly pseudonyms: readonly string[];
}

/** One line of the file. */
type Line =
  | { readonly run: RunFacts; readonly command: unknown }
  | { readonly secret: string; readonly as: string }
  | { readonly sending: Exchange; readonly sentAtMs: number }
  | { readonly exchange: Exchange; readonly sentAtMs: number; readonly answeredAtMs: number }
  | { readonly judged: string; readonly verdict: string; readonly reason: string };

/** What a run keeps while it goes on, so that it can go on after its death; secrets are redacted. */
export interface RunLog {
  /** Null for a run that starts. */
  readonly past: EarlierPart | null;
  /** Whether a request that counts was sent, in this part of the run or an earlier one. */
  readonly hasSent: boolean;
  /** Whose run it is; the first line of a run that starts. */
  begin(facts: RunFacts): void;
  learned(secret: string, pseudonym: string): void;
  /** On disk before a request that counts goes out. */
  sending(exchange: Exchange, sentAtMs: number): void;
  exchanged(past: EarlierExchange): void;
  judged(rule: string, verdict: string, reason: string): void;
}

/**
 * Keeps the progress of a run that starts in a file that only its owner can read; an earlier one is
 * overwritten.
 *
 * @param command what is to be known, beside the run's own facts, to go on with it; JSON
 */
export function startRunLog(path: string, command: unknown): RunLog {
  mkdirSync(dirname(path), { recursive: true });
  return runLogOver(path, null, command);
}

/**
 * Goes on with the progress of an earlier run.
 *
 * @throws ConfigurationError `RESUME_NOTHING` where there is none, `RESUME_BROKEN` where it is damaged
 */
export function resumeRunLog(path: string): RunLog {
  const lines = readLines(path);
  // Written anew without the half line of a run that died while it wrote.
  replaceFile(path, lines);
  const [first] = lines;
  const [facts, command] = first && 'run' in first ? [first.run, first.command] : [null, null];
  const pseudonyms = new Map(
    lines.flatMap((line) => ('secret' in line ? [[line.secret, line.as] as const] : [])),
  );
  const past: EarlierPart = {
    facts,
    command,
    exchanges: exchangesOf(lines),
    pseudonymOf: (secret) => pseudonyms.get(hashOf(secret)),
    pseudonyms: [...pseudonyms.values()],
  };
  return runLogOver(path, past, command);
}

function runLogOver(path: string, past: EarlierPart | null, command: unknown): RunLog {
  const append = (line: Line): void =>
    appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  let hasSent = (past?.exchanges ?? []).some(({ exchange }) => exchange.request.method === 'POST');
  return {
    past,
    get hasSent() {
      return hasSent;
    },
    begin: (run) => {
      // A run that is made anew, as nothing of it was metered, forgets the earlier one.
      if (past === null || run.budgets === null) replaceFile(path, [{ run, command }]);
    },
    learned: (secret, as) => append({ secret: hashOf(secret), as }),
    sending: (exchange, sentAtMs) => {
      append({ sending: exchange, sentAtMs });
      hasSent = true;
    },
    exchanged: (one) => append(one),
    judged: (rule, verdict, reason) => append({ judged: rule, verdict, reason }),
  };
}

/** A hash that tells whether an auth code or token is one that was known. */
export function hashOf(secret: string): string {
  return hash('sha256', secret).slice(0, 32);
}

/** Those that were on their way when the run died are lost: they are not sent again. */
function exchangesOf(lines: readonly Line[]): EarlierExchange[] {
  const byId = new Map<string, EarlierExchange>();
  for (const line of lines) {
    if ('sending' in line) {
      const { sending, sentAtMs } = line;
      const exchange = { ...sending, error: ANSWER_LOST };
      byId.set(sending.id, { exchange, sentAtMs, answeredAtMs: sentAtMs });
    }
    if ('exchange' in line) byId.set(line.exchange.id, line);
  }
  return [...byId.values()];
}

const ANSWER_LOST = {
  code: 'ANSWER_LOST',
  message: 'the run ended before the answer was there, and the request is not sent again',
} as const;

/** Whether the answer of a request is not known because the run ended. */
export function isLost({ exchange: { error } }: EarlierExchange): boolean {
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
      `${path} is not there: no run was left unfinished in that folder, so there is nothing to resume.`,
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
    return KINDS.some((kind) => kind in line) ? (line as Line) : null;
  } catch {
    return null;
  }
}

const KINDS = ['run', 'secret', 'sending', 'exchange', 'judged'] as const;

/** Whole or not at all, whenever the process dies. */
function replaceFile(path: string, lines: readonly Line[]): void {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
