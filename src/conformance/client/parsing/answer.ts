/** What an answer carries that a client may use. */
export interface AnswerFields {
  readonly isJson: boolean;
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  readonly expiresInS: number | null;
  readonly estimateIds: readonly string[];
}

/** Reads an answer's body for tokens and estimates, whatever its status. */
export function parseAnswer(body: string): AnswerFields {
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
    accessToken: textOf(fields['access_token']),
    refreshToken: textOf(fields['refresh_token']),
    expiresInS: typeof expiresIn === 'number' ? expiresIn : null,
    estimateIds: records.flatMap((record) => {
      const id = textOf((record as Record<string, unknown> | null)?.['estimate_id']);
      return id === null ? [] : [id];
    }),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
