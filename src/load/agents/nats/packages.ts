import type * as Nkeys from '@nats-io/nkeys';
import type * as Transport from '@nats-io/transport-node';
import { ConfigurationError } from '../../../interface/errors.ts';

/** The packages of NATS, which are optional peers of this one. */
export interface NatsPackages {
  readonly transport: Pick<
    typeof Transport,
    'connect' | 'errors' | 'credsAuthenticator' | 'nkeyAuthenticator'
  >;
  readonly nkeys: Pick<typeof Nkeys, 'createCurve'>;
}

/**
 * Loads the packages of NATS.
 *
 * @throws ConfigurationError `NATS_NOT_INSTALLED` if one of them is missing
 */
export async function loadNats(
  load: () => Promise<NatsPackages> = importBoth,
): Promise<NatsPackages> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigurationError(
      'NATS_NOT_INSTALLED',
      'Agents on other machines need two more packages: npm install @nats-io/transport-node@3.3 @nats-io/nkeys@2',
      { cause: error },
    );
  }
}

async function importBoth(): Promise<NatsPackages> {
  const [transport, nkeys] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/nkeys'),
  ]);
  return { transport, nkeys };
}
