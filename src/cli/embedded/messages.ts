import type { TargetProfile } from '../../interface/index.ts';
import type { ServerReading } from '../../load/index.ts';

/** How the embedded server starts; goes to its thread as data. */
export interface EmbeddedOptions {
  seed?: number;
  environment?: 'production' | 'test';
  expiresInSeconds?: number;
}

/** Asked of the embedded server's thread. */
export interface EmbeddedRequest {
  id: number;
  kind: 'start' | 'probe' | 'close';
}

/** Answered by the embedded server's thread. */
export type EmbeddedAnswer =
  | { id: number; kind: 'started'; profile: TargetProfile }
  | { id: number; kind: 'reading'; reading: ServerReading }
  | { id: number; kind: 'closed' }
  | { id: number; kind: 'failed'; message: string };
