import type { StoredCase } from '../../../documents/explored.ts';

/** A walk of fresh partners: the same steps make the same requests, but for secrets and times. */
export type Walk = StoredCase['walk'];

/** One step of a walk. It names what it needs of earlier steps by their ids, and all else by seeds. */
export type Step = Walk['steps'][number];

/** A token request; `of` is the step whose refresh_token it sends. */
export type TokenStep = Extract<Step, { readonly do: 'token' }>;

/** An estimate with the access_token of the step `of`. */
export type EstimateStep = Extract<Step, { readonly do: 'estimate' }>;

/** A step that sends a request to be judged. */
export type RequestStep = TokenStep | EstimateStep;

/** A look at the lock of the estimate of the step `of`, by the control API. */
export type LockStep = Extract<Step, { readonly do: 'lock' }>;

/** Kinds of tokens that a walk asks for. */
export type Grant = TokenStep['grant'];

/** A twist of a request: the name of its row, and the seed of what the row draws. */
export type Twist = RequestStep['twists'][number];
