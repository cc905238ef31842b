import type { BaseRequest, Spending } from '../contract/check.ts';

/**
 * Spending of a base request's baseline on its partner.
 *
 * @param available tokens and codes that the session will have by then
 */
export function baselineSpending(
  baseRequest: BaseRequest,
  available: {
    readonly platformToken: boolean;
    readonly userToken: boolean;
    readonly codes: number;
  },
): Spending {
  switch (baseRequest) {
    case 'platform':
      return { platform: 2 };
    case 'refresh':
      return { platform: available.platformToken ? 0 : 1, refresh: 2 };
    case 'user':
      return available.codes > 1 ? { user: 2, codes: 2 } : { user: 1, codes: 1 };
    case 'estimate':
      return { platform: available.platformToken ? 0 : 1 };
    case 'user-estimate':
      return available.userToken ? {} : { user: 1, codes: 1 };
    case 'standalone':
      return {};
  }
}
