import { FareproofError } from '../../../interface/errors.ts';
import type { TargetPartner } from '../contract/target.ts';
import { Session, type SessionWatch } from './session.ts';
import type { TargetClient } from './target-client.ts';

/** Gives sessions: of partners made afresh, and of the profile's. */
export class PartnerPool {
  readonly #client: TargetClient;
  readonly #watch: SessionWatch;
  readonly #sessions = new Map<string, Session>();
  /** Whether nothing but a fault refuses a fresh partner: false once bans have been provoked. */
  isCalm = true;

  constructor(client: TargetClient, watch: SessionWatch) {
    this.#client = client;
    this.#watch = watch;
  }

  /**
   * A session of a partner with whole allowances.
   *
   * @throws FareproofError `CONTROL_FAILED`, or `NO_FRESH_PARTNER` without a control API
   */
  async fresh(longLock = false): Promise<Session> {
    const { control } = this.#client;
    if (!control) {
      throw new FareproofError('NO_FRESH_PARTNER', 'There is no control API to make a partner by.');
    }
    const partner = await control.createPartner(longLock);
    return new Session(this.#client, partner, this.#watch, { fresh: this.isCalm });
  }

  /** The one session of a partner of the profile. */
  of(partner: TargetPartner, codes: readonly string[] = partner.authCodes): Session {
    const known = this.#sessions.get(partner.id);
    if (known) return known;
    const session = new Session(this.#client, partner, this.#watch, {
      codes,
      accessToken: partner.accessToken,
    });
    this.#sessions.set(partner.id, session);
    return session;
  }

  /** An unused auth code: made for that user by the control API, else the next of the profile's. */
  async code(session: Session, user: string): Promise<string | null> {
    const { control } = this.#client;
    if (control) return control.createAuthCode(session.partner.id, user);
    const code = session.codes.shift() ?? null;
    if (code !== null) this.#watch.codeTaken?.(session.partner.id, code);
    return code;
  }
}
