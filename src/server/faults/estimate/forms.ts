import { REQUIRED_ESTIMATE_PARAMETERS } from '../../../interface/index.ts';
import type { EstimateIds, LockedEstimate } from '../../service/estimate/estimate-ids.ts';
import { invalidParameter } from '../../service/estimate/route.ts';
import { type FaultDefinition, type FaultForms, fault } from '../fault.ts';
import { type Condition, only } from '../only.ts';
import type { RequestInHand } from '../request-in-hand.ts';
import { named } from '../tables.ts';
import { withMethods } from '../with-methods.ts';
import { ESTIMATE_FAULTS, readingCoordinates } from './rules.ts';

const MINUTE_MS = 60_000;

/** Texts that pass for a coordinate. */
const NUMBERS: Readonly<Record<string, readonly [what: string, pattern: RegExp]>> = {
  nan: ['`nan`', /^[+-]?nan$/i],
  infinity: ['`inf` or `Infinity`', /^[+-]?inf(inity)?$/i],
  comma: ['a decimal comma', /^[+-]?\d+,\d+$/],
  hexadecimal: ['a hexadecimal number', /^0x/i],
  'full-width': ['full-width digits', /[０-９]/],
  'trailing-text': ['digits with text after them', /^[+-]?\d+(\.\d+)?[^\d.,eE_+*/:°]/],
  blank: ['blanks', /^\s+$/],
  'two-points': ['a number with two points', /^\d+\.\d+\.\d+$/],
  degrees: ['degrees with a sign or a point of the compass', /[°NSEW]/],
  underscore: ['digits with an underscore', /^\d+_\d/],
  'two-signs': ['two signs', /^[+-]{2}\d/],
  boolean: ['`true`, `false` or `null`', /^(true|false|null)$/i],
  words: ['words', /^[a-z]{4,}$/i],
};

/** Coordinates out of range that pass, moved to the bound. */
const RANGES: Readonly<
  Record<string, readonly [what: string, (name: string, degrees: number) => boolean]>
> = {
  'start-lat': ['any start_lat', (name) => name === 'start_lat'],
  'start-lng': ['any start_lng', (name) => name === 'start_lng'],
  'end-lat': ['any end_lat', (name) => name === 'end_lat'],
  'end-lng': ['any end_lng', (name) => name === 'end_lng'],
  'lat-by-180': [
    'a latitude up to 180',
    (name, degrees) => name.endsWith('lat') && Math.abs(degrees) <= 180,
  ],
  'end-lat-by-180': [
    'an end_lat up to 180',
    (name, degrees) => name === 'end_lat' && Math.abs(degrees) <= 180,
  ],
  'lng-by-360': [
    'a longitude up to 360',
    (name, degrees) => name.endsWith('lng') && Math.abs(degrees) <= 360,
  ],
  negative: ['any negative coordinate', (_, degrees) => degrees < 0],
  positive: ['any positive coordinate', (_, degrees) => degrees > 0],
  'beyond-360': ['a coordinate beyond 360', (_, degrees) => Math.abs(degrees) > 360],
  'by-a-little': [
    'a coordinate beyond its bound by less than one degree',
    (name, degrees) => Math.abs(degrees) < (name.endsWith('lat') ? 91 : 181),
  ],
};

/** Place names that are refused. */
const NAMES: Readonly<Record<string, readonly [what: string, parameter: string, RegExp]>> = {
  'to-name': ['to_name beyond ASCII', 'to_name', /[^\0-\x7f]/],
  'from-name': ['from_name beyond ASCII', 'from_name', /[^\0-\x7f]/],
  'beyond-latin-1': ['from_name beyond Latin-1', 'from_name', /[^\0-\xff]/],
  'beyond-bmp': ['to_name with characters beyond U+FFFF', 'to_name', /[\ud800-\udfff]/],
};

/** Optional parameters that are required, or that change the price by being left out. */
const OPTIONAL = {
  'estimate/imei-optional': 'imei',
  'estimate/map-type-optional': 'map_type',
  'estimate/departure-time': 'departure_time',
} as const;

const isCarpool: Condition = (one) => one.text('ride_type').startsWith('carpool');
const LOCKED_SHAPES: Readonly<Record<string, readonly [where: string, Condition]>> = {
  express: [
    'For express-car',
    (one) => one.text('product_type') === 'express-car' && !isCarpool(one),
  ],
  carpool: ['For carpooling', isCarpool],
  user: ["With a user's header", (one) => one.isSignedEstimate],
};

/** Forms of the rules on estimates and their lock. */
export const ESTIMATE_FORMS: FaultForms = {
  ...named('estimate/required-parameters', absent(REQUIRED_ESTIMATE_PARAMETERS), notRequired),
  // A place need not have a name.
  ...named(
    'estimate/required-parameters',
    empty(REQUIRED_ESTIMATE_PARAMETERS.filter((name) => !name.endsWith('_name'))),
    notRequired,
  ),
  ...named('estimate/coordinates-numeric', NUMBERS, ([what, pattern]) =>
    fault(`As a coordinate, ${what} is taken for 0.`, {
      readRoute: readingCoordinates((text) => (pattern.test(text) ? '0' : text)),
    }),
  ),
  'estimate/coordinates-numeric#start-lat': oneCoordinate('start_lat'),
  'estimate/coordinates-numeric#end-lng': oneCoordinate('end_lng'),
  ...named('estimate/coordinates-range', RANGES, ([what, passes]) =>
    fault(`Out of range, ${what} passes.`, {
      readRoute: readingCoordinates((text, bound, name) => {
        const degrees = Number(text);
        const isOutside = Number.isFinite(degrees) && Math.abs(degrees) > bound;
        return isOutside && passes(name, degrees) ? String(Math.sign(degrees) * bound) : text;
      }),
    }),
  ),
  ...named('estimate/non-ascii-names', NAMES, ([what, parameter, pattern]) =>
    fault(`A ${what} is refused.`, {
      readRoute: (read) => (parameters) => {
        if (!pattern.test(parameters.get(parameter) ?? '')) return read(parameters);
        throw invalidParameter(parameter, 'is not accepted');
      },
    }),
  ),
  ...Object.fromEntries(
    Object.entries(OPTIONAL).map(([rule, name]) => [
      `${rule}#demanded`,
      fault(`A request without ${name} is refused.`, {
        readRoute: (read) => (parameters) => {
          if (parameters.get(name)) return read(parameters);
          throw invalidParameter(name, 'is missing');
        },
      }),
    ]),
  ),
  ...lockForms(),
};

type Rows = Readonly<Record<string, readonly [where: string, Condition]>>;

function absent(names: readonly string[]): Rows {
  return Object.fromEntries(
    names.map((name) => [
      name.replace('_', '-'),
      [`For ${name}`, (one) => !(name in one.fields)] as const,
    ]),
  );
}

function empty(names: readonly string[]): Rows {
  return Object.fromEntries(
    names.map((name) => [
      `${name.replace('_', '-')}-empty`,
      [`For an empty ${name}`, (one) => one.fields[name] === ''] as const,
    ]),
  );
}

function notRequired([where, condition]: Rows[string]): FaultDefinition {
  return only(ESTIMATE_FAULTS['estimate/required-parameters'], where, condition);
}

function oneCoordinate(name: string): FaultDefinition {
  return fault(`A ${name} that is not a number is taken for 0.`, {
    readRoute: readingCoordinates((text, _, its) =>
      its === name && Number.isNaN(Number(text)) ? '0' : text,
    ),
  });
}

function lockForms(): FaultForms {
  const locked = (minutes: number): FaultDefinition =>
    fault(`An estimate is locked for ${minutes} minutes.`, {
      estimateLocks: (locks) => ({ ...locks, defaultMs: minutes * MINUTE_MS }),
    });
  const lockedLong = (minutes: number): FaultDefinition =>
    fault(`For a specially agreed partner, an estimate is locked for ${minutes} minutes.`, {
      estimateLocks: (locks) => ({ ...locks, longMs: minutes * MINUTE_MS }),
    });
  const byShape = ([where, condition]: (typeof LOCKED_SHAPES)[string]): FaultDefinition =>
    noting(`${where}: an estimate is locked for 5 minutes.`, condition, (one) =>
      one.partner.longLock ? one : { ...one, lockedUntilMs: one.lockedUntilMs - 5 * MINUTE_MS },
    );
  return {
    'lock/default-10-minutes#nine': locked(9),
    'lock/default-10-minutes#eleven': locked(11),
    'lock/default-10-minutes#none': locked(0),
    'lock/default-10-minutes#sixty': locked(60),
    ...named('lock/default-10-minutes', LOCKED_SHAPES, byShape),
    'lock/default-10-minutes#until-the-next': fault('The next estimate of a partner ends a lock.', {
      estimateIds: endingEarlier,
    }),
    'lock/partner-60-minutes#user': noting(
      "With a user's header: an estimate is locked for 10 minutes.",
      (one) => one.isSignedEstimate,
      (one) =>
        one.partner.longLock ? { ...one, lockedUntilMs: one.lockedUntilMs - 50 * MINUTE_MS } : one,
    ),
    'lock/partner-60-minutes#thirty': lockedLong(30),
    'lock/partner-60-minutes#fifty-nine': lockedLong(59),
    'lock/partner-60-minutes#two-hours': lockedLong(120),
  };
}

/** Changes what is known of the estimates of some requests. */
function noting(
  how: string,
  condition: Condition,
  change: (estimate: LockedEstimate) => LockedEstimate,
): FaultDefinition {
  return fault(how, {
    estimateIds: (ids: EstimateIds, inHand: RequestInHand) => {
      const noted = new Set<string>();
      return withMethods(ids, {
        issue: (...estimate) => {
          const id = ids.issue(...estimate);
          if (condition(inHand)) noted.add(id);
          return id;
        },
        read: (id, partners) => {
          const estimate = ids.read(id, partners);
          return estimate && noted.has(id) ? change(estimate) : estimate;
        },
      });
    },
  });
}

function endingEarlier(ids: EstimateIds): EstimateIds {
  const last = new Map<string, string>();
  return withMethods(ids, {
    issue: (partner, ...estimate) => {
      const id = ids.issue(partner, ...estimate);
      last.set(partner.id, id);
      return id;
    },
    read: (id, partners) => {
      const estimate = ids.read(id, partners);
      const isLast = estimate === null || last.get(estimate.partner.id) === id;
      return isLast ? estimate : { ...estimate, lockedUntilMs: 0 };
    },
  });
}
