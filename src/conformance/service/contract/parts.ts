import { type BaseRequest, type Check, type RunsOn, roomOn, type Setting } from './check.ts';
import { plainestOf, type Shape } from './target.ts';

/**
 * Checks that judge one rule on each base request that it holds on. On its own base request all variants
 * are sent, a few in each part; on each further one the most conclusive one, and a sample of the others.
 *
 * @param make check of some variants on one base request
 */
export function partsWhereFree<V>(
  options: {
    readonly rule: string;
    readonly baseRequest: BaseRequest;
    readonly variants: readonly V[];
  },
  shapes: readonly Shape[],
  make: (base: BaseRequest, variants: readonly V[]) => Check,
): Check[] {
  const { rule, baseRequest, variants } = options;
  const [, ...others] = basesLike(baseRequest, shapes);
  const own = inParts(variants, sizeOn(baseRequest)).map((some, number) => {
    const check = make(baseRequest, some);
    return number === 0 ? check : { ...check, id: partId(rule, baseRequest, undefined, number) };
  });
  const further = others.map(([base, setting], at) => {
    const [first, ...rest] = sampleOf(variants, at, others.length, roomOn(base) ?? SAMPLE);
    const parts = first === undefined ? [] : [[first], ...inParts(rest, sizeOn(base))];
    return parts.map((some, number) => ({
      ...make(base, some),
      setting,
      id: partId(rule, base, setting, number),
    }));
  });
  // Each base request once, before any of them again.
  const firstOf = [own, ...further].flatMap((parts) => parts.slice(0, 1));
  return [...firstOf, ...[own, ...further].flatMap((parts) => parts.slice(1))];
}

/** Most variants in a part: the fewer, the better a plan fills the room that it has. */
const sizeOn = (base: BaseRequest): number => Math.min(roomOn(base) ?? MOST, MOST);
const MOST = 4;

/** Splits a list into parts of a size. */
function inParts<V>(list: readonly V[], size: number): V[][] {
  return list.flatMap((_one, at) => (at % size === 0 ? [list.slice(at, at + size)] : []));
}

/** Variants on a further base request that sets no limit of its own. */
const SAMPLE = 8;

/**
 * Variants for one of several further base requests: the most conclusive one, then a share of the
 * others that is different on each.
 */
function sampleOf<V>(variants: readonly V[], at: number, bases: number, size: number): V[] {
  const [first, ...others] = variants;
  if (first === undefined || variants.length <= size) return [...variants];
  const isShare = (number: number): boolean => number % bases === at;
  const share = others.filter((_one, number) => isShare(number));
  const rest = others.filter((_one, number) => !isShare(number));
  return [first, ...share, ...rest].slice(0, size);
}

/** Base requests that a rule holds on as it holds on one of them, which is the first. */
export function basesLike(
  baseRequest: BaseRequest,
  shapes: readonly Shape[],
): readonly (readonly [BaseRequest, (Setting | undefined)?])[] {
  const ofUser = { ofUser: true } as const;
  const platform = [['platform'], ['refresh'], ['refresh', ofUser], ['user']] as const;
  if (baseRequest === 'platform') return [...platform, ['platform', { withScope: true }]];
  if (baseRequest === 'refresh') return [['refresh'], ['refresh', ofUser]];
  if (baseRequest === 'user') return [['user']];
  const settings: readonly (Setting | undefined)[] = [
    undefined,
    { afterRefresh: true },
    ...otherShapes(shapes).map((shape) => ({ shape })),
  ];
  const bases: readonly BaseRequest[] =
    baseRequest === 'estimate' ? ['estimate', 'user-estimate'] : [baseRequest];
  return bases.flatMap((base) => settings.map((setting) => [base, setting] as const));
}

/** Shapes besides the plainest, in which a base request is sent anyway. */
function otherShapes(shapes: readonly Shape[]): readonly Shape[] {
  return shapes.filter((shape) => shape !== plainestOf(shapes));
}

/** Id of a check that judges a rule on one of several base requests; `number` counts from 0. */
export function partId(rule: string, base: BaseRequest, setting?: Setting, number = 0): string {
  return [`${rule}@${carrierId(base, setting)}`, ...(number === 0 ? [] : [number + 1])].join(':');
}

/** Name of the batch of a metered run: one baseline, which names no scope, serves all its checks. */
export function batchName({ baseRequest, setting }: RunsOn): string {
  return carrierId(baseRequest, { ...setting, withScope: undefined });
}

/** Permanent name of a base request in a setting, such as `refresh:of-user`. */
export function carrierId(
  base: BaseRequest,
  { shape, afterRefresh, ofUser, withScope }: Setting = {},
): string {
  return [
    base,
    ...(shape === undefined ? [] : [shape]),
    ...(afterRefresh ? ['refreshed'] : []),
    ...(ofUser ? ['of-user'] : []),
    ...(withScope ? ['scoped'] : []),
  ].join(':');
}
