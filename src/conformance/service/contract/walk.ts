/** A twist of a request: the name of its row, and the seed of what the row draws. */
export interface Twist {
  readonly name: string;
  readonly seed: number;
}

/** Kinds of tokens that a walk asks for. */
export type Grant = 'platform' | 'user' | 'refresh';

/** A token request; `of` is the step whose refresh_token it sends. */
export interface TokenStep {
  readonly id: number;
  readonly do: 'token';
  /** Number of the walk's partner, from 0. */
  readonly partner: number;
  readonly grant: Grant;
  readonly user?: string | undefined;
  readonly of?: number | undefined;
  readonly twists: readonly Twist[];
  /** True for two of them at once. */
  readonly twice?: true | undefined;
}

/** An estimate with the access_token of the step `of`. */
export interface EstimateStep {
  readonly id: number;
  readonly do: 'estimate';
  readonly partner: number;
  readonly as: 'platform' | 'user';
  readonly of: number;
  readonly twists: readonly Twist[];
  readonly twice?: true | undefined;
}

/** A step that sends a request to be judged. */
export type RequestStep = TokenStep | EstimateStep;

/** A move of the clock, in seconds. */
export interface WaitStep {
  readonly id: number;
  readonly do: 'wait';
  readonly seconds: number;
}

/** A look at the lock of the estimate of the step `of`, by the control API. */
export interface LockStep {
  readonly id: number;
  readonly do: 'lock';
  readonly of: number;
}

/** One step of a walk. It names what it needs of earlier steps by their ids, and all else by seeds. */
export type Step = RequestStep | WaitStep | LockStep;

/** A walk of fresh partners: the same steps make the same requests, but for secrets and times. */
export interface Walk {
  /** Seconds since midnight UTC at which it starts. */
  readonly startsAt: number;
  /** True if its second partner has the lock of 60 minutes. */
  readonly longLock: boolean;
  readonly steps: readonly Step[];
}
