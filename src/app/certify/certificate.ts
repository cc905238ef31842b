import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Certificate,
  type ClientResult,
  certificateFacts,
  certificationProblems,
  certifiedDocument,
  issueCertificate,
  keyFingerprint,
  parseCertificate,
  scenariosShowing,
  scopeOf,
  scopeWords,
  verifyCertificate,
} from '../../conformance/index.ts';
import { SCHEMA_VERSION } from '../../documents/base.ts';
import type { ConformanceDocument, RuleResult } from '../../documents/conformance.ts';
import { toHtml } from '../../report/index.ts';
import { readTextFile } from '../files/text.ts';
import type { Surroundings } from '../surroundings.ts';
import { TOOL } from '../tool.ts';

/** File of a certificate, in the folder of its run. */
export const CERTIFICATE = 'certificate.json';
const CERTIFICATE_PAGE = 'certificate.html';

/** Names that the partner gave. */
export interface ClientNames {
  readonly clientName?: string;
  readonly clientVersion?: string;
  readonly partner?: string;
}

/** The run document of a certification. */
export function certificationDocument(
  result: ClientResult,
  { clientName, clientVersion, partner }: ClientNames,
): ConformanceDocument & Pick<ClientResult, 'notes'> {
  return {
    schemaVersion: SCHEMA_VERSION,
    tool: TOOL,
    ...result,
    target: { ...result.target, name: clientName ?? result.target.name },
    client: {
      name: clientName ?? null,
      version: clientVersion ?? null,
      partner: partner ?? null,
    },
  };
}

/**
 * Reads the key that signs a certificate, and refuses an unusable one.
 *
 * @throws ConfigurationError `SIGN_KEY_INVALID`, or as {@link readTextFile}
 */
export async function readSignKey(
  path: string,
  { cwd }: Pick<Surroundings, 'cwd'>,
): Promise<string> {
  const pem = await readTextFile(path, cwd);
  issueCertificate({}, '', pem);
  return pem;
}

/**
 * The certificate of a run and its page, by the names of their files.
 *
 * @param verify command that verifies it
 */
export function certificateFiles(
  document: ConformanceDocument,
  signKey: string | null,
  verify: string,
): Record<string, string> {
  const certificate = issueCertificate({ ...document }, document.finishedAt, signKey);
  const facts = certificateFacts(certificate, scopeOf(document));
  // Its exit code and this machine are no part of what is certified.
  const { exit: _exit, notes: _notes, ...shown } = document;
  return {
    [CERTIFICATE]: `${JSON.stringify(certificate, null, 2)}\n`,
    [CERTIFICATE_PAGE]: toHtml([shown], { facts, verify }),
  };
}

/** Removes the certificate of an earlier run in a folder. */
export async function removeCertificate(folder: string): Promise<void> {
  const names = [CERTIFICATE, CERTIFICATE_PAGE];
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
}

/** Scenarios that show a broken rule again; one of the user's own is known by its file. */
export function scenariosToRepeat(
  result: ClientResult,
  rule: RuleResult,
  asked: readonly string[],
): string[] {
  const file = asked.find((one) => /\.ya?ml$/.test(one));
  return file === undefined ? scenariosShowing(result, rule) : [file];
}

/**
 * Reason why there is no certificate for a document; null if there is one.
 *
 * @param asked names of scenarios; none for all
 */
export function certificateObstacle(
  document: ConformanceDocument,
  asked: readonly string[],
): string | null {
  if (asked.length > 0) return 'it needs every scenario; run all of them';
  const problems = certificationProblems(document);
  return problems.length > 0 ? problems.join('; ') : null;
}

/** Certificate, and the reasons for which it is not valid. */
export interface VerifiedCertificate extends ReturnType<typeof verifyCertificate> {
  readonly certificate: Certificate;
  /** Null for one that this version cannot read. */
  readonly document: ConformanceDocument | null;
  /** Rules and scenarios that it is about; null as the document. */
  readonly scope: ReturnType<typeof scopeOf> | null;
  /** Warnings, and what was repeated or not exercised, as labels and texts. */
  readonly remarks: ReturnType<typeof scopeWords>;
  /** SHA-256, in hex, of the public key in it; null if it is unsigned. */
  readonly fingerprint: string | null;
  /** Reasons why it is not valid; none for a valid one. */
  readonly problems: readonly string[];
}

/**
 * Reads a certificate: it is valid if it is authentic by the issuer's key, conformant, and of the full catalogue.
 *
 * @throws ConfigurationError `CERTIFICATE_INVALID`, `PUBLIC_KEY_INVALID` or `FILE_NOT_READ`
 */
export async function readCertificate(
  path: string,
  publicKey: string | undefined,
  { cwd }: Pick<Surroundings, 'cwd'>,
): Promise<VerifiedCertificate> {
  const certificate = parseCertificate(await readTextFile(path, cwd, 'with-bom'), path);
  const key = publicKey === undefined ? null : await readTextFile(publicKey, cwd);
  const verified = verifyCertificate(certificate, key);
  const document = certifiedDocument(certificate);
  const problems = [
    ...(verified.state === 'authentic' ? [] : [verified.words]),
    ...(document === null
      ? ['it contains no run document that this version can read']
      : certificationProblems(document, certificate.catalogueDigest)),
  ];
  const scope = document && scopeOf(document);
  const remarks = scope === null ? [] : scopeWords(scope);
  const fingerprint = keyFingerprint(certificate);
  return { ...verified, certificate, fingerprint, document, scope, remarks, problems };
}
