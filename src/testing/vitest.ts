/**
 * Matchers and a fixture for vitest: importing this extends its `expect`.
 */
import { expect, type TestAPI, test } from 'vitest';
import { startServer } from '../library/start-server.ts';
import type { RunningServer, ServerOptions } from '../server/index.ts';
import { type FareproofMatchers, matchers } from './matchers.ts';

declare module 'vitest' {
  interface Matchers<T> extends FareproofMatchers {}
}

expect.extend(matchers);

/**
 * A `test` of vitest with a reference server: each test that names the fixture `service` gets one of
 * its own, with the control API, and it is closed afterwards.
 *
 * @param options of the server, such as `faults` to break a rule
 */
export function serviceTest(options: ServerOptions = {}): TestAPI<{ service: RunningServer }> {
  return test.extend<{ service: RunningServer }>({
    // vitest reads the names that a fixture needs from its first parameter.
    service: async ({ task: _task }, use) => {
      const server = await startServer({ controlPort: 0, ...options });
      await use(server);
      await server.close(0);
    },
  });
}
