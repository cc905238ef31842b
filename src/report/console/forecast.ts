import type { ForecastDocument } from '../../documents/forecast.ts';
import { areaOf } from '../../interface/catalogue.ts';
import { escapeTerminalLine } from '../escape.ts';
import { groupBy } from '../text/group-by.ts';
import { aligned, section, wrapped } from './layout.ts';

type OpenRule = ForecastDocument['untestable'][number];
type LeftOut = ForecastDocument['leftOut'][number];
type PartnerForecast = ForecastDocument['partners'][number];

/** Width of lines that go to no terminal. */
const FILE_WIDTH = 100;

/**
 * Renders a forecast: what is judged, what each partner spends, and what is not judged, grouped by what
 * would have it judged.
 *
 * @param isEmbedded true if the target is the embedded server
 * @param columns width of the terminal; left out, 100
 */
export function forecastText(
  forecast: ForecastDocument,
  {
    isEmbedded,
    columns = FILE_WIDTH,
  }: { readonly isEmbedded: boolean; readonly columns?: number | undefined },
): string[] {
  const { target, suite } = forecast;
  const { judged, pending, inconclusive, untestable, partners, leftOut } = forecast;
  const wrap = (text: string, indent = 0): string[] =>
    wrapped(' '.repeat(indent) + escapeTerminalLine(text), columns);
  const total = [judged, pending, inconclusive, untestable].reduce(
    (sum, { length }) => sum + length,
    0,
  );
  const counts = [
    `${judged.length} of ${total} rules judged`,
    ...(pending.length > 0 ? [`${pending.length} pending`] : []),
    ...(inconclusive.length > 0 ? [`${inconclusive.length} without a result`] : []),
    ...(untestable.length > 0 ? [`${untestable.length} untestable`] : []),
  ];
  const open = (rules: readonly OpenRule[]): string[] =>
    [...groupBy(rules, ({ reason, remedy }) => `${reason}\n${remedy}`).values()].flatMap(
      (group) => [
        ...wrap(`- ${group[0].reason}`, 2),
        ...(group[0].remedy === '' ? [] : wrap(`to judge: ${group[0].remedy}`, 4)),
        ...byArea(group.map(({ rule }) => rule)).flatMap((line) => wrap(line, 4)),
      ],
    );
  return [
    ...wrap(
      `Forecast for ${target.name} (${target.baseUrl}), suite ${suite}: ${counts.join(', ')}.`,
    ),
    ...wrap(
      isEmbedded
        ? 'The run was rehearsed on the embedded server itself.'
        : 'Nothing was sent to it. The run was rehearsed with this profile on the reference server, which follows every rule.',
    ),
    '',
    ...(partners.length > 0
      ? [
          ...partnerTable(partners),
          ...wrap(
            'A target that breaks rules may be sent more, within what is left. Only a partner that ends banned is sent more than that.',
          ),
        ]
      : wrap('Each check has a fresh partner of the control API: the profile spends nothing.')),
    ...partners.flatMap(({ partner, rules }) =>
      section(
        `Judged with ${partner} (${rules.length}):`,
        byArea(rules).flatMap((line) => wrap(line, 2)),
      ),
    ),
    ...(partners.length === 0
      ? section(
          `Judged (${judged.length}):`,
          byArea(judged).flatMap((line) => wrap(line, 2)),
        )
      : []),
    ...section(`Pending (${pending.length}):`, open(pending)),
    ...section(`Tried without a result (${inconclusive.length}):`, open(inconclusive)),
    ...section(`Untestable (${untestable.length}):`, open(untestable)),
    ...section(
      'Left out of rules that are judged, for want of allowance or requests:',
      [...groupBy(leftOut, ({ carriers }) => carriers.toSorted().join()).values()].flatMap(
        (group) => [
          ...wrap(`- ${whereLeftOut(group[0])}`, 2),
          ...byArea(group.map(({ rule, parts, of }) => `${rule} (${parts} of ${of})`)).flatMap(
            (line) => wrap(line, 4),
          ),
        ],
      ),
    ),
  ];
}

/** Words for the requests on which nothing of a rule is sent. */
function whereLeftOut({ carriers }: LeftOut): string {
  if (carriers.length === 0) return 'further requests of a kind that was tried';
  return `further requests; not tried: ${carriers.toSorted().join(', ')}`;
}

const KINDS = ['platform', 'user', 'refresh', 'codes'] as const;

const AFTER = { banned: 'banned', 'used-up': 'used up for a day' } as const;

function partnerTable(partners: readonly PartnerForecast[]): string[] {
  const header = ['partner', 'platform', 'user', 'refresh', 'auth codes', 'then'];
  const rows = partners.map(({ partner, spends, left, after }) => [
    partner,
    ...KINDS.map((kind) => `${spends[kind]} of ${left[kind]}`),
    after === null ? '' : AFTER[after],
  ]);
  return aligned([header, ...rows]);
}

/** A line for each area, such as `quota: ban-lifts, per-partner`. */
function byArea(ids: readonly string[]): string[] {
  return [...groupBy(ids, areaOf)].map(
    ([area, some]) => `${area}: ${some.map((id) => id.slice(area.length + 1)).join(', ')}`,
  );
}
