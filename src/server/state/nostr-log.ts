import { LIMITS } from '../../interface/index.ts';
import { ExpiringMap } from './expiring-map.ts';
import type { Partner } from './partners.ts';

/** The nostr values of the last 10 minutes, by partner (gap `nostr-replay`). */
export class NostrLog {
  readonly #seen = new ExpiringMap<{ expiresAtMs: number }>();

  /** Remembers a nostr; false if the same partner sent it within the last 10 minutes. */
  remember(partner: Partner, nostr: string, nowMs: number): boolean {
    const key = `${partner.id} ${nostr}`;
    const seen = this.#seen.get(key);
    if (seen !== undefined && nowMs < seen.expiresAtMs) return false;
    this.#seen.set(key, { expiresAtMs: nowMs + LIMITS.timestampValiditySeconds * 1000 }, nowMs);
    return true;
  }
}
