import { ConfigurationError } from '../../../interface/errors.ts';

/** The packages of NATS, which are optional peers of this one. */
export type NatsPackages = Awaited<ReturnType<typeof importAll>>;

/**
 * Loads the packages of NATS.
 *
 * @throws ConfigurationError `NATS_NOT_INSTALLED` if one of them is missing
 */
export async function loadNats(load = importAll): Promise<NatsPackages> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigurationError(
      'NATS_NOT_INSTALLED',
      'Agents on other machines need three more packages: npm install @nats-io/transport-node@3.3 @nats-io/jetstream@3.3 @nats-io/nkeys@2',
      { cause: error },
    );
  }
}

async function importAll() {
  const [transport, jetstream, nkeys] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
    import('@nats-io/nkeys'),
  ]);
  return { transport, jetstream, nkeys };
}
