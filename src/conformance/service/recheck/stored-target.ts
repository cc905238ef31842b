import { z } from 'zod';
import type { SignedFields, Target } from '../contract/target.ts';
import type { TargetRun } from '../runner/target-run.ts';

/** What a run knew of a target before it spoke to it, so that its answers can be judged again. */
export interface StoredTarget {
  readonly baseUrl: string;
  readonly environment: Target['environment'];
  readonly signature: Target['signature'];
  readonly estimates: Target['estimates'];
  /** Whether it had a control API. */
  readonly control: boolean;
  /** Whether requests were counted out. */
  readonly metered: boolean;
  /** Partners that could stand beside another; empty where they were made afresh. */
  readonly partners: readonly string[];
}

/** What is kept of a site. */
export function storedTarget({
  client,
  budgets,
}: Pick<TargetRun, 'client' | 'budgets'>): StoredTarget {
  const { facts, target } = client;
  const { baseUrl, environment, signature, estimates } = target;
  const beside = facts.hasControl ? [] : (budgets ?? []).filter(({ mayBan }) => !mayBan);
  return {
    baseUrl,
    environment,
    signature,
    estimates,
    control: facts.hasControl,
    metered: facts.metered,
    partners: beside.map(({ partnerId }) => partnerId),
  };
}

const signedFields: z.ZodType<SignedFields> = z.union([z.literal('all'), z.array(z.string())]);
const shape = z.record(z.string(), z.string()).optional();

/** Shape of the sites of a stored run. */
export const storedTargetsSchema: z.ZodType<readonly StoredTarget[]> = z
  .array(
    z.object({
      baseUrl: z.string(),
      environment: z.enum(['production', 'test']),
      signature: z.object({ tokenFields: signedFields, estimateFields: signedFields }),
      estimates: z.object({
        plain: shape,
        express: shape,
        carpoolSeats: shape,
        carpoolNoSeats: shape,
      }),
      control: z.boolean(),
      metered: z.boolean(),
      partners: z.array(z.string()),
    }),
  )
  .min(1);
