import { ConfigurationError } from '../../interface/errors.ts';
import type { BrokerAddress, BrokerCredentials } from '../../load/index.ts';
import { readTextFile } from '../files/text.ts';
import type { Surroundings } from '../surroundings.ts';

/** Broker that is to be used. */
export interface AskedBroker {
  readonly address: BrokerAddress;
  readonly credentials: BrokerCredentials;
}

/** Names the file in errors: its content may have been set in place of the path. */
const PATH_OF_CREDENTIALS = 'the path in FAREPROOF_NATS_CREDS';

/**
 * Reads the address of a broker, and the credentials from the environment:
 * `FAREPROOF_JOIN_TOKEN`, or `FAREPROOF_NATS_CREDS`, the path of a file.
 *
 * @param source name of the option in messages
 * @throws ConfigurationError `BROKER_URL`, `BROKER_CREDENTIALS`, or as {@link readTextFile}
 */
export async function readBroker(
  url: string,
  source: string,
  { env, cwd, secrets }: Pick<Surroundings, 'env' | 'cwd' | 'secrets'>,
): Promise<AskedBroker> {
  const { readBrokerAddress } = await import('../../load/index.ts');
  const address = readBrokerAddress(url, source);
  const { FAREPROOF_JOIN_TOKEN: token, FAREPROOF_NATS_CREDS: path } = env;
  if (token && path) {
    throw new ConfigurationError(
      'BROKER_CREDENTIALS',
      'FAREPROOF_JOIN_TOKEN and FAREPROOF_NATS_CREDS are both set; set the one that the broker asks for.',
    );
  }
  const creds = path ? await readTextFile(path, cwd, undefined, PATH_OF_CREDENTIALS) : undefined;
  await secrets.add('join_token', token);
  await secrets.add('join_token', creds);
  return { address, credentials: { token: token || undefined, creds } };
}
