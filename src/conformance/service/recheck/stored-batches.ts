import type { Exchange } from '../../exchange.ts';
import type { BaseRequest } from '../contract/base-request.ts';
import type { Check } from '../contract/check.ts';
import { SERVICE_CHECKS } from '../rules/all.ts';
import { shapeSurvey } from '../rules/estimate/checks.ts';
import { keyOf } from '../runner/batch.ts';
import type { StoredTarget } from './stored-target.ts';

/** Checks that shared controls, as the stored keys tell it. */
export interface StoredBatch {
  readonly id: string;
  readonly baseRequest: BaseRequest;
  readonly checks: readonly Check[];
}

const CONTROL_KEY = /^control:(.*):(?:open|close|token)#\d+$/s;

/** Checks that a site of that environment was judged by. */
export function checksOf(client: StoredTarget, isFirst: boolean): Check[] {
  const kind = client.control ? 'controlled' : 'metered';
  return SERVICE_CHECKS.filter(({ needs, only }) => {
    const wanted = needs?.environment;
    const fits = isFirst
      ? wanted === undefined || wanted === client.environment
      : wanted === client.environment;
    return fits && (only === undefined || only === kind);
  });
}

/** The latest attempt of a check that sent something; undefined for none. */
function attemptOf(check: Check, byKey: ReadonlyMap<string, Exchange>): Check | undefined {
  let latest: Check | undefined;
  for (let attempt = 1; ; attempt++) {
    const again = attempt > 1 ? { ...check, attempt } : check;
    if (!byKey.has(`${keyOf(again)}#1`)) return latest;
    latest = again;
  }
}

/**
 * The batches of a stored run, in the order in which they began.
 *
 * @param pointsTo ids of exchanges that a rule points to
 */
export function storedBatches(
  checks: readonly Check[],
  byKey: ReadonlyMap<string, Exchange>,
  byId: ReadonlyMap<string, Exchange>,
  pointsTo: (rule: string) => readonly string[],
): StoredBatch[] {
  const controlled = new Map<string, Check[]>();
  for (const key of byKey.keys()) {
    const id = CONTROL_KEY.exec(key)?.[1];
    // What was seen beside a probe was not judged.
    if (id === undefined || /@.*\/probe$/s.test(id)) continue;
    if (baseRequestOf(id, checks)) controlled.set(id, controlled.get(id) ?? []);
  }
  const alone: StoredBatch[] = [];
  for (const check of checks) {
    const control = check.rules
      .flatMap((rule) => pointsTo(rule))
      .map((id) => CONTROL_KEY.exec(byId.get(id)?.key ?? '')?.[1])
      .find((id) => id !== undefined);
    const sent = attemptOf(check, byKey);
    if (control !== undefined) controlled.get(control)?.push(sent ?? check);
    else if (sent) alone.push({ id: check.id, baseRequest: 'standalone', checks: [sent] });
  }
  const survey = attemptOf(shapeSurvey, byKey);
  const [first] = controlled.keys();
  if (survey && first !== undefined)
    alone.push({ id: shapeSurvey.id, baseRequest: 'standalone', checks: [survey] });
  const sharing = [...controlled].map(
    ([id, some]): StoredBatch => ({
      id,
      baseRequest: baseRequestOf(id, checks) ?? 'standalone',
      checks: some,
    }),
  );
  const numberOf = (one: StoredBatch): number =>
    Number(firstOf(one, byKey)?.id.slice(1) ?? Number.POSITIVE_INFINITY);
  return [...sharing, ...alone].sort((a, b) => numberOf(a) - numberOf(b));
}

/** The first exchange of a batch. */
export function firstOf(
  { id, checks }: StoredBatch,
  byKey: ReadonlyMap<string, Exchange>,
): Exchange | undefined {
  return (
    byKey.get(`control:${id}:token#1`) ??
    byKey.get(`control:${id}:open#1`) ??
    checks.map((check) => byKey.get(`${keyOf(check)}#1`)).find((one) => one !== undefined)
  );
}

/** `survey:<base request>`, `<base request>@<partner>/<round>`, or the first rule of the first check. */
function baseRequestOf(id: string, checks: readonly Check[]): BaseRequest | undefined {
  const named = /^survey:(.+)$/s.exec(id)?.[1] ?? /^([a-z-]+)@/.exec(id)?.[1];
  if (BASE_REQUESTS.some((one) => one === named)) return named as BaseRequest;
  return checks.find((check) => check.id === id)?.baseRequest;
}

const BASE_REQUESTS: readonly BaseRequest[] = [
  'platform',
  'refresh',
  'user',
  'estimate',
  'user-estimate',
];

/** Who spoke to the target in a batch's checks, in order. */
export function partnersOf(
  { checks }: StoredBatch,
  byKey: ReadonlyMap<string, Exchange>,
  baseUrl: string,
): string[] {
  const ids = new Set<string>();
  for (const check of checks) {
    for (let at = 1; ; at++) {
      const sent = byKey.get(`${keyOf(check)}#${at}`);
      if (!sent) break;
      // Look-ups by the control API speak for nobody.
      const isSpoken = sent.request.url.startsWith(baseUrl);
      if (isSpoken && sent.partnerId !== null) ids.add(sent.partnerId);
    }
  }
  return [...ids];
}
