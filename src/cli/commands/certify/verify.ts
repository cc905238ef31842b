import {
  certificateHeadline,
  parseCertificate,
  verifyCertificate,
} from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { escapeTerminalLine } from '../../../report/index.ts';
import { readTextFile } from '../../files/text.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';

/** Flags of `certify --verify`. */
interface VerifyFlags {
  /** Path of the certificate. */
  readonly certificate: string;
  /** Path of the issuer's public key. */
  readonly publicKey?: string;
  readonly json?: true;
}

/**
 * Prints whether a certificate is as it was issued; exit code 1 if it is not.
 *
 * @throws ConfigurationError `CERTIFICATE_INVALID`, `PUBLIC_KEY_INVALID` or `FILE_NOT_READ`
 */
export async function verify(
  { certificate: path, publicKey, json }: VerifyFlags,
  io: Io,
): Promise<void> {
  const certificate = parseCertificate(await readTextFile(path, io.cwd));
  if (certificate === null) {
    throw new ConfigurationError(
      'CERTIFICATE_INVALID',
      `${path}: is not a certificate; name the certificate.json of a certification.`,
    );
  }
  const key = publicKey === undefined ? null : await readTextFile(publicKey, io.cwd);
  const { state, words, sameCatalogue } = verifyCertificate(certificate, key);
  const isUnaltered = state === 'authentic' || state === 'intact';
  io.exit(isUnaltered ? EXIT.passed : EXIT.failed);
  if (json) {
    const { issuedAt, catalogueDigest, documentDigest } = certificate;
    print(io, JSON.stringify({ state, sameCatalogue, issuedAt, catalogueDigest, documentDigest }));
    return;
  }
  print(io, words);
  if (isUnaltered) {
    print(io, escapeTerminalLine(certificateHeadline(certificate)));
  }
  if (!sameCatalogue)
    print(io, 'The client was judged by other client rules than this version has.');
}
