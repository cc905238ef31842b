import { loadOptional } from '../../../interface/optional-packages.ts';

/** The packages of NATS, which are optional peers of this one. */
export type NatsPackages = Awaited<ReturnType<typeof loadNats>>;

/** @throws ConfigurationError `NATS_NOT_INSTALLED` */
export const loadNats = () =>
  loadOptional(
    async () => {
      const [transport, jetstream, nkeys] = await Promise.all([
        import('@nats-io/transport-node'),
        import('@nats-io/jetstream'),
        import('@nats-io/nkeys'),
      ]);
      return { transport, jetstream, nkeys };
    },
    'NATS_NOT_INSTALLED',
    'Agents on other machines need three more packages: npm install @nats-io/transport-node@3.3 @nats-io/jetstream@3.3 @nats-io/nkeys@2',
  );
