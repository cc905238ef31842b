import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Makes a self-signed ECDSA certificate of 127.0.0.1 by `openssl`.
 *
 * @param {string} folder where its files go
 * @returns {{ cert: string, key: string }} paths of the two, in PEM
 */
export function makeCertificate(folder) {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const out = ['-days', '2', '-keyout', files.key, '-out', files.cert];
  execFileSync('openssl', ['req', '-x509', ...key, ...name, ...out], { stdio: 'ignore' });
  return files;
}
