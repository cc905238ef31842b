import { ALLOWANCE_KINDS } from '../../interface/limits.ts';
import type { Reading, Request } from './allowance-reading.ts';
import { groupedBy, isBefore, requestedScope } from './asked.ts';
import { type Circumstance, distinctionOf } from './distinction.ts';

/** A request beyond an allowance, and what was surely accepted of it before. */
interface Beyond {
  readonly asked: Request;
  readonly counted: readonly Request[];
  readonly requests: readonly Request[];
}

/** Circumstances of a request beyond an allowance for which a service may forget to refuse it, in words. */
const CIRCUMSTANCES: readonly Circumstance<Beyond>[] = [
  [
    'sent at once with others',
    ({ asked, requests }) =>
      requests.some((one) => one.kind === asked.kind && one !== asked && areAtOnce(one, asked)),
  ],
  [
    'with another scope than those before it',
    ({ asked, counted }) => counted.every((one) => namedScope(one) !== namedScope(asked)),
  ],
  [
    'with the tokens of several chains of refreshes',
    ({ asked, counted, requests }) =>
      asked.kind === 'refresh' &&
      new Set([asked, ...counted].map((one) => chainOf(one, requests))).size > 1,
  ],
  ...ALLOWANCE_KINDS.map(
    (kind) =>
      [
        `once it had accepted a ${kind} token request as well`,
        ({ asked, counted, requests }: Beyond) =>
          kind !== asked.kind &&
          requests.some(
            (one) =>
              one.kind === kind &&
              one.partner === asked.partner &&
              one.outcome === 'accepted' &&
              counted[0] !== undefined &&
              isBefore(counted[0], one) &&
              isBefore(one, asked),
          ),
      ] as const,
  ),
];

const namedScope = (one: Request): string => requestedScope(one) ?? 'public';

const areAtOnce = (one: Request, other: Request): boolean =>
  one.partner === other.partner &&
  one.wallMs < other.wallMs + (other.answeredMs - other.sentMs) &&
  other.wallMs < one.wallMs + (one.answeredMs - one.sentMs);

/** Id of the request by which a chain of refreshes began. */
function chainOf(asked: Request, requests: readonly Request[]): string {
  const by = requests.find(
    ({ got }) => got.refreshToken !== null && got.refreshToken === asked.sent.refreshToken,
  );
  return by && by.sent.refreshToken !== null ? chainOf(by, requests) : (by?.id ?? asked.id);
}

/**
 * Circumstances in which requests beyond an allowance were accepted, and none was refused at the same place of a day, in
 * words.
 */
export function beyondCause(
  asked: Request,
  counted: readonly Request[],
  requests: readonly Request[],
  { day }: Reading,
): string {
  const partners = groupedBy(requests, ({ partner }) => partner);
  const alike = [...partners.values()].flatMap((own) => {
    const ofKind = own.filter(({ kind }) => kind === asked.kind);
    const accepted = ofKind.filter(({ outcome }) => outcome === 'accepted');
    return ofKind.flatMap((one): Beyond[] => {
      const before = accepted.filter(
        (other) => isBefore(other, one) && day.isSure(other, one, accepted),
      );
      // What follows a refusal may be banned.
      const isLater = ofKind.some(
        (other) =>
          other.outcome === 'refused' &&
          isBefore(other, one) &&
          before.every((earlier) => isBefore(earlier, other)),
      );
      const isAlike = before.length === counted.length && !isLater;
      return isAlike ? [{ asked: one, counted: before, requests }] : [];
    });
  });
  const having = (outcome: Request['outcome']): Beyond[] =>
    alike.filter((one) => one.asked.outcome === outcome);
  return distinctionOf(having('accepted'), having('refused'), CIRCUMSTANCES);
}
