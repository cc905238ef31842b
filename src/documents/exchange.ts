import { z } from 'zod';
import { count, instant } from './base.ts';

/** Header fields by name, as they were sent; secrets redacted. */
export type Headers = Readonly<Record<string, string>>;

/** One request and what came back: the evidence that a verdict points to, secrets redacted. */
export interface Exchange {
  /** `x1`, `x2` … in order of sending. */
  id: string;
  /** ISO 8601, wall clock. */
  at: string;
  /** What the request was sent for. */
  purpose: string;
  partnerId: string | null;
  request: { method: string; url: string; headers: Headers; body: string | null };
  response: {
    status: number;
    headers: Headers;
    /** Cut where `truncated` says so. */
    body: string;
    /** Bytes of the whole body. */
    bodyBytes: number;
    truncated: boolean;
  } | null;
  /** What broke on the way, where nothing (or not all) came back. */
  error: { code: string; message: string } | null;
  durationMs: number;
}

const headers = z.record(z.string(), z.string());

/** Shape of {@link Exchange}. */
export const exchangeSchema: z.ZodType<Exchange> = z.looseObject({
  id: z.string(),
  at: instant,
  purpose: z.string(),
  partnerId: z.string().nullable(),
  request: z.looseObject({
    method: z.string(),
    url: z.string(),
    headers,
    body: z.string().nullable(),
  }),
  response: z
    .looseObject({
      status: z.int(),
      headers,
      body: z.string(),
      bodyBytes: count,
      truncated: z.boolean(),
    })
    .nullable(),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  durationMs: z.number(),
});
