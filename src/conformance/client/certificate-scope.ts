import { type ConformanceDocument, conformanceSchema } from '../../documents/conformance.ts';
import { type Certificate, catalogueDigest } from './certificate.ts';

/** Results by which a rule or a scenario counts as judged in a certificate. */
const JUDGED: ReadonlySet<string> = new Set(['pass', 'warn']);

/** Scope of a certificate. */
export interface CertificateScope {
  /** Version of the program whose rules the client was judged by. */
  readonly catalogueVersion: string;
  /** Number of rules in that catalogue. */
  readonly rules: number;
  /** Ids of rules that do not apply, by declaration of the partner. */
  readonly excluded: readonly string[];
  readonly scenarios: readonly string[];
}

/** The document of a certificate; null if it is no run document of this version. */
export function certifiedDocument({ document }: Certificate): ConformanceDocument | null {
  return conformanceSchema.safeParse(document).data ?? null;
}

/** The scope that a document covers. */
export function scopeOf({ tool, rules, scenarios = [] }: ConformanceDocument): CertificateScope {
  return {
    catalogueVersion: `${tool.name} ${tool.version}`,
    rules: rules.length,
    excluded: rules.filter(({ verdict }) => verdict === 'excluded').map(({ id }) => id),
    scenarios: scenarios.map(({ name }) => name),
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
