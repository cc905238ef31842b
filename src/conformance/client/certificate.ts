import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import {
  type ConformanceDocument,
  conformanceSchema,
  type RuleResult,
} from '../../documents/conformance.ts';
import { CLIENT_RULES } from '../../interface/catalogue.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { AmbiguityError, canonical, parseExactJson, toExactJson } from './exact-json.ts';

/** A run document, sealed against alteration. */
export interface Certificate {
  readonly kind: 'certificate';
  readonly schemaVersion: 1;
  /** ISO 8601. */
  readonly issuedAt: string;
  /** SHA-256, in hex, of the client rules that the client was judged by. */
  readonly catalogueDigest: string;
  /** SHA-256, in hex, of the document in canonical form (RFC 8785). */
  readonly documentDigest: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** Ed25519 over all other fields in canonical form, in Base64; null if it is unsigned. */
  readonly signature: string | null;
  /** The public key, SPKI in Base64; does not prove who owns it. */
  readonly publicKey: string | null;
}

/** The state of a certificate. */
export interface CertificateCheck {
  readonly state: 'authentic' | 'intact' | 'altered' | 'unsigned' | 'other-key';
  /** The state as a sentence. */
  readonly words: string;
  /** True if the client was judged by the rules of this version. */
  readonly sameCatalogue: boolean;
}

/** A rule as a catalogue and the results of a document state it. */
type StatedRule = Pick<RuleResult, 'id' | 'level' | 'statement' | 'section'>;

/** SHA-256, in hex, of the statements of rules; of the client rules of this version by default. */
function catalogueDigest(rules: readonly StatedRule[] = CLIENT_RULES): string {
  const stated = ({ id, level, statement, section }: StatedRule) => ({
    id,
    level,
    statement,
    section,
  });
  return hash('sha256', canonical(rules.map(stated)));
}

/**
 * Issues a certificate; without a key it is unsigned.
 *
 * @param privateKeyPem Ed25519, PKCS #8 in PEM
 * @throws ConfigurationError `SIGN_KEY_INVALID`
 */
export function issueCertificate(
  document: Readonly<Record<string, unknown>>,
  issuedAt: string,
  privateKeyPem: string | null,
): Certificate {
  const key =
    privateKeyPem === null
      ? null
      : ed25519('SIGN_KEY_INVALID', 'private key (PKCS #8)', () => createPrivateKey(privateKeyPem));
  const publicKey =
    key && createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  const stored = toExactJson(document) as Certificate['document'];
  const unsigned = {
    kind: 'certificate',
    schemaVersion: 1,
    issuedAt,
    catalogueDigest: catalogueDigest(),
    documentDigest: hash('sha256', canonical(stored)),
    document: stored,
    publicKey,
  } as const;
  const signature = key && sign(null, Buffer.from(canonical(unsigned)), key).toString('base64');
  return { ...unsigned, signature };
}

/**
 * Checks whether a certificate is as it was issued, and by whom.
 *
 * @param publicKeyPem SPKI in PEM; without it the issuer is unknown
 * @throws ConfigurationError `PUBLIC_KEY_INVALID`
 */
export function verifyCertificate(
  certificate: Certificate,
  publicKeyPem: string | null,
): CertificateCheck {
  const { signature, ...unsigned } = certificate;
  const sameCatalogue = certificate.catalogueDigest === catalogueDigest();
  const result = (state: CertificateCheck['state'], words: string): CertificateCheck => {
    return { state, words, sameCatalogue };
  };
  const given =
    publicKeyPem === null
      ? null
      : ed25519('PUBLIC_KEY_INVALID', 'public key (SPKI)', () => createPublicKey(publicKeyPem));
  if (hash('sha256', canonical(certificate.document)) !== certificate.documentDigest) {
    return result('altered', 'altered: the document is not the one that was certified');
  }
  if (signature === null) {
    const words = 'unsigned: intact, not authentic: anyone who alters it can compute a new digest';
    return result(given ? 'unsigned' : 'intact', words);
  }
  const signed = (key: KeyObject): boolean =>
    verify(null, Buffer.from(canonical(unsigned)), key, Buffer.from(signature, 'base64'));
  if (given !== null) {
    if (signed(given)) return result('authentic', 'intact, and signed by the owner of this key');
    return result('other-key', 'altered, or signed with another key than the one given');
  }
  const own = ownKeyOf(certificate);
  return own !== null && signed(own)
    ? result('intact', 'intact, not authentic: add the public key of its issuer')
    : result('altered', 'altered: its signature is wrong');
}

/**
 * Parses the text of a certificate.
 *
 * @param name of its file, which every message starts with
 * @throws ConfigurationError `CERTIFICATE_INVALID`, also for JSON that parsers read in different ways
 */
export function parseCertificate(text: string, name: string): Certificate {
  try {
    const value = parseExactJson(text);
    sealSchema.parse(value);
    // The value itself, not the parsed copy: the digest covers every field of it.
    return value as Certificate;
  } catch (error) {
    throw new ConfigurationError(
      'CERTIFICATE_INVALID',
      error instanceof AmbiguityError
        ? `${name}: is not a certificate as it was issued: ${error.message}.`
        : error instanceof SyntaxError
          ? `${name}: is not valid JSON: ${error.message}.`
          : `${name}: is not a certificate; name the certificate.json of a certification.`,
      { cause: error },
    );
  }
}

const sealSchema = z.object({
  kind: z.literal('certificate'),
  catalogueDigest: z.string(),
  documentDigest: z.string(),
  document: z.custom((value) => value !== null && typeof value === 'object'),
  signature: z.string().nullable(),
  publicKey: z.string().nullable(),
});

function ownKeyOf({ publicKey }: Certificate): KeyObject | null {
  try {
    const key = Buffer.from(publicKey ?? '', 'base64');
    return createPublicKey({ key, type: 'spki', format: 'der' });
  } catch {
    return null;
  }
}

function ed25519(code: string, what: string, read: () => KeyObject): KeyObject {
  let cause: unknown;
  try {
    const key = read();
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    cause = error;
  }
  throw new ConfigurationError(
    code,
    `The file is not an Ed25519 ${what} in PEM; openssl genpkey -algorithm ed25519 makes one.`,
    { cause },
  );
}

/** Facts of a scope beyond its rules and scenarios, as labels and texts. */
export function scopeWords({
  warnings,
  attempts,
  notExercised,
}: ReturnType<typeof scopeOf>): (readonly [label: string, text: string])[] {
  const again = Object.entries(attempts).map(([name, count]) => `${name} (${count})`);
  const facts = { warnings, 'not exercised': notExercised, attempts: again };
  return Object.entries(facts).flatMap(([label, texts]) =>
    texts.length === 0 ? [] : [[label, texts.join(', ')] as const],
  );
}

/** Statements of a certificate about itself, as labels and texts, for the page that shows it. */
export function certificateFacts(
  certificate: Certificate,
  scope: ReturnType<typeof scopeOf>,
): (readonly [label: string, text: string])[] {
  const { catalogueVersion, rules, excluded, scenarios } = scope;
  const remarks = { warnings: 'none', 'not exercised': 'nothing' };
  const fingerprint = keyFingerprint(certificate);
  return [
    ['issued', certificate.issuedAt],
    ['catalogue', `${rules} client rules of ${catalogueVersion}, ${scenarios.length} scenarios`],
    ...Object.entries({ ...remarks, ...Object.fromEntries(scopeWords(scope)) }),
    ...(excluded.length > 0 ? [['does not apply', excluded.join(', ')] as const] : []),
    ['key of the issuer', fingerprint === null ? 'UNSIGNED' : `Ed25519, SHA-256 ${fingerprint}`],
    ['digest of the rules', `SHA-256 ${certificate.catalogueDigest}`],
    ['digest of the document', `SHA-256 ${certificate.documentDigest}`],
  ];
}

/** SHA-256, in hex, of the public key in DER; null if the certificate is unsigned. */
export const keyFingerprint = ({ publicKey }: Certificate): string | null =>
  publicKey === null ? null : hash('sha256', Buffer.from(publicKey, 'base64'));

/** Results by which a rule or a scenario counts as judged in a certificate. */
const JUDGED: ReadonlySet<string> = new Set(['pass', 'warn']);

/** The document of a certificate; null if it is no run document of this version. */
export function certifiedDocument({ document }: Certificate): ConformanceDocument | null {
  return conformanceSchema.safeParse(document).data ?? null;
}

/**
 * The scope that a document covers: the program whose rules the client was judged by, their number,
 * the ids of those that the partner declared not to apply, and of those with a warning; the names of the
 * scenarios, the attempts of those that were run again, and what was not exercised.
 */
export function scopeOf({ tool, rules, scenarios = [] }: ConformanceDocument) {
  return {
    catalogueVersion: `${tool.name} ${tool.version}`,
    rules: rules.length,
    excluded: rules.filter(({ verdict }) => verdict === 'excluded').map(({ id }) => id),
    warnings: rules.filter(({ verdict }) => verdict === 'warn').map(({ id }) => id),
    scenarios: scenarios.map(({ name }) => name),
    attempts: Object.fromEntries(
      scenarios.flatMap(({ name, earlier = [] }) =>
        earlier.length === 0 ? [] : [[name, earlier.length + 1]],
      ),
    ),
    notExercised: [...new Set(scenarios.flatMap((one) => one.notExercised ?? []))],
  };
}

/**
 * Reasons why a document cannot be certified, in sentences; empty for a whole, conformant
 * certification.
 */
export function certificationProblems(
  document: ConformanceDocument,
  digest: string = catalogueDigest(),
): string[] {
  const { side, interrupted, scenarios = [], rules, verdict, complete } = document;
  if (side !== 'client') return ['the document judges a service'];
  if (interrupted === true) return ['the certification was interrupted'];
  if (scenarios.length === 0) {
    return ['the client was only listened to; run it in every scenario: certify -- COMMAND'];
  }
  if (verdict === 'not-conformant') return ['the verdict is not-conformant'];
  const open = rules.filter((rule) => !JUDGED.has(rule.verdict) && !isDeclaredOut(rule, document));
  const remedies = new Set(open.flatMap(({ remedy }) => remedy ?? []));
  const notJudged = [open.map(({ id }) => id).join(', '), ...remedies].join('; ');
  const undecided = scenarios.filter((one) => !JUDGED.has(one.verdict)).map(({ name }) => name);
  const problems = [
    ...(open.length > 0 ? [`not judged: ${notJudged}`] : []),
    ...(undecided.length > 0 ? [`scenarios without a verdict: ${undecided.join(', ')}`] : []),
    ...(catalogueDigest(rules) === digest ? [] : ['it does not hold the full catalogue of rules']),
  ];
  if (problems.length > 0 || (verdict === 'conformant' && complete)) return problems;
  return ['the certification is not complete'];
}

/** True if a rule is excluded because the partner declared that it does not apply. */
function isDeclaredOut(
  { id, verdict }: ConformanceDocument['rules'][number],
  { orders }: ConformanceDocument,
): boolean {
  return verdict === 'excluded' && id === 'client/scope-on-behalf' && orders === 'no';
}
