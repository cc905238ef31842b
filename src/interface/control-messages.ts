import { z } from 'zod';

/** Ten years: beyond every rule, and small enough for all dates to stay valid. */
const MAX_ADVANCE_SECONDS = 10 * 366 * 24 * 3600;

/** `POST /clock` of the control API: moves the clock forward, in seconds; 0 reads it. */
export const clockAdvanceSchema = z.strictObject({
  advanceSeconds: z.number().min(0).max(MAX_ADVANCE_SECONDS),
});

/** `POST /clock` of the control API: sets the clock back to true time; optional for a target. */
export const clockResetSchema = z.strictObject({ reset: z.literal(true) });

/** `POST /partners` of the control API: a new partner; `longLock` for a lock of 60 minutes. */
export const partnerRequestSchema = z.strictObject({ longLock: z.boolean().optional() });

/** `POST /auth-codes` of the control API: a single-use code for a token of that user. */
export const authCodeRequestSchema = z.strictObject({
  partnerId: z.string().min(1),
  userId: z.string().min(1),
});

/** Response to `GET /estimates/<estimate_id>` of the control API. */
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
export const errorBodySchema = z.object({
  error: z.object({
    code: z.string().meta({ description: 'The condition, such as `signature-invalid`.' }),
    message: z.string(),
    field: z.string().optional().meta({ description: 'The field or parameter at fault, if any.' }),
    rule: z
      .string()
      .optional()
      .meta({ description: 'Id of the rule that the request broke, if any.' }),
  }),
});

/** The reference server's error body. */
export type ErrorBody = z.infer<typeof errorBodySchema>;
