import { z } from 'zod';

/** Ten years: farther than any rule reaches, near enough for every date to stay a date. */
const MAX_ADVANCE_SECONDS = 10 * 366 * 24 * 3600;

/** `POST /clock` of the control API: moves the clock forward, in seconds; 0 reads it. */
export const clockRequestSchema: z.ZodType<{ advanceSeconds: number }> = z.strictObject({
  advanceSeconds: z.number().min(0).max(MAX_ADVANCE_SECONDS),
});

/** `POST /partners` of the control API: a fresh partner; longLock for a lock of 60 minutes. */
export const partnerRequestSchema: z.ZodType<{ longLock?: boolean | undefined }> = z.strictObject({
  longLock: z.boolean().optional(),
});

/** `POST /auth-codes` of the control API: a code, good once, for a token of that user. */
export const authCodeRequestSchema: z.ZodType<{ partnerId: string; userId: string }> =
  z.strictObject({ partnerId: z.string().min(1), userId: z.string().min(1) });

/** What `GET /estimates/<estimate_id>` of the control API answers. */
export interface EstimateLock {
  estimateId: string;
  partnerId: string;
  /** Fen. */
  estimatePrice: number;
  /** ISO 8601. */
  lockedUntil: string;
  locked: boolean;
}

/** The reference server's error body; the interface fixes none (interface.md, "Errors"). */
export interface ErrorBody {
  error: {
    /** The condition, such as `signature-invalid`. */
    code: string;
    message: string;
    /** The field or parameter at fault, where there is one. */
    field?: string | undefined;
    /** The rule of the catalogue that the request met. */
    rule?: string | undefined;
  };
}

/** Shape of the reference server's error body. */
export const errorBodySchema: z.ZodType<ErrorBody> = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    rule: z.string().optional(),
  }),
});
