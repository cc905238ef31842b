import { ConfigurationError } from '../../../interface/errors.ts';
import { readTextFile } from '../../files/text.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';

/**
 * Says whether a certificate is as it was issued; exit code 1 where it is not.
 *
 * @throws ConfigurationError `CERTIFICATE_INVALID`, `PUBLIC_KEY_INVALID` or `FILE_NOT_READ`
 */
export async function verify(
  path: string,
  publicKeyPath: string | undefined,
  json: boolean,
  io: Io,
): Promise<void> {
  const { isCertificate, verifyCertificate } = await import('../../../conformance/index.ts');
  const { headlineOfDocument } = await import('./words.ts');
  const value = parse(await readTextFile(path, io.cwd));
  if (!isCertificate(value)) {
    throw new ConfigurationError(
      'CERTIFICATE_INVALID',
      `${path}: is no certificate; name the certificate.json of a certification.`,
    );
  }
  const key = publicKeyPath === undefined ? null : await readTextFile(publicKeyPath, io.cwd);
  const { state, words, sameCatalogue } = verifyCertificate(value, key);
  if (json) {
    const { issuedAt, catalogueDigest, documentDigest } = value;
    print(io, JSON.stringify({ state, sameCatalogue, issuedAt, catalogueDigest, documentDigest }));
  } else {
    print(io, words);
    if (state === 'authentic' || state === 'intact') print(io, headlineOfDocument(value));
    if (!sameCatalogue) print(io, 'It was held against other client rules than this version has.');
  }
  io.exit(state === 'authentic' || state === 'intact' ? EXIT.passed : EXIT.failed);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
