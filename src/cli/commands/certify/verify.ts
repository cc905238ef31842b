import { readCertificate, type VerifiedCertificate } from '../../../app/certify/certificate.ts';
import { escapeTerminalLine } from '../../../report/index.ts';
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

const MAX_CHARACTERS = 400;

/**
 * Prints whether a certificate is valid: authentic by the given key, conformant, and of the full
 * catalogue; exit code 1 if it is not.
 *
 * @throws ConfigurationError `CERTIFICATE_INVALID`, `PUBLIC_KEY_INVALID` or `FILE_NOT_READ`
 */
export async function verify(
  { certificate: path, publicKey, json }: VerifyFlags,
  io: Io,
): Promise<void> {
  const verified = await readCertificate(path, publicKey, io);
  const { certificate, document, scope, problems, state, words, sameCatalogue } = verified;
  const valid = problems.length === 0;
  io.exit(valid ? EXIT.passed : EXIT.failed);
  if (json) {
    const { issuedAt, catalogueDigest, documentDigest, publicKey: issuer } = certificate;
    const about = document && {
      verdict: document.verdict,
      scope,
      client: document.client ?? null,
    };
    const seal = { publicKey: issuer, issuedAt, catalogueDigest, documentDigest };
    print(io, JSON.stringify({ valid, state, problems, ...about, ...seal, sameCatalogue }));
    return;
  }
  print(io, valid ? `VALID         ${words}, ${verdictWords(scope?.warnings ?? [])}` : 'NOT VALID');
  const printable = (text: string): string => escapeTerminalLine(text, MAX_CHARACTERS);
  for (const problem of problems) print(io, `              ${printable(problem)}`);
  // What an altered certificate says is not worth reading.
  if (state === 'altered' || state === 'other-key') return;
  for (const [label, text] of factsOf(verified)) {
    print(io, `${label.padEnd(13)} ${printable(text)}`);
  }
  if (document !== null && !sameCatalogue)
    print(io, 'The client was judged by other client rules than this version has.');
}

/** The verdict of a valid certificate, with its warnings. */
function verdictWords(warnings: readonly string[]): string {
  if (warnings.length === 0) return 'conformant';
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  return `conformant with ${count}: ${warnings.join(', ')}`;
}

function factsOf({
  certificate: { issuedAt, publicKey },
  fingerprint,
  document,
  scope,
  remarks,
}: VerifiedCertificate): (readonly [string, string])[] {
  if (document === null || scope === null) return [];
  const { catalogueVersion, rules, excluded, scenarios } = scope;
  const without = excluded.length > 0 ? `, without ${excluded.join(', ')}` : '';
  const { name = null, version = null, partner = null } = document.client ?? {};
  return [
    ['client', [name ?? document.target.name, ...(version === null ? [] : [version])].join(' ')],
    ['partner', partner ?? 'not stated'],
    ['verdict', document.verdict],
    [
      'scope',
      `${rules} client rules of ${catalogueVersion}${without}; ${scenarios.length} scenarios`,
    ],
    ...remarks,
    ['issuer key', publicKey ?? 'none: unsigned'],
    ...(fingerprint === null ? [] : [['fingerprint', `SHA-256 ${fingerprint}`] as const]),
    ['issued', issuedAt],
    ['binary', 'not bound: the owner of the key says which client was run'],
  ];
}
