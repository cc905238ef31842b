import type { Exchange } from '../../../documents/exchange.ts';
import type { Answer, TokenAttempt } from '../contract/messages.ts';
import type { TimeForm } from '../contract/time-forms.ts';
import { sentFields } from '../recheck/stored-session.ts';
import { filled, textsOf } from '../wire/recipe.ts';
import type { Session } from '../wire/session.ts';
import { alteredSignature } from '../wire/signed-text.ts';
import { USUAL_FORM } from '../wire/time-form.ts';
import { anewOf, type NewText } from './former-run.ts';

/** A request that was made again by its recipe. */
export interface MadeAgain {
  /** Words for what is new. */
  readonly renewed: readonly string[];
  /** Words for what is as it was, though it is new in other requests. */
  readonly kept: readonly string[];
  /** Sends it; what is given takes the place of what the former exchange has. */
  send(label?: Partial<Pick<TokenAttempt, 'purpose' | 'wellFormed'> & Exchange>): Promise<Answer>;
}

/** Values that take the place of former ones. */
export interface NewValues {
  /** Sessions by the former ids of their partners. */
  readonly sessions: ReadonlyMap<string, Session>;
  /** Tokens and auth codes by the texts of the former ones. */
  readonly secrets: ReadonlyMap<string, string>;
}

/**
 * Makes a request again by its recipe.
 *
 * @param formerUrl base URL of the target that it was sent to
 */
export function makeAgain(
  exchange: Exchange,
  formerUrl: string,
  session: Session,
  { sessions, secrets }: NewValues,
): MadeAgain {
  const { clock, random, stamp } = session.client;
  const anew = anewOf(exchange);
  const valueOf = ({ text, is, secondsAgo = 0, form = USUAL_FORM }: NewText): string => {
    if (is === 'time') return stamp.textOf(clock.now() - secondsAgo * 1000, form as TimeForm);
    return is === 'nostr' ? random.nostr() : (secrets.get(text) ?? text);
  };
  const values = anew.map((one) => ({ ...one, value: valueOf(one) }));
  const former = textsOf(exchange);
  const partners = Array.from(sessions, ([id, { partner }]) => [id, partner.id] as const).filter(
    ([id]) => former.authorization?.includes(id),
  );
  const { authorization } = filled({ ...former, url: '', body: null, signed: null }, partners);
  const unsigned = filled(
    { ...former, authorization },
    values.map(({ text, value }) => [text, value]),
  );
  const other = sessions.get(exchange.otherPartner ?? '');
  const signature = signatureOf(exchange, unsigned.signed, session, other);
  const signatures = anew.filter(({ is }) => is === 'signature');
  const ready = filled(
    unsigned,
    signatures.map(({ text }) => [text, signature ?? '']),
  );
  return {
    renewed: [
      ...partners.filter(([id, now]) => id !== now).map(([id, now]) => `partner ${id} → ${now}`),
      ...values.map(({ is, text, value }) => {
        if (is === 'time' || is === 'nostr') return `${is} ${text} → ${value}`;
        return is === 'signature' ? is : `${is}: obtained anew`;
      }),
    ],
    kept: keptWords(exchange),
    send: (label = {}) => {
      const { purpose, expects, part = { number: 1 } } = { ...exchange, ...label };
      const { authorization: header } = ready;
      const [path = '', query = ''] = ready.url.slice(formerUrl.length).split(/\?(.*)/s);
      const parameters = Object.fromEntries(new URLSearchParams(query));
      const type = exchange.request.headers['content-type'];
      const attempt = {
        purpose,
        expects,
        wellFormed: label.wellFormed,
        authorization: header === undefined ? null : () => header,
        ...(signature === null ? {} : { signature }),
        partnerId: header?.includes(session.partner.id)
          ? undefined
          : (other?.partner.id ?? 'nobody'),
      };
      if (ready.body !== null) {
        const inQuery = query === '' ? {} : { fields: parameters, inQuery: true as const };
        const contentType = type ?? false;
        return session.token(
          { ...tokenBody(ready.body), ...inQuery, ...attempt, contentType },
          part,
        );
      }
      const token = values.find(({ is }) => is === 'access_token');
      return session.estimate(
        {
          ...attempt,
          method: exchange.request.method,
          path,
          query: parameters,
          accessToken: token?.value ?? '',
          ...(signature === null ? {} : { as: 'user' as const }),
          ...(type === undefined ? { contentType: false as const } : {}),
        },
        part,
      );
    },
  };
}

/** Body of a token request as an attempt has it: fields, and the text where that is not their JSON. */
export function tokenBody(body: string): Pick<TokenAttempt, 'fields' | 'body' | 'purpose'> {
  const fields = sentFields({ request: { body } });
  const isPlain = fields !== null && JSON.stringify(fields) === body;
  return { purpose: '', fields: fields ?? {}, ...(isPlain ? {} : { body }) };
}

/** Signature of a text S, made and spoiled as the former one; null for a request without one. */
function signatureOf(
  { signed }: Exchange,
  text: string | null,
  { signer, partner: { id, signingKey } }: Session,
  other: Session | undefined,
): string | null {
  if (!signed || text === null) return null;
  const otherKey = other?.partner.signingKey ?? '';
  const keys = { own: signingKey, empty: '', 'partner-id': id, other: otherKey };
  const signature = signer.signText(text, keys[signed.key]);
  if (signed.alteration === undefined) return signature;
  return alteredSignature(signed.alteration, { signature, text, signingKey });
}

/** Words for what an exchange keeps that a well-formed one would not have, or would have anew. */
function keptWords(exchange: Exchange): string[] {
  const { request, signed } = exchange;
  const texts = anewOf(exchange).map(({ text }) => text);
  const fields = Object.entries(tokenBody(request.body ?? '').fields).filter(
    ([name, value]) => ['_', 'nostr'].includes(name) && !texts.includes(String(value)),
  );
  const words = fields.map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  if (!signed) return [...words, 'no signature'];
  const { key, alteration } = signed;
  if (key !== 'own')
    words.push(`signed with the ${key === 'empty' ? 'empty key' : "partner's id as key"}`);
  if (alteration !== undefined) words.push(`the signature is not the right one: ${alteration}`);
  return words;
}
