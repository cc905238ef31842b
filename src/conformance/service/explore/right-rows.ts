import { SCOPES } from '../../../interface/limits.ts';
import { optionalParameters } from '../contract/messages.ts';
import { SHAPES } from '../contract/target.ts';
import { COORDINATES } from '../rules/estimate/zero-coordinate.ts';
import { type Apply, adding, between, type On, pick, type Row } from './row.ts';
import { FORMS, NAMES, PLACES, PLAIN, TEXTS, VALUES } from './texts.ts';

const right = (on: On, rule: string, name: string, apply: Apply): Row => ({
  name,
  on,
  is: 'right',
  rule,
  apply,
});

/** A row that the interface leaves open; `learns` as in {@link Row}. */
const open = (on: On, rule: string, name: string, apply: Apply, learns?: string): Row => ({
  name,
  on,
  is: 'open',
  rule,
  apply,
  learns,
});

/** Elements in another order. */
const shuffled = <T>(list: readonly T[], random: { next: () => number }): T[] =>
  list
    .map((one) => ({ one, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);

const inAnotherOrder: Apply = (draft, { random }) => {
  draft.fields = Object.fromEntries(shuffled(Object.entries(draft.fields), random));
};

const withoutContentType: Apply = ({ parts }) => {
  parts.contentType = false;
};

const DAY_S = 86_400;

/** Ages of `_` at which readers are wrong, s. */
const AGES = [30, 60, 61, 119, 290, 300, 301, 330, 540, 545, 579, 582, 585, 588, 590] as const;

/** Ages in the test environment, which does not look at them, s. */
const ANY_AGES = [3_600, DAY_S, 366 * DAY_S, 20_000 * DAY_S] as const;

const SCOPE_SETS = [
  'public rides.read rides.request',
  'public profile',
  SCOPES.join(' '),
  'rides.read',
];

const TOKEN: readonly Row[] = [
  right('token', 'signature/key-order', 'with its fields in another order', inAnotherOrder),
  right('token', 'token/timestamp-fresh', 'with an older _', ({ fields }, around) => {
    const { random, facts } = around;
    const drawn = random.next() < 0.6 ? pick(AGES, random) : between(1, 590, random);
    const isTest = facts.environment === 'test';
    const ageS = isTest && random.next() < 0.7 ? pick(ANY_AGES, random) : drawn;
    fields['_'] = around.timestamp(ageS);
  }),
  ...FORMS.map((form) =>
    open(
      'token',
      'token/timestamp-fresh',
      `with _ ${form}`,
      ({ fields }, around) => {
        fields['_'] = around.timestamp(between(2, 580, around.random), form);
      },
      `_ ${form}`,
    ),
  ),
  right('token', 'token/nostr-alphabet', 'with a nostr in lower case', ({ fields }) => {
    fields['nostr'] = String(fields['nostr']).toLowerCase();
  }),
  right('token', 'token/nostr-alphabet', 'with a nostr in upper case', ({ fields }) => {
    fields['nostr'] = String(fields['nostr']).toUpperCase();
  }),
  right('token', 'token/nostr-alphabet', 'with a nostr of digits', ({ fields }, { random }) => {
    fields['nostr'] = random.text(6, '0123456789');
  }),
  ...(['platform', 'user'] as const).map((on) =>
    right(on, 'token/scope-echo', 'with the scope public', (draft) =>
      adding(draft, 'scope', 'public'),
    ),
  ),
  ...SCOPE_SETS.flatMap((set) =>
    (['platform', 'user'] as const).map((on) =>
      open(
        on,
        'token/scope-echo',
        `with the scopes ${set} in some order`,
        (draft, { random }) => adding(draft, 'scope', shuffled(set.split(' '), random).join(' ')),
        `scopes ${set} of a ${on}`,
      ),
    ),
  ),
  open(
    'refresh',
    'token/scope-echo',
    'with the scope of its token',
    (draft, { sourceScope }) => sourceScope !== null && adding(draft, 'scope', sourceScope),
    'scope at a refresh',
  ),
  right('token', 'token/json-body', 'with its JSON spaced', (draft, { random }) => {
    const space = pick([' ', '\n', '\t', '\r\n '], random);
    draft.write = (json) => `${space}${json.replace('{', `{${space}`)}${space}`;
  }),
  right('token', 'token/json-body', 'with letters of its JSON escaped', (draft) => {
    draft.write = (json) => json.replace('nostr', 'n\\u006fstr').replace('_type', '\\u005ftype');
  }),
  open(
    'token',
    'signature/valid-accepted',
    'with a field of another grant',
    (draft, { random }) => {
      const isRefresh = 'refresh_token' in draft.fields;
      return adding(draft, isRefresh ? 'auth_code' : 'refresh_token', random.text(12));
    },
    'field of another grant',
  ),
  // Whether a refresh may name a scope is open as well.
  ...(['platform', 'user', 'refresh'] as const).map((on) =>
    open(
      on,
      'signature/empty-skipped',
      'with an empty scope',
      (draft) => adding(draft, 'scope', ''),
      `empty scope of a ${on}`,
    ),
  ),
  open(
    'token',
    'signature/valid-accepted',
    'with its signature in capitals',
    ({ parts }) => {
      parts.authorization = (id, signature) => `Bearer ${id}|${signature.toUpperCase()}`;
    },
    'capitals',
  ),
  open(
    'token',
    'token/json-body',
    'with a Content-Type that names a charset',
    ({ parts }) => {
      parts.contentType = 'application/json; charset=utf-8';
    },
    'charset',
  ),
  open('token', 'token/json-body', 'without a Content-Type', withoutContentType, 'no Content-Type'),
];

/** An IMEI with its check digit. */
function imei(random: { text: (length: number, alphabet: string) => string }): string {
  const digits = `35${random.text(12, '0123456789')}`;
  const sum = Array.from(digits).reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const RULES_OF_SHAPES: Readonly<Record<string, string>> = {
  plain: 'estimate/private-car',
  express: 'estimate/express-car',
};

/** Names of places, by what their spelling in a query needs. */
const placed =
  (names: readonly string[]): Apply =>
  ({ fields }, { random }) => {
    fields['from_name'] = pick(names, random);
    fields['to_name'] = pick(names, random);
  };

/** Classes of names that a target may sign as the query spells them. */
const SPELLED = [
  ['place names with spaces', PLACES.encoded, 'estimate/platform'],
  ['place names of any script', PLACES.scripts, 'estimate/non-ascii-names'],
] as const;

const ESTIMATE: readonly Row[] = [
  right(
    'platform-estimate',
    'estimate/platform',
    'with its parameters in another order',
    inAnotherOrder,
  ),
  right(
    'user-estimate',
    'signature/key-order',
    'with its signed parameters in another order',
    inAnotherOrder,
  ),
  right('estimate', 'estimate/imei-optional', 'with an imei', ({ fields }, { random }) => {
    fields['imei'] = imei(random);
  }),
  right('estimate', 'estimate/map-type-optional', 'with the map_type soso', ({ fields }) => {
    fields['map_type'] = optionalParameters(0).map_type;
  }),
  right('estimate', 'estimate/departure-time', 'with a departure_time', ({ fields }, around) => {
    const { random } = around;
    const atS = Math.floor(around.now() / 1000) + between(1_000, 9_000, random);
    fields['departure_time'] = String(random.next() < 0.3 ? Math.ceil(atS / 60) * 60 : atS);
  }),
  right('estimate', 'estimate/platform', 'with plain place names', placed(PLACES.plain)),
  ...SPELLED.flatMap(([what, names, rule]) => [
    right('platform-estimate', rule, `with ${what}`, placed(names)),
    open(
      'user-estimate',
      rule,
      `with ${what} of a user`,
      placed(names),
      'query values signed decoded',
    ),
  ]),
  right('estimate', 'estimate/platform', 'with places nearby', ({ fields }, { random }) => {
    for (const name of COORDINATES) {
      const at = Number(fields[name]) + (random.next() - 0.5) / 250;
      fields[name] = at.toFixed(between(3, 6, random));
    }
  }),
  open(
    'estimate',
    'estimate/coordinates-numeric',
    'with a coordinate in another notation',
    ({ fields }, { random }) => {
      const name = pick(COORDINATES, random);
      const at = Number(fields[name]);
      const notations = [`+${at}`, at.toExponential(), `${at}0`, `0${at}`, at.toFixed(0)];
      fields[name] = pick(notations, random);
    },
  ),
  ...SHAPES.map((shape) =>
    right(
      'estimate',
      RULES_OF_SHAPES[shape] ?? 'estimate/platform',
      `in the shape ${shape}`,
      ({ fields, session, parts }) => {
        const of = session.client.target.estimates[shape];
        Object.assign(fields, of);
        parts.shape = shape;
        return of !== undefined;
      },
    ),
  ),
  open('estimate', 'estimate/platform', 'without a Content-Type', withoutContentType),
];

/** Classes of which a service may take one and refuse another: for its length, or as a firewall for its signs. */
const UNEVEN: ReadonlySet<string> = new Set(['long texts', 'signs', 'quotes and backslashes']);

/** A field that the interface does not name, whose value enters the signature as any. */
const further = (
  on: 'token' | 'user-estimate',
  what: string,
  step: string,
  names: readonly string[],
  values: readonly unknown[],
): Row =>
  open(
    on,
    `signature/${step}`,
    `with a further field: ${what}`,
    (draft, { random }) => adding(draft, pick(names, random), pick(values, random)),
    UNEVEN.has(what) ? undefined : `further field of a ${on}: ${what}`,
  );

const FURTHER: readonly Row[] = (['token', 'user-estimate'] as const).flatMap((on) => [
  ...(on === 'token' ? [...TEXTS, ...VALUES] : TEXTS).map(([what, step, values]) =>
    further(on, what, step, NAMES.words, values),
  ),
  ...Object.entries(NAMES).map(([what, names]) => {
    const step = what === 'spaces around' ? 'trimmed' : 'key-order';
    return further(on, `a name of ${what}`, step, names, PLAIN);
  }),
]);

/** Ways to vary a request that the interface allows, or says nothing of. */
export const RIGHT_ROWS: readonly Row[] = [...TOKEN, ...ESTIMATE, ...FURTHER];
