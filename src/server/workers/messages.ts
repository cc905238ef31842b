import type { Timeouts, TlsOptions } from '../http/node-server.ts';
import type { AccessLogEntry } from '../http/requests.ts';
import type { EstimateKey } from '../service/estimate/estimate-ids.ts';
import type { Answer, ServiceRequest } from '../service/messages.ts';
import type { Settings } from '../service/settings.ts';
import type { GrantRecord } from '../service/state/tokens.ts';

/** A change of the owner's state that workers copy. */
export type Change =
  | { readonly kind: 'admitted'; readonly grant: GrantRecord }
  | { readonly kind: 'superseded'; readonly accessToken: string }
  | {
      readonly kind: 'partner';
      readonly id: string;
      readonly signingKey: string;
      readonly longLock: boolean;
    }
  | { readonly kind: 'clock'; readonly offsetMs: number };

/** Settings of a worker. */
export interface WorkerSettings
  extends Pick<Settings, 'environment' | 'behaviour' | 'expiresInSeconds' | 'seed'> {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | undefined;
  readonly timeouts: Timeouts;
  readonly fastPath: boolean;
  readonly sharedReadBuffer: boolean;
  /** Version of this product, for the OpenAPI description. */
  readonly version: string;
  /** True if every request has an entry in the access log, which turns the fast path off. */
  readonly isLogged: boolean;
  /** True if the requests that `node:http` answers are counted. */
  readonly isCounted: boolean;
}

/** Message to a worker. They are handled in the order in which they were sent. */
export type ToWorker =
  | { readonly kind: 'start'; readonly settings: WorkerSettings; readonly key: EstimateKey }
  | { readonly kind: 'changes'; readonly changes: readonly Change[] }
  | { readonly kind: 'listen' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'close'; readonly graceMs: number };

/** Message from a worker. */
export type FromWorker =
  /** It takes messages from now on; those before are lost. */
  | { readonly kind: 'loaded' }
  /** It listens. */
  | { readonly kind: 'ready' }
  /** It cannot listen, or not with this certificate. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** The next `changes` are in effect; `fastPathAnswers` is the number of them since its start. */
  | { readonly kind: 'acknowledged'; readonly fastPathAnswers: number }
  | { readonly kind: 'request'; readonly id: number; readonly request: ServiceRequest }
  | { readonly kind: 'logged'; readonly entry: AccessLogEntry }
  | { readonly kind: 'broken'; readonly status: number };
