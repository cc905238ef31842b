import { SCOPES } from '../../../interface/limits.ts';
import { SHAPES, type Shape } from '../contract/target.ts';
import type { TimeForm } from '../contract/time-forms.ts';
import { COORDINATES } from '../rules/estimate/checks.ts';
import { between, type Draft, grantOf, isUserEstimate, pick, type Row } from './row.ts';
import { NAMES, PLACES, TEXTS, VALUES } from './texts.ts';

const DAY_S = 86_400;

/** Ages of `_` at which readers are wrong, s. */
const AGES = [30, 60, 61, 119, 290, 300, 301, 330, 540, 545, 579, 582, 585, 588, 590] as const;

/** Ages in the test environment, which does not look at them, s. */
const ANY_AGES = [3_600, DAY_S, 366 * DAY_S, 20_000 * DAY_S] as const;

const FORMS: readonly TimeForm[] = [
  'with a fraction and with Z',
  'with +00:00',
  'with a fraction and with +00:00',
  'with +08:00',
  'with -05:00',
  'with +05:30',
  'with the fraction .000',
  'with the fraction .250',
];

/** Sets a parameter where the request has none by that name. */
const adding = (draft: Draft, name: string, value: unknown): boolean => {
  if (name.trim() in draft.fields || name in draft.fields) return false;
  draft.fields[name] = value;
  return true;
};

const shuffled: Row['apply'] = (draft, { random }) => {
  const entries = Object.entries(draft.fields).map((entry) => ({ entry, at: random.next() }));
  entries.sort((a, b) => a.at - b.at);
  draft.fields = Object.fromEntries(entries.map(({ entry }) => entry));
};

const TOKEN: readonly Row[] = [
  {
    name: 'with its fields in another order',
    on: 'token',
    is: 'right',
    rule: 'signature/key-order',
    apply: shuffled,
  },
  {
    name: 'with an older _',
    on: 'token',
    is: 'right',
    rule: 'token/timestamp-fresh',
    apply: ({ fields, session }, { random, nowMs, isTest }) => {
      const drawn = random.next() < 0.6 ? pick(AGES, random) : between(1, 590, random);
      const ageS = isTest && random.next() < 0.7 ? pick(ANY_AGES, random) : drawn;
      fields['_'] = session.client.stamp.textOf(Math.max(0, nowMs - ageS * 1000));
    },
  },
  ...FORMS.map(
    (form): Row => ({
      name: `with _ ${form}`,
      on: 'token',
      is: 'open',
      learns: `_ ${form}`,
      rule: 'token/timestamp-fresh',
      apply: ({ fields, session }, { random, nowMs }) => {
        fields['_'] = session.client.stamp.textOf(nowMs - between(2, 580, random) * 1000, form);
      },
    }),
  ),
  ...(['toLowerCase', 'toUpperCase'] as const).map(
    (change): Row => ({
      name: `with a nostr in ${change === 'toLowerCase' ? 'lower' : 'upper'} case`,
      on: 'token',
      is: 'right',
      rule: 'token/nostr-alphabet',
      apply: ({ fields }) => {
        fields['nostr'] = String(fields['nostr'])[change]();
      },
    }),
  ),
  {
    name: 'with the scope public',
    on: 'token',
    is: 'right',
    rule: 'token/scope-echo',
    for: (step) => grantOf(step) !== 'refresh',
    apply: (draft) => adding(draft, 'scope', 'public'),
  },
  ...['public rides.read rides.request', 'public profile', SCOPES.join(' '), 'rides.read'].flatMap(
    (set): Row[] => [
      {
        name: `with the scopes ${set} in some order`,
        on: 'token',
        is: 'open',
        learns: `scopes ${set}`,
        rule: 'token/scope-echo',
        apply: (draft, { random }) => {
          const scopes = set.split(' ').map((scope) => ({ scope, at: random.next() }));
          const sorted = scopes.sort((a, b) => a.at - b.at).map(({ scope }) => scope);
          return adding(draft, 'scope', sorted.join(' '));
        },
      },
    ],
  ),
  {
    name: 'with its JSON spaced',
    on: 'token',
    is: 'right',
    rule: 'token/json-body',
    apply: (draft, { random }) => {
      const space = pick([' ', '\n', '\t', '\r\n '], random);
      draft.write = (json) => `${space}${json.replace('{', `{${space}`)}${space}`;
    },
  },
  {
    name: 'with letters of its JSON escaped',
    on: 'token',
    is: 'right',
    rule: 'token/json-body',
    apply: (draft) => {
      draft.write = (json) => json.replace('nostr', 'n\\u006fstr').replace('_type', '\\u005ftype');
    },
  },
  {
    name: 'with a field of another grant',
    on: 'token',
    is: 'open',
    learns: 'field of another grant',
    rule: 'signature/valid-accepted',
    apply: (draft, { random }) => {
      const name = grantOf(draft.step) === 'refresh' ? 'auth_code' : 'refresh_token';
      return adding(draft, name, random.text(12));
    },
  },
  {
    name: 'with an empty scope',
    on: 'token',
    is: 'open',
    learns: 'empty scope',
    rule: 'signature/empty-skipped',
    apply: (draft) => adding(draft, 'scope', ''),
  },
  {
    name: 'with its signature in capitals',
    on: 'token',
    is: 'open',
    learns: 'capitals',
    rule: 'signature/valid-accepted',
    apply: ({ parts }) => {
      parts.authorization = (id, signature) => `Bearer ${id}|${signature.toUpperCase()}`;
    },
  },
  ...(['application/json; charset=utf-8', false] as const).map(
    (type): Row => ({
      name: type === false ? 'without a Content-Type' : `with the Content-Type ${type}`,
      on: 'token',
      is: 'open',
      learns: `type ${type}`,
      rule: 'token/json-body',
      apply: ({ parts }) => {
        parts.contentType = type;
      },
    }),
  ),
];

const ofShape = (shape: Shape): string =>
  shape === 'plain'
    ? 'estimate/private-car'
    : shape === 'express'
      ? 'estimate/express-car'
      : 'estimate/platform';

/** An IMEI with its check digit. */
function imei(random: { text: (length: number, alphabet: string) => string }): string {
  const digits = `35${random.text(12, '0123456789')}`;
  const sum = Array.from(digits).reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const places = (
  what: string,
  names: readonly string[],
  rule: string,
  more: Pick<Row, 'for' | 'is'> & Pick<Row, 'learns'>,
): Row => ({
  name: `with ${what}`,
  on: 'estimate',
  rule,
  ...more,
  apply: ({ fields }, { random }) => {
    fields['from_name'] = pick(names, random);
    fields['to_name'] = pick(names, random);
  },
});

const DECODED = 'query values signed decoded';

const ESTIMATE: readonly Row[] = [
  ...(
    [
      ['with its parameters in another order', 'estimate/platform', false],
      ['with its signed parameters in another order', 'signature/key-order', true],
    ] as const
  ).map(
    ([name, rule, isUser]): Row => ({
      name,
      on: 'estimate',
      for: (step) => isUserEstimate(step) === isUser,
      is: 'right',
      rule,
      apply: shuffled,
    }),
  ),
  {
    name: 'with an imei',
    on: 'estimate',
    is: 'right',
    rule: 'estimate/imei-optional',
    apply: ({ fields }, { random }) => {
      fields['imei'] = imei(random);
    },
  },
  {
    name: 'with the map_type soso',
    on: 'estimate',
    is: 'right',
    rule: 'estimate/map-type-optional',
    apply: ({ fields }) => {
      fields['map_type'] = 'soso';
    },
  },
  {
    name: 'with a departure_time',
    on: 'estimate',
    is: 'right',
    rule: 'estimate/departure-time',
    apply: ({ fields }, { random, nowMs }) => {
      const atS = Math.floor(nowMs / 1000) + between(1_000, 9_000, random);
      fields['departure_time'] = String(random.next() < 0.3 ? Math.ceil(atS / 60) * 60 : atS);
    },
  },
  places('plain place names', PLACES.plain, 'estimate/platform', { is: 'right' }),
  ...[true, false].flatMap((isUser): Row[] => {
    const step: Pick<Row, 'for' | 'is' | 'learns'> = isUser
      ? { for: isUserEstimate, is: 'open', learns: DECODED }
      : { for: (one) => !isUserEstimate(one), is: 'right' };
    const of = isUser ? ' of a user' : '';
    return [
      places(`place names with spaces${of}`, PLACES.encoded, 'estimate/platform', step),
      places(`place names of any script${of}`, PLACES.scripts, 'estimate/non-ascii-names', step),
    ];
  }),
  {
    name: 'with places nearby',
    on: 'estimate',
    is: 'right',
    rule: 'estimate/platform',
    apply: ({ fields }, { random }) => {
      for (const name of COORDINATES) {
        const at = Number(fields[name]) + (random.next() - 0.5) / 250;
        fields[name] = at.toFixed(between(3, 6, random));
      }
    },
  },
  {
    name: 'with a coordinate in another notation',
    on: 'estimate',
    is: 'open',
    rule: 'estimate/coordinates-numeric',
    apply: ({ fields }, { random }) => {
      const name = pick(COORDINATES, random);
      const at = Number(fields[name]);
      fields[name] = pick(
        [`+${at}`, at.toExponential(), `${at}0`, `0${at}`, at.toFixed(0)],
        random,
      );
    },
  },
  ...SHAPES.map(
    (shape): Row => ({
      name: `in the shape ${shape}`,
      on: 'estimate',
      is: 'right',
      rule: ofShape(shape),
      apply: ({ fields, session, parts }) => {
        const of = session.client.target.estimates[shape];
        if (!of) return false;
        Object.assign(fields, of);
        parts.shape = shape;
        return true;
      },
    }),
  ),
  {
    name: 'without a Content-Type',
    on: 'estimate',
    is: 'open',
    rule: 'estimate/platform',
    apply: ({ parts }) => {
      parts.contentType = false;
    },
  },
];

/** Steps of the signature that a class of values shows. */
const STEP_OF: Readonly<Record<string, string>> = {
  'spaces around': 'trimmed',
  'tabs and line breaks around': 'trimmed',
  'letters of other scripts': 'utf8',
  'right-to-left letters': 'utf8',
  emoji: 'utf8',
  'combining marks': 'utf8',
  ampersands: 'ampersands-stripped',
  zero: 'zero-kept',
  'empty texts': 'empty-skipped',
  lists: 'array-json',
  'nested lists': 'array-json',
};

/** Fields that the interface does not name, whose values enter the signature as any. */
const FURTHER: readonly Row[] = (['token', 'estimate'] as const).flatMap((on) => {
  const withField = (
    what: string,
    rule: string,
    names: readonly string[],
    values: readonly unknown[],
  ): Row => ({
    name: `with a further field: ${what}`,
    on,
    is: 'open',
    rule: `signature/${rule}`,
    // How long a request may be is open as well.
    ...(what === 'long texts' ? {} : { learns: `further field: ${what}` }),
    ...(on === 'estimate' ? { for: isUserEstimate } : {}),
    apply: (draft, { random }) => adding(draft, pick(names, random), pick(values, random)),
  });
  const values = on === 'token' ? { ...TEXTS, ...VALUES } : TEXTS;
  return [
    ...Object.entries(values).map(([what, some]) =>
      withField(what, STEP_OF[what] ?? 'valid-accepted', NAMES['words'] ?? [], some),
    ),
    ...Object.entries(NAMES).map(([what, names]) =>
      withField(
        `a name of ${what}`,
        what === 'spaces around' ? 'trimmed' : 'key-order',
        names,
        TEXTS['plain'] ?? [],
      ),
    ),
  ];
});

/** Ways to vary a request that the interface allows, or says nothing of. */
export const RIGHT_ROWS: readonly Row[] = [...TOKEN, ...ESTIMATE, ...FURTHER];
