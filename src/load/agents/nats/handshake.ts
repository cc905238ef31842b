import { randomBytes } from 'node:crypto';
import type { KeyPair } from '@nats-io/nkeys';
import * as z from 'zod';
import type { SessionKeys } from './frame.ts';
import { isToken } from './subjects.ts';

const factsSchema = z.object({
  name: z.string().refine(isToken),
  version: z.string(),
  cores: z.number(),
  workers: z.number().nullable(),
});

/** An agent wants to join. It is readable for all versions, so that another one can be refused. */
const joinSchema = z.object({
  facts: factsSchema,
  session: z.string().refine(isToken),
  /** Public curve key of the agent. */
  key: z.string(),
});

export type JoinRequest = z.infer<typeof joinSchema>;

const replySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('welcome'),
    /** Public curve key of the controller. */
    key: z.string(),
    /** The keys of the session, sealed for the agent, base64. */
    sealed: z.string(),
  }),
  /** No agent is needed now. */
  z.object({ kind: z.literal('later') }),
  z.object({ kind: z.literal('refused'), code: z.string(), message: z.string() }),
]);

export type JoinReply = z.infer<typeof replySchema>;

/** Null for bytes that are no request to join. */
export function readJoinRequest(bytes: Uint8Array): JoinRequest | null {
  return joinSchema.safeParse(jsonOf(bytes)).data ?? null;
}

/** Null for bytes that are no reply. */
export function readJoinReply(bytes: Uint8Array): JoinReply | null {
  return replySchema.safeParse(jsonOf(bytes)).data ?? null;
}

const KEY_BYTES = 32;

/**
 * Makes keys for a session, and the welcome that tells them to the agent, and to nobody else.
 *
 * @returns null for an agent whose public key is none
 */
export function welcome(
  agentKey: string,
  own: KeyPair,
): { readonly reply: JoinReply; readonly keys: SessionKeys } | null {
  const both = randomBytes(2 * KEY_BYTES);
  try {
    const sealed = Buffer.from(own.seal(both, agentKey)).toString('base64');
    const reply = { kind: 'welcome', key: own.getPublicKey(), sealed } as const;
    const [sending, receiving] = halvesOf(both);
    return { reply, keys: { sending, receiving } };
  } catch {
    return null;
  }
}

/** Reads the keys from a welcome; null for one that was sealed for another agent. */
export function keysOf(
  { key, sealed }: Extract<JoinReply, { kind: 'welcome' }>,
  own: KeyPair,
): SessionKeys | null {
  try {
    const both = own.open(Buffer.from(sealed, 'base64'), key);
    if (both?.length !== 2 * KEY_BYTES) return null;
    const [receiving, sending] = halvesOf(Buffer.from(both));
    return { sending, receiving };
  } catch {
    return null;
  }
}

const halvesOf = (both: Buffer): [Buffer, Buffer] => [
  both.subarray(0, KEY_BYTES),
  both.subarray(KEY_BYTES),
];

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
}
