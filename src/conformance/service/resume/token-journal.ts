import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** One line of the file. */
interface Entry {
  readonly partner: string;
  readonly received?: string;
  readonly used?: string;
  readonly access?: string;
}

type TokenKind = 'refresh_token' | 'access_token';

/** Tokens as they come and go, so that a run that died goes on with them and sends none twice. */
export interface TokenJournal {
  /** Tokens that an earlier part of the run held, refresh_tokens that were used too. */
  readonly tokens: readonly { readonly kind: TokenKind; readonly token: string }[];
  /** Whether an earlier part of the run sent that refresh_token. */
  wasUsed(refreshToken: string): boolean;
  received(partner: string, refreshToken: string): void;
  /** On disk before the token is sent. */
  used(partner: string, refreshToken: string): void;
  receivedAccess(partner: string, accessToken: string): void;
}

/**
 * Keeps a journal of tokens in a file that only its owner can read; what an earlier part of the run
 * wrote there is known.
 */
export function openTokenJournal(path: string): TokenJournal {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const entries = readEntries(path);
  const used = new Set(entries.map((entry) => entry.used));
  // A line of its own, even behind one that was torn by a death.
  const append = (entry: Entry, flush = false): void =>
    appendFileSync(path, `\n${JSON.stringify(entry)}`, { mode: 0o600, flush });
  return {
    tokens: entries.flatMap(({ received, access }) => [
      ...(received === undefined ? [] : [{ kind: 'refresh_token' as const, token: received }]),
      ...(access === undefined ? [] : [{ kind: 'access_token' as const, token: access }]),
    ]),
    wasUsed: (refreshToken) => used.has(refreshToken),
    received: (partner, refreshToken) => append({ partner, received: refreshToken }),
    used: (partner, refreshToken) => append({ partner, used: refreshToken }, true),
    receivedAccess: (partner, accessToken) => append({ partner, access: accessToken }),
  };
}

function readEntries(path: string): Entry[] {
  try {
    return readFileSync(path, 'utf8').split('\n').flatMap(parseEntry);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** A torn line is the last thing a run did; what it was about had not been sent yet. */
function parseEntry(line: string): Entry[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Entry];
  } catch {
    return [];
  }
}
