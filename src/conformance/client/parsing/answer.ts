import type { ParsedAnswer } from '../../../documents/parsed-request.ts';

/** Parses an answer's body for tokens and estimates, whatever its status. */
export function parseAnswer(body: string): Omit<ParsedAnswer, 'status' | 'whole'> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    const nothing = { accessToken: null, refreshToken: null, expiresInS: null, estimateIds: [] };
    return { isJson: false, ...nothing };
  }
  const records: unknown[] = Array.isArray(value) ? value : [value];
  const fields = (Array.isArray(value) ? {} : (value ?? {})) as Record<string, unknown>;
  const { expires_in_second: expiresIn } = fields;
  return {
    isJson: true,
    accessToken: textOrNull(fields['access_token']),
    refreshToken: textOrNull(fields['refresh_token']),
    expiresInS: typeof expiresIn === 'number' ? expiresIn : null,
    estimateIds: records.flatMap(
      (record) => textOrNull((record as Record<string, unknown> | null)?.['estimate_id']) ?? [],
    ),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
