import {
  ALLOWANCE_KINDS,
  ALLOWANCE_OF_GRANT,
  type AllowanceKind,
  ESTIMATES_PATH,
  type GrantType,
} from '../../../interface/limits.ts';
import type { CapturedRequest } from '../traffic/captured.ts';
import { parseRequest } from './request.ts';

/** Cost that a request may have for its partner. */
export interface MeteredRequest {
  readonly partnerId: string;
  /** Allowances that it may count against: all where it names no known grant type. */
  readonly kinds: readonly AllowanceKind[];
  /** Auth code that is used up by it. */
  readonly authCode?: string | undefined;
}

/**
 * Reads what a request may cost, right or wrong: a target may count each request but one for an estimate. Null for
 * one that costs nothing, or names no partner.
 *
 * @param partnerIds partners that are known, for a header whose form is wrong
 */
export function meteredRequest(
  request: CapturedRequest,
  partnerIds: readonly string[],
): MeteredRequest | null {
  const { kind, path, body } = parseRequest(request);
  if (kind === 'probe' || path === ESTIMATES_PATH) return null;
  const header = request.headers['authorization'] ?? '';
  const partnerId =
    /([^\s|]+)\s*\|/.exec(header)?.[1] ?? partnerIds.find((id) => header.includes(id));
  if (partnerId === undefined) return null;
  const { grant_type: grant, auth_code: code } = body.fields;
  const isKnown = typeof grant === 'string' && Object.hasOwn(ALLOWANCE_OF_GRANT, grant);
  return {
    partnerId,
    kinds: isKnown ? [ALLOWANCE_OF_GRANT[grant as GrantType]] : ALLOWANCE_KINDS,
    authCode: typeof code === 'string' && code !== '' ? code : undefined,
  };
}
