import { FareproofError } from '../../../interface/errors.ts';
import type { TargetPartner } from '../contract/target.ts';
import type { WireRequest } from '../http/message.ts';
import { buildTokenRequest } from './requests.ts';
import { Session } from './session.ts';
import type { SessionHooks } from './session-hooks.ts';
import type { TargetClient } from './target-client.ts';

/** Opens sessions of fresh partners and of the profile's, and hands out auth codes. */
export class PartnerPool {
  readonly #client: TargetClient;
  readonly #hooks: SessionHooks;
  /** True until checks provoke bans: so long, only a fault can refuse a fresh partner. */
  isCalm = true;

  constructor(client: TargetClient, hooks: SessionHooks) {
    this.#client = client;
    this.#hooks = hooks;
  }

  /**
   * Makes a partner with full allowances by the control API.
   *
   * @throws FareproofError `CONTROL_FAILED`, or `NO_FRESH_PARTNER` without a control API
   */
  async fresh(longLock = false): Promise<Session> {
    const { control } = this.#client;
    if (!control) {
      throw new FareproofError(
        'NO_FRESH_PARTNER',
        'There is no control API to make a partner with.',
      );
    }
    const partner = await control.createPartner(longLock);
    return new Session(this.#client, partner, this.#hooks, { fresh: this.isCalm });
  }

  /** Token request of a fresh partner, which nothing but a rate limit refuses. */
  async freshRequest(): Promise<WireRequest> {
    const session = await this.fresh();
    const fields = session.tokenFields({ grant_type: 'client_credentials' });
    const { request, signature } = buildTokenRequest(
      { purpose: 'a token request of a fresh partner', fields },
      session.partner.id,
      session.signer,
      this.#client.target.baseUrl,
    );
    this.#client.evidence.redactor.add('signature', signature);
    return request;
  }

  /** Opens the session of a partner of the profile. */
  open(partner: TargetPartner, codes: readonly string[]): Session {
    const { accessToken } = partner;
    return new Session(this.#client, partner, this.#hooks, { codes, accessToken });
  }

  /** Takes an unused auth code: made for that user by the control API, or the profile's next. */
  async takeCode(session: Session, user: string): Promise<string | null> {
    const { control } = this.#client;
    const { id } = session.partner;
    const code = control ? await control.createAuthCode(id, user) : (session.codes.shift() ?? null);
    if (code !== null) this.#client.given.set(code, { is: 'auth_code', of: id });
    return code;
  }
}
