import * as server from '../server/index.ts';
import { withOptions } from './options.ts';

/**
 * Starts the reference server. Its state is in memory and ends with it.
 *
 * @throws ConfigurationError `OPTION_UNKNOWN`, `OPTION_INVALID`, `PORT_IN_USE`, `PORT_NOT_PERMITTED`,
 *   `HOST_NOT_AVAILABLE`, `TLS_INVALID`, `PARTNERS_INVALID`, `BEHAVIOUR_INVALID`, `EXPIRES_IN_INVALID`, `FAULT_UNKNOWN`,
 *   `WORKERS_INVALID`, `WORKERS_NOT_POSSIBLE` or `MD5_MISSING`
 */
export function startServer(options: server.ServerOptions = {}): Promise<server.RunningServer> {
  return withOptions(options, server.SERVER_OPTIONS, () => server.startServer(options));
}
