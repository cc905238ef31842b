import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Line of the file. */
interface Entry {
  readonly partner: string;
  readonly received?: string;
  readonly used?: string;
  readonly access?: string;
}

type TokenKind = 'refresh_token' | 'access_token';

/** Tokens received and used, so that a resumed run has them and sends no refresh_token twice. */
export interface TokenJournal {
  /** Tokens of the earlier parts of the run, used refresh_tokens included. */
  readonly tokens: readonly { readonly kind: TokenKind; readonly token: string }[];
  /** Checks whether an earlier part of the run sent the refresh_token. */
  wasUsed(refreshToken: string): boolean;
  received(partner: string, refreshToken: string): void;
  /** Writes the token to disk before it is sent. */
  used(partner: string, refreshToken: string): void;
  receivedAccess(partner: string, accessToken: string): void;
}

/** Opens the journal of a run in a file that only its owner can read. */
export function openTokenJournal(path: string): TokenJournal {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const entries = readEntries(path);
  const used = new Set(entries.map((entry) => entry.used));
  // The newline comes first: the line before may be torn.
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

/** A torn line is the last one of a run that died: its token had not been sent. */
function parseEntry(line: string): Entry[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Entry];
  } catch {
    return [];
  }
}
