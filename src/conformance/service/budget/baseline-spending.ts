import type { BaseRequest } from '../contract/base-request.ts';
import type { Spending } from '../contract/spending.ts';

/**
 * Spending of a base request's baseline on its partner.
 *
 * @param held what the session will hold already
 */
export function baselineSpending(
  baseRequest: BaseRequest,
  held: { readonly platformToken: boolean; readonly userToken: boolean; readonly codes: number },
): Spending {
  switch (baseRequest) {
    case 'platform':
      return { platform: 2 };
    case 'refresh':
      return { platform: held.platformToken ? 0 : 1, refresh: 2 };
    case 'user':
      return held.codes > 1 ? { user: 2, codes: 2 } : { user: 1, codes: 1 };
    case 'estimate':
      return { platform: held.platformToken ? 0 : 1 };
    case 'user-estimate':
      return held.userToken ? {} : { user: 1, codes: 1 };
    case 'standalone':
      return {};
  }
}
