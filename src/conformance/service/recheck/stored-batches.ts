import type { Exchange } from '../../../documents/exchange.ts';
import {
  BASE_REQUESTS,
  type BaseRequest,
  type Check,
  describeBase,
  type RunsOn,
  type Setting,
} from '../contract/check.ts';
import { batchName } from '../contract/parts.ts';
import { SHAPES } from '../contract/target.ts';
import { REFRESHED_SURVEY, SURVEYS } from '../rules/estimate/survey.ts';
import { TOKEN_SURVEYS } from '../rules/token/survey.ts';
import type { Batch } from '../runner/batch.ts';
import { keyOf } from '../runner/check-run.ts';

const BASELINE_KEY = /^control:(.*):(?:open|close|token|refreshed)#\d+$/s;

/** Attempts of a check that sent something, in order. */
function attemptsOf(check: Check, byKey: ReadonlyMap<string, Exchange>): Check[] {
  const attempts: Check[] = [];
  for (let attempt = 1; ; attempt++) {
    const again = attempt > 1 ? { ...check, attempt } : check;
    if (!byKey.has(`${keyOf(again)}#1`)) return attempts;
    attempts.push(again);
  }
}

/**
 * Batches of a stored run, in the order in which they began.
 *
 * @param pointsTo ids of exchanges that a rule points to
 * @param isMetered true if the batches were planned
 */
export function storedBatches(
  checks: readonly Check[],
  byKey: ReadonlyMap<string, Exchange>,
  byId: ReadonlyMap<string, Exchange>,
  pointsTo: (rule: string) => readonly string[],
  isMetered: boolean,
): Batch[] {
  const withBaseline = new Map<string, Check[]>();
  for (const key of byKey.keys()) {
    const id = BASELINE_KEY.exec(key)?.[1];
    // The baselines of probes belong to no rule.
    if (id === undefined || /@.*\/probe$/s.test(id)) continue;
    if (baseRequestOf(id, checks)) withBaseline.set(id, withBaseline.get(id) ?? []);
  }
  const standalone: Batch[] = [];
  for (const check of checks) {
    const base = describeBase(check.baseRequest, check.setting);
    const baselines = check.rules
      .flatMap((rule) => pointsTo(rule))
      .map((id) => BASELINE_KEY.exec(byId.get(id)?.key ?? '')?.[1])
      .filter((id) => id !== undefined);
    const attempts = attemptsOf(check, byKey);
    const own = [check.baseRequest, ...(check.alsoOn ?? [])].map((baseRequest) =>
      batchName({ baseRequest, setting: check.setting ?? {} }),
    );
    const shared = baselines.find((id) =>
      isMetered
        ? own.includes(id.split('@')[0] ?? '')
        : !/~\d+$/.test(id) && isOn(base, id, checks),
    );
    for (const one of attempts) {
      const planned = isMetered ? batchAround(one, [...withBaseline.keys()], byKey) : undefined;
      const baseline = withBaseline.has(keyOf(one)) ? keyOf(one) : (planned ?? shared);
      if (baseline !== undefined) withBaseline.get(baseline)?.push(asPlanned(one, baseline));
      else standalone.push({ id: keyOf(one), baseRequest: 'standalone', checks: [one] });
    }
    const isLeftOut = check.rank !== undefined;
    if (attempts.length === 0 && shared !== undefined && !isLeftOut)
      withBaseline.get(shared)?.push(check);
  }
  for (const { id, ...survey } of withBaseline.size > 0
    ? [...SURVEYS, REFRESHED_SURVEY, ...TOKEN_SURVEYS]
    : []) {
    const sent = attemptsOf({ id, ...survey }, byKey).at(-1);
    if (sent) standalone.push({ id, baseRequest: 'standalone', checks: [sent] });
  }
  const sharing = [...withBaseline].map(
    ([id, some]): Batch => ({
      id,
      baseRequest: baseRequestOf(id, checks) ?? 'standalone',
      setting: firstCheckOf(id, checks)?.setting ?? settingOf(id),
      checks: some,
    }),
  );
  const numberOf = (one: Batch): number =>
    Number(firstOf(one, byKey)?.id.slice(1) ?? Number.POSITIVE_INFINITY);
  return [...sharing, ...standalone].sort((a, b) => numberOf(a) - numberOf(b));
}

/**
 * The batch of a metered run in which a check ran, on one of its carriers: its requests follow the opening
 * one of that batch, and precede the closing one. A check with a baseline of its own is in none.
 */
function batchAround(
  check: Check,
  ids: readonly string[],
  byKey: ReadonlyMap<string, Exchange>,
): string | undefined {
  if (check.baseRequest === 'standalone') return undefined;
  const numberOf = (one: Exchange | undefined): number => Number(one?.id.slice(1) ?? Number.NaN);
  const first = byKey.get(`${keyOf(check)}#1`);
  const sent = numberOf(first);
  const names = carriersOf(check).map(batchName);
  const startOf = (id: string): number => numberOf(openingOf(id, byKey));
  const endOf = (id: string): number => {
    const closing = byKey.get(`control:${id}:close#1`);
    return closing ? numberOf(closing) : Number.POSITIVE_INFINITY;
  };
  const isAround = (id: string): boolean => {
    const { name, partnerId } = partsOf(id);
    const isOfPartner = partnerId === first?.partnerId && names.includes(name);
    return isOfPartner && startOf(id) < sent && sent < endOf(id);
  };
  return ids
    .filter(isAround)
    .sort((a, b) => (endOf(a) < endOf(b) ? -1 : Number(endOf(a) > endOf(b))))[0];
}

const carriersOf = ({ baseRequest, setting = {}, alsoOn = [], carriers }: Check): RunsOn[] => [
  ...(carriers ?? [{ baseRequest, setting }]),
  ...alsoOn.map((base) => ({ baseRequest: base, setting: {} })),
];

/** Parts of the id of a planned batch: `<name>@<partner>/<round>`. */
function partsOf(id: string): { name: string; partnerId: string; round: number } {
  const [, name = '', partnerId = '', round = ''] = /^([^@]*)@(.*)\/([^/]*)$/s.exec(id) ?? [];
  return { name, partnerId, round: Number.parseInt(round, 10) };
}

/**
 * Opening request of a batch. A planned one without any was opened by the last well-formed request of an
 * earlier one of that name and partner.
 */
export function openingOf(id: string, byKey: ReadonlyMap<string, Exchange>): Exchange | undefined {
  const own = byKey.get(`control:${id}:open#1`);
  const { name, partnerId, round } = partsOf(id);
  if (own || name === '') return own;
  for (let earlier = round - 1; earlier > 0; earlier--) {
    for (const suffix of ['+', '']) {
      const before = `control:${name}@${partnerId}/${earlier}${suffix}`;
      const one = byKey.get(`${before}:close#1`) ?? byKey.get(`${before}:open#1`);
      if (one) return one;
    }
  }
  return undefined;
}

/** First exchange of a batch. */
export function firstOf(
  { id, checks }: Batch,
  byKey: ReadonlyMap<string, Exchange>,
): Exchange | undefined {
  return (
    byKey.get(`control:${id}:token#1`) ??
    byKey.get(`control:${id}:open#1`) ??
    checks.map((check) => byKey.get(`${keyOf(check)}#1`)).find((one) => one !== undefined)
  );
}

/** Batch ids are `survey:<base request>`, `<base request>@<partner>/<round>`, or a check's id. */
function baseRequestOf(id: string, checks: readonly Check[]): BaseRequest | undefined {
  const named = /^survey:(.+)$/s.exec(id)?.[1] ?? /^([a-z-]+)(?::[^@/]*)?@/.exec(id)?.[1];
  if (BASE_REQUESTS.some((one) => one === named)) return named as BaseRequest;
  return firstCheckOf(id, checks)?.baseRequest;
}

/** A further part on the carrier that it was planned for. */
function asPlanned(check: Check, batch: string): Check {
  const [name] = batch.split('@');
  return { ...check, ...check.carriers?.find((on) => batchName(on) === name) };
}

/** Setting that a planned batch is named after, see `carrierId`. */
function settingOf(id: string): Setting | undefined {
  const [, words] = /^[a-z-]+:([^@/]*)@/.exec(id) ?? [];
  if (words === undefined) return undefined;
  const shape = SHAPES.find((one) => words.split(':').includes(one));
  return {
    ...(shape ? { shape } : {}),
    ...(words.includes('refreshed') ? { afterRefresh: true } : {}),
    ...(words.includes('of-user') ? { ofUser: true } : {}),
  };
}

/** The check that a batch is named after, whichever attempt it was. */
function firstCheckOf(id: string, checks: readonly Check[]): Check | undefined {
  const name = id.replace(/~\d+$/, '');
  return checks.find((check) => check.id === name);
}

/** Checks whether the batch of that id has that base; a planned batch has any that its id names. */
function isOn(base: string, id: string, checks: readonly Check[]): boolean {
  const first = firstCheckOf(id, checks);
  return !first || describeBase(first.baseRequest, first.setting) === base;
}

/** Partners as which a batch's checks sent requests, in order. */
export function partnersOf(
  { checks }: Batch,
  byKey: ReadonlyMap<string, Exchange>,
  baseUrl: string,
): string[] {
  const ids = new Set<string>();
  for (const check of checks) {
    for (let at = 1; ; at++) {
      const sent = byKey.get(`${keyOf(check)}#${at}`);
      if (!sent) break;
      // Requests to the control API are sent as no partner.
      const isToTarget = sent.request.url.startsWith(baseUrl);
      if (isToTarget && sent.partnerId !== null) ids.add(sent.partnerId);
    }
  }
  return [...ids];
}
