import { ConfigurationError } from '../../interface/errors.ts';

const PATH = '/v1/metrics';

/**
 * Reads the address of a collector, such as `http://127.0.0.1:4318`, and returns that to which metrics
 * are sent: `/v1/metrics` is added unless the path ends with it.
 *
 * @throws ConfigurationError `OTLP_URL`, which does not quote a URL with credentials
 */
export function readCollectorAddress(text: string): string {
  const refused = (why: string): ConfigurationError =>
    new ConfigurationError('OTLP_URL', why, { field: 'otlp' });
  if (/^[^/]*(\/\/)?[^/]*@/.test(text)) {
    throw refused(
      'leave credentials out of the URL, where other users of the machine see them; give them as a header by OTEL_EXPORTER_OTLP_HEADERS.',
    );
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw refused(`"${text}" is not an address such as http://127.0.0.1:4318.`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  return url.origin + (path.endsWith(PATH) ? path : path + PATH);
}
