import {
  type BaseRequest,
  type Check,
  type Place,
  placeOn,
  roomOn,
  type Setting,
} from './check.ts';
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
  make: (place: Place, variants: readonly V[]) => Check,
): Check[] {
  const { rule, baseRequest, variants } = options;
  const [preferred, ...others] = placesLike(baseRequest, shapes);
  const own = inParts(variants, sizeOn(baseRequest)).map((some, number) => {
    const check = make(preferred, some);
    return number === 0 ? check : { ...check, id: partId(rule, preferred, number) };
  });
  const further = others.map((place, at) => {
    const { baseRequest: base } = place;
    const [first, ...rest] = sampleOf(variants, at, others.length, roomOn(base) ?? SAMPLE);
    const parts = first === undefined ? [] : [[first], ...inParts(rest, sizeOn(base))];
    return parts.map((some, number) => ({
      ...make(place, some),
      id: partId(rule, place, number),
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

/** Places that a rule holds on as it holds on one base request, whose plainest setting is the first. */
export function placesLike(
  baseRequest: BaseRequest,
  shapes: readonly Shape[],
): readonly [Place, ...Place[]] {
  const own = placeOn(baseRequest);
  const refreshOfUser = placeOn('refresh', { ofUser: true });
  if (baseRequest === 'platform') {
    const scoped = placeOn('platform', { withScope: true });
    return [own, placeOn('refresh'), refreshOfUser, placeOn('user'), scoped];
  }
  if (baseRequest === 'refresh') return [own, refreshOfUser];
  if (baseRequest === 'user') return [own];
  const settings: readonly Setting[] = [
    { afterRefresh: true },
    ...otherShapes(shapes).map((shape) => ({ shape })),
  ];
  const inSettings = (base: BaseRequest): Place[] => settings.map((one) => placeOn(base, one));
  const ofUser: BaseRequest = 'user-estimate';
  return [
    own,
    ...inSettings(baseRequest),
    ...(baseRequest === 'estimate' ? [placeOn(ofUser), ...inSettings(ofUser)] : []),
  ];
}

/** Shapes besides the plainest, in which a base request is sent anyway. */
function otherShapes(shapes: readonly Shape[]): readonly Shape[] {
  return shapes.filter((shape) => shape !== plainestOf(shapes));
}

/** Id of a check that judges a rule on one of several places; `number` counts from 0. */
export function partId(rule: string, place: Place, number = 0): string {
  return [`${rule}@${placeId(place)}`, ...(number === 0 ? [] : [number + 1])].join(':');
}

/** Name of the batch of a metered run: one baseline, which names no scope, serves all its checks. */
export function batchName({ baseRequest, setting }: Place): string {
  return placeId({ baseRequest, setting: { ...setting, withScope: undefined } });
}

/** Permanent name of a place, such as `refresh:of-user`. */
export function placeId({ baseRequest, setting }: Place): string {
  const { shape, afterRefresh, ofUser, withScope } = setting;
  return [
    baseRequest,
    ...(shape === undefined ? [] : [shape]),
    ...(afterRefresh ? ['refreshed'] : []),
    ...(ofUser ? ['of-user'] : []),
    ...(withScope ? ['scoped'] : []),
  ].join(':');
}
