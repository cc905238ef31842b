import {
  preferShortPauses,
  type RunningServer,
  type ServerOptions,
  startServer,
  TrafficMonitor,
} from '../../server/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { signatureExplainer } from './signature-explainer.ts';

/** Reference server that listens. */
export interface OpenServer {
  readonly server: RunningServer;
  /** Its traffic; null unless it was asked for. */
  readonly traffic: TrafficMonitor | null;
}

/** Options of the server but those that {@link openServer} sets. */
export type AskedServer = Omit<ServerOptions, 'interceptor' | 'explainSignature'>;

/**
 * Starts the reference server: its refusals name the mistake of a wrong signature, and no line shows its
 * secrets.
 *
 * @param isWatched whether its traffic is recorded, which turns the fast path off
 * @throws ConfigurationError as {@link startServer}
 */
export async function openServer(
  asked: AskedServer,
  isWatched: boolean,
  { secrets }: Pick<Surroundings, 'secrets'>,
): Promise<OpenServer> {
  preferShortPauses();
  const { partners, tls, controlToken } = asked;
  if (partners || tls) await secrets.addProfile({ partners, tls });
  await secrets.add('control_token', controlToken);
  const nowMs = (): number => performance.now();
  const traffic = isWatched ? new TrafficMonitor(nowMs) : null;
  const server = await startServer({
    ...asked,
    interceptor: traffic ?? undefined,
    explainSignature: signatureExplainer(nowMs),
  });
  return { server, traffic };
}
