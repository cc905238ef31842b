import type { TargetProfile } from '../../interface/index.ts';
import type { ServerReading } from '../../load/index.ts';

/** Settings of the embedded server, passed to its thread. */
export interface EmbeddedOptions {
  seed?: number;
  environment?: 'production' | 'test';
  expiresInSeconds?: number;
}

/** Request to the thread of the embedded server. */
export interface EmbeddedRequest {
  id: number;
  kind: 'start' | 'probe' | 'close';
}

/** Response of the thread of the embedded server. */
export type EmbeddedAnswer =
  | { id: number; kind: 'started'; profile: TargetProfile }
  | { id: number; kind: 'reading'; reading: ServerReading }
  | { id: number; kind: 'closed' }
  | { id: number; kind: 'failed'; message: string };
