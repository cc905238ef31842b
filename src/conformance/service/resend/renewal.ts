import type { Exchange } from '../../../documents/sealed.ts';
import { movedTime } from './moved-time.ts';

/** Values that take the place of former ones. */
export interface NewValues {
  /** Time that has passed since the exchange was sent, by the clocks of both targets, in ms. */
  readonly byMs: number;
  /** Time at which it was sent, in ms since the epoch. */
  readonly sentAtMs: number;
  readonly nostr: string;
  /** Partner ids to send, by those that were sent. */
  readonly partnerIds: ReadonlyMap<string, string>;
  /** Tokens and auth codes by pseudonym. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** A stored request with new values, but for its signature. */
export interface RenewedRequest {
  /** Part of the URL after the base URL. */
  readonly path: string;
  readonly body: string | null;
  /** Text S; null for a request without a signature. */
  readonly signedText: string | null;
  /** Authorization header, the signature still as its pseudonym; null for none. */
  readonly authorization: string | null;
  /** Words for what is new. */
  readonly renewed: readonly string[];
  /** Words for what stays as it was, though it is new in other requests. */
  readonly kept: readonly string[];
}

const USUAL_NOSTR = /^[0-9a-zA-Z]{6}$/;

/** Spelling of a value within a text that it is put into. */
type Spelling = (value: string) => string;

const inJson: Spelling = (value) => JSON.stringify(value).slice(1, -1);

/**
 * Puts new values into a stored request: times keep their distance from the time of sending, and what
 * was wrong on purpose stays wrong.
 *
 * @param path part of its URL after the base URL of its target
 * @throws UnknownTimeError for a time in a form that is not known
 */
export function renew({ request, signed }: Exchange, path: string, now: NewValues): RenewedRequest {
  const renewed: string[] = [];
  const kept: string[] = [];
  const signedText = signed?.text ?? null;
  const isJson = /^\s*[[{"]/.test(request.body ?? '');
  const spelling = isJson ? inJson : encodeURIComponent;
  const nostr = nostrIn(request.body ?? '', path, signedText);
  if (nostr.isRenewed) renewed.push(`nostr ${nostr.sent} → ${now.nostr}`);
  else if (nostr.sent !== null) kept.push(`nostr ${JSON.stringify(nostr.sent)}: ${nostr.why}`);
  const time = (name: string, sent: string): string => {
    const moved = movedTime(sent, now.byMs, now.sentAtMs);
    if (moved === null) throw new UnknownTimeError(name, sent);
    const words =
      moved === sent
        ? `${name} ${JSON.stringify(sent)}: has no time in it`
        : `${name} ${sent} → ${moved}`;
    const list = moved === sent ? kept : renewed;
    if (!list.includes(words)) list.push(words);
    return moved;
  };
  const values = (name: string, sent: string): string => {
    if (name === 'nostr') return nostr.isRenewed && sent === nostr.sent ? now.nostr : sent;
    return name === 'departure_time' && !/\d{4}/.test(sent) ? sent : time(name, sent);
  };
  const inFields = (text: string): string =>
    text.replace(FORM_FIELD, (_whole, start: string, name: string, value: string) => {
      const sent = decoded(value);
      const next = values(name, sent);
      return `${start}${name}=${next === sent ? value : encodeURIComponent(next)}`;
    });
  const inBody = (text: string): string =>
    isJson
      ? text.replace(
          JSON_FIELD,
          (_whole, start: string, name: string, quote: string, value: string) =>
            `${start}${quote}${values(name, value)}${quote}`,
        )
      : inFields(text);
  const inSigned = (text: string): string =>
    text.replace(
      FORM_FIELD,
      (_whole, start: string, name: string, value: string) =>
        `${start}${name}=${values(name, value)}`,
    );
  const secrets = (text: string, spell: Spelling): string =>
    [...now.secrets].reduce(
      (all, [pseudonym, secret]) => all.replaceAll(pseudonym, spell(secret)),
      text,
    );
  const header = request.headers['authorization'];
  const partners = [...now.partnerIds].filter(([former]) => header?.includes(former));
  for (const [former, partner] of partners) {
    if (partner !== former) renewed.push(`partner ${former} → ${partner}`);
  }
  return {
    path: secrets(inFields(path), encodeURIComponent),
    body: request.body === null ? null : secrets(inBody(request.body), spelling),
    signedText: signedText === null ? null : secrets(inSigned(signedText), String),
    authorization:
      header === undefined
        ? null
        : partners.reduce(
            (all, [former, partner]) => all.replaceAll(former, partner),
            secrets(header, String),
          ),
    renewed,
    kept,
  };
}

/** A field of a query, a form or a text S whose value is made anew. */
const FORM_FIELD = /(^|[?&])(_|nostr|departure_time)=([^&]*)/g;

/** The same in JSON, its value a text or a number. */
const JSON_FIELD = /("(_|nostr)"\s*:\s*)("?)((?:(?<=")(?:[^"\\]|\\.)*|\d+(?:\.\d+)?))\3/g;

/** The nostr of a request, and whether it is made anew: a wrong one, or one signed otherwise, is not. */
function nostrIn(
  body: string,
  path: string,
  signedText: string | null,
): { sent: string | null; isRenewed: boolean; why: string } {
  const sent = firstOf(
    /"nostr"\s*:\s*"?([^",}]*)"?/.exec(body) ?? /(?:^|[?&])nostr=([^&]*)/.exec(`${path}&${body}`),
  );
  const signed = firstOf(/(?:^|&)nostr=([^&]*)/.exec(signedText ?? ''));
  if (sent === null) return { sent, isRenewed: false, why: '' };
  if (!USUAL_NOSTR.test(sent))
    return { sent, isRenewed: false, why: 'does not have 6 digits and letters' };
  if (signed !== null && signed !== sent)
    return { sent, isRenewed: false, why: `${JSON.stringify(signed)} was signed` };
  return { sent, isRenewed: true, why: '' };
}

function firstOf(match: RegExpExecArray | null): string | null {
  return match?.[1] ?? null;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Thrown for a time in a form that is not known. */
export class UnknownTimeError extends Error {
  constructor(name: string, sent: string) {
    super(`its ${name} ${JSON.stringify(sent)} has a time in a form that cannot be dated anew`);
    this.name = 'UnknownTimeError';
  }
}
