import { ConfigurationError } from '../../../interface/errors.ts';
import type { TargetProfile } from '../../../interface/index.ts';
import { ForwardingInterceptor, type Interceptor, openForwarder } from '../../../server/index.ts';
import { readTextFile } from '../../files/text.ts';
import type { Io } from '../../io.ts';

/**
 * Opens the proxy of `certify --proxy` to a profile's target.
 *
 * @throws ConfigurationError `PROXY_EMBEDDED` for a profile without an address, `FILE_NOT_READ`
 */
export async function openProxy(
  profile: TargetProfile,
  observer: Interceptor,
  io: Io,
): Promise<ForwardingInterceptor> {
  const { baseUrl, headers } = profile;
  if (baseUrl === 'embedded') {
    throw new ConfigurationError(
      'PROXY_EMBEDDED',
      '--proxy: the profile names no address; leave --proxy out to listen on the embedded server.',
    );
  }
  const read = async (path: string | undefined): Promise<string | undefined> =>
    path === undefined ? undefined : readTextFile(path, io.cwd);
  const [ca, cert, key] = await Promise.all([profile.ca, profile.cert, profile.key].map(read));
  const forwarder = await openForwarder({ baseUrl, headers, ca, cert, key });
  return new ForwardingInterceptor(forwarder, observer);
}
