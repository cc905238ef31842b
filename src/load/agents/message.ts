import type { EngineRun, GeneratorRange } from '../engine/engine.ts';
import type { GeneratorOrder, GeneratorWord } from '../engine/orders.ts';
import type { EngineName } from '../options.ts';

/** Facts that an agent joins with. */
export interface AgentFacts {
  readonly name: string;
  /** Version of its package; the controller takes its own only. */
  readonly version: string;
  /** Cores that its process may use. */
  readonly cores: number;
  /** Number of generators that it wants to run; null to leave it to the controller. */
  readonly workers: number | null;
}

/** Part of a plan that an agent is to run, as data. */
export interface AgentTask extends Pick<EngineRun, 'plan' | 'requests' | 'accessToken'> {
  readonly engine: EngineName;
  readonly range: GeneratorRange;
}

/** Messages to an agent. A run is named by its number, which counts from 1. */
export type ToAgent =
  | { readonly kind: 'ping'; readonly number: number }
  | { readonly kind: 'prepare'; readonly run: number; readonly task: AgentTask }
  | (GeneratorOrder & { readonly run: number })
  /** Drops a run, started or not. */
  | { readonly kind: 'close'; readonly run: number }
  | { readonly kind: 'leave' };

/** Messages from an agent. */
export type FromAgent =
  | { readonly kind: 'join'; readonly facts: AgentFacts }
  /** `atNs`: its monotonic clock when the ping arrived. */
  | { readonly kind: 'pong'; readonly number: number; readonly atNs: number }
  | (GeneratorWord & { readonly run: number });

/**
 * Messages between the controller of a load and one agent, whatever carries them: in order, each once.
 * Only pings and their answers may be lost.
 */
export interface MessageChannel<Sent, Received> {
  /** Without effect once the channel has ended. */
  send(message: Sent): void;
  /** Calls the listener for each message from now on; there is one listener. */
  listen(listener: (message: Received) => void): void;
  /** Resolves when nothing can be received any more. */
  readonly ended: Promise<void>;
  close(): void;
  /** True while nothing can arrive, which says nothing of the other side. */
  readonly isDown?: boolean;
}
