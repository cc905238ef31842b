import type { Exchange } from '../../../documents/exchange.ts';
import type { Caller, CheckContext } from '../contract/check.ts';
import type { EstimateAnswer, TokenAnswer, TokenAttempt } from '../contract/messages.ts';
import type { TimeForm } from '../contract/time-forms.ts';
import { sentFields } from '../recheck/stored-session.ts';
import { filled, textsOf } from '../wire/recipe.ts';
import { Signer } from '../wire/requests.ts';
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
  readonly send: (
    label?: Partial<Pick<TokenAttempt, 'purpose' | 'wellFormed'>>,
  ) => Promise<TokenAnswer | EstimateAnswer>;
}

/** Values that take the place of former ones. */
export interface NewValues {
  /** Partners by the ids of the former ones. */
  readonly callers: ReadonlyMap<string, Caller>;
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
  ctx: CheckContext,
  caller: Caller,
  { callers, secrets }: NewValues,
): MadeAgain {
  const anew = anewOf(exchange);
  const valueOf = ({ text, is, secondsAgo, form = USUAL_FORM }: NewText): string => {
    if (is === 'time') return ctx.timestamp(secondsAgo, form as TimeForm);
    return is === 'nostr' ? ctx.random.nostr() : (secrets.get(text) ?? text);
  };
  const values = anew.map((one) => ({ ...one, value: valueOf(one) }));
  const former = textsOf(exchange);
  const partners = Array.from(callers, ([id, one]) => [id, one.id] as const).filter(([id]) =>
    former.authorization?.includes(id),
  );
  const { authorization } = filled({ ...former, url: '', body: null, signed: null }, partners);
  const unsigned = filled(
    { ...former, authorization },
    values.map(({ text, value }) => [text, value]),
  );
  const other = callers.get(exchange.otherPartner ?? '');
  const { signature, signing } = signatureOf(exchange, unsigned.signed, ctx, caller, other);
  const signatures = anew.filter(({ is }) => is === 'signature');
  const ready = filled(
    unsigned,
    signatures.map(({ text }) => [text, signature]),
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
      const { purpose, expects } = exchange;
      const { authorization: header } = ready;
      const [path = '', query = ''] = ready.url.slice(formerUrl.length).split(/\?(.*)/s);
      const parameters = Object.fromEntries(new URLSearchParams(query));
      const type = exchange.request.headers['content-type'];
      const attempt = {
        purpose,
        expects,
        wellFormed: expects === 'accepted',
        ...label,
        ...signing,
        authorization: header === undefined ? null : () => header,
        partnerId: header?.includes(caller.id) ? undefined : (other?.id ?? 'nobody'),
      };
      if (ready.body !== null) {
        const inQuery = query === '' ? {} : { fields: parameters, inQuery: true as const };
        const contentType = type ?? false;
        return caller.token({ ...tokenBody(ready.body), ...inQuery, ...attempt, contentType });
      }
      const token = values.find(({ is }) => is === 'access_token');
      return caller.estimate({
        ...attempt,
        method: exchange.request.method,
        path,
        query: parameters,
        accessToken: token?.value ?? '',
        ...(exchange.signed ? { as: 'user' as const } : {}),
        ...(type === undefined ? { contentType: false as const } : {}),
      });
    },
  };
}

/** Body of a token request as an attempt has it: fields, and the text where that is not their JSON. */
export function tokenBody(body: string): Pick<TokenAttempt, 'fields' | 'body' | 'purpose'> {
  const fields = sentFields({ request: { body } });
  const isPlain = fields !== null && JSON.stringify(fields) === body;
  return { purpose: '', fields: fields ?? {}, ...(isPlain ? {} : { body }) };
}

/** Signature of a text S, made and spoiled as the former one, and how a request gets it; empty without one. */
function signatureOf(
  { signed }: Exchange,
  text: string | null,
  { facts }: CheckContext,
  caller: Caller,
  other: Caller | undefined,
): {
  readonly signature: string;
  readonly signing: Pick<TokenAttempt, 'signature' | 'signedText' | 'signingKey'>;
} {
  if (!signed || text === null) return { signature: '', signing: {} };
  const { id, signingKey } = caller;
  const keys = { own: signingKey, empty: '', 'partner-id': id, other: other?.signingKey ?? '' };
  const key = keys[signed.key];
  const right = new Signer(caller, facts).signText(text, key);
  const { alteration } = signed;
  if (alteration === undefined)
    return { signature: right, signing: { signedText: text, signingKey: key } };
  const signature = alteredSignature(alteration, { signature: right, text, signingKey }) ?? '';
  return { signature, signing: { signature } };
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
