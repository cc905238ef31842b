import { FareproofError, type ProfilePartner } from '../../interface/index.ts';
import type { LoadIdentity } from '../workload/requests.ts';
import type { TokenSource } from './access-token.ts';
import { NOTHING_LEFT } from './allowance.ts';
import { makeFreshPartner } from './fresh-partner.ts';
import { TokenKeeper } from './keeper.ts';

/** The token that one or several runs need. */
export interface TokenNeed extends Omit<TokenSource, 'partner'> {
  identity: LoadIdentity;
  /** In the order in which they are tried. */
  partners: readonly ProfilePartner[];
}

/**
 * Takes a token: of the first partner that has allowance left, and where none has, of a fresh one of
 * the control API.
 *
 * @throws FareproofError as {@link TokenKeeper.take}
 */
export async function takeToken(need: TokenNeed): Promise<TokenKeeper> {
  const { profile, identity, partners, allowance } = need;
  let usedUp: unknown;
  for (const partner of partners) {
    try {
      return await TokenKeeper.take({ ...need, partner, allowance }, identity);
    } catch (error) {
      if (!(error instanceof FareproofError && NOTHING_LEFT.has(error.code))) throw error;
      usedUp ??= error;
    }
  }
  if (profile.control === undefined) throw usedUp;
  const partner = await makeFreshPartner(profile.control, identity);
  return TokenKeeper.take({ ...need, partner, allowance: undefined }, identity);
}
