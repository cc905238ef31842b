import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that no system gives out by itself: on Linux those begin at 32768, elsewhere at 49152. */
const FIRST = 20_000;
const END = 32_000;

/** Ports of one process that runs tests; others of the same run have the next ones. */
const SHARE = 100;

const { VITEST_POOL_ID: worker = '0' } = process.env;
const share = process.ppid * 16 + Number(worker);
let given = 0;

/**
 * A port of 127.0.0.1 that is free, for a program that cannot choose one itself. No other test gets it
 * until that program listens: neither from here, nor from the system by listening on port 0.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + ((share * SHARE + (given++ % SHARE)) % (END - FIRST));
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
