import type {
  ParsedAnswer,
  ParsedRequest,
  SignatureDiagnosis,
} from '../../../documents/parsed-request.ts';
import type { SignaturePairs } from '../../../interface/signature.ts';
import {
  type ProfileWithSecrets,
  Redactor,
  type SecretKind,
  type StreamPiece,
} from '../../../redaction/index.ts';
import { parseReceivedJson } from '../../parse-json.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { checkSignature, MOST_SEARCHED_FIELDS } from '../../signature/check-signature.ts';
import type { EarlierValues, SignedFields } from '../../signature/signing-context.ts';
import { parseRequest, type RequestParts } from '../parsing/request.ts';
import type { CapturedAnswer, CapturedExchange } from '../traffic/captured.ts';
import { exchangeRecord, type ParsedExchange, redactRequest } from './exchange-record.ts';
import { MisplacedSecrets, type ParsedPartner } from './misplaced-secrets.ts';
import { receivedTexts } from './received-texts.ts';

/** The setting of the traffic to be parsed. */
export interface ParserOptions extends SignatureOptions {
  readonly partners: readonly ParsedPartner[];
  /** The address that a client sends its requests to. */
  readonly baseUrlOf: (captured: CapturedExchange) => string;
  /** Profile of the target that a proxy forwards the requests to: it may answer with secrets of it. */
  readonly profile?: ProfileWithSecrets | undefined;
}

const ENCODED_TWICE = 'values are encoded twice: the signature covers them as decoded once more';

/** Parses the exchanges of a client into what rules judge and documents store; redacts secrets. */
export class ExchangeParser {
  readonly #options: ParserOptions;
  readonly #secrets: Secrets;
  readonly #signatures: SignatureChecker;
  readonly #misplaced: MisplacedSecrets;
  #count = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#secrets = new Secrets(options);
    this.#signatures = new SignatureChecker(options);
    this.#misplaced = new MisplacedSecrets(options.partners);
  }

  /** Redacts the output of a client. */
  redactPieces(pieces: readonly StreamPiece[]): string {
    return this.#secrets.redactor.redactPieces(pieces);
  }

  /** Learns the secrets of an exchange that is parsed later, so that earlier ones do not show them. */
  learn(captured: CapturedExchange): void {
    const { request, answer } = captured;
    this.#secrets.learn(captured, parseRequest(request), parseAnswer(answer?.body ?? ''));
  }

  /** Parses an exchange; call in the order of the requests. */
  parse(captured: CapturedExchange): ParsedExchange {
    const { request, answer, scenario, finishedMs } = captured;
    const parts = parseRequest(request);
    const { kind, path, authorization, body } = parts;
    const { parameters, encodingFault, encodingDoubt, inBody } = parts.query;
    const { partnerId } = authorization;
    const received = parseAnswer(answer?.body ?? '');
    this.#secrets.learn(captured, parts, received);
    const { redactor } = this.#secrets;
    const texts = receivedTexts(captured, parts);
    const signature = this.#signatures.check(captured, parts);
    const misplaced = this.#misplaced.in(captured, parts);
    this.#misplaced.learn(received);
    const retryAfterS = answer && retryAfterOf(answer, finishedMs);
    const { connection, delayMs, clockStepMs, clockSetByMs } = captured;
    const parsed: ParsedRequest = {
      id: `x${++this.#count}`,
      scenario,
      ...(captured.attempt !== undefined && { attempt: captured.attempt }),
      sender: captured.sender,
      ...(captured.isRedirected && { isRedirected: true }),
      receivedMs: request.receivedMs,
      finishedMs,
      ...(delayMs !== undefined && { delayMs }),
      ...(clockStepMs !== undefined && { clockStepMs }),
      ...(clockSetByMs !== undefined && { clockSetByMs }),
      ...(connection !== undefined && { connection }),
      kind: captured.isUnread || (captured.malformed && kind === 'other') ? 'malformed' : kind,
      method: request.method,
      path,
      contentType: request.headers['content-type'] ?? null,
      authorization,
      partnerKnown:
        partnerId === null ? null : this.#options.partners.some(({ id }) => id === partnerId),
      token: kind === 'token' && !captured.isUnread ? body : null,
      estimate:
        kind === 'estimate'
          ? {
              parameters,
              encodingFault: encodingFault ?? (signature?.encodedTwice ? ENCODED_TWICE : null),
              ...(encodingDoubt !== undefined && { encodingDoubt }),
              ...(inBody && { inBody }),
            }
          : null,
      signature,
      ...(misplaced.length > 0 && { misplaced }),
      answer: {
        status: answer?.status ?? null,
        whole: finishedMs !== null,
        ...received,
        ...(typeof retryAfterS === 'number' && { retryAfterS }),
        ...(answer && answer.status !== 200 && { refusal: refusalText(answer.body) }),
      },
      stimuli: captured.stimuli,
      ...(captured.overlaps !== undefined && { overlaps: captured.overlaps }),
    };
    const baseUrl = this.#options.baseUrlOf(captured);
    return exchangeRecord(captured, redactRequest(parsed, redactor), baseUrl, redactor, {
      sent: redactor.redactReceived(texts.sentBody),
      received: redactor.redactReceived(texts.answerBody),
    });
  }
}

/**
 * The secrets of a client's traffic, of all scenarios together: a client may keep a token from one run to
 * the next, and write it down in another.
 */
class Secrets {
  readonly redactor: Redactor = new Redactor();

  constructor({ partners, profile }: Pick<ParserOptions, 'partners' | 'profile'>) {
    this.redactor.addProfile({ ...profile, partners });
  }

  /** Adds the secrets of an exchange. */
  learn(
    captured: CapturedExchange,
    parts: RequestParts,
    answer: Pick<ParsedAnswer, 'accessToken' | 'refreshToken'>,
  ): void {
    const { kind, authorization } = parts;
    const { fields } = parts.body;
    const add = (as: SecretKind, secret: unknown): void => {
      if (typeof secret === 'string' && secret !== '') this.redactor.add(as, secret);
    };
    const { form, second, userToken, salvagedSignature } = authorization;
    add('access_token', answer.accessToken);
    add('refresh_token', answer.refreshToken);
    add('refresh_token', fields['refresh_token']);
    add('auth_code', fields['auth_code']);
    add('access_token', userToken);
    add(kind === 'estimate' && form === 'pair' ? 'access_token' : 'signature', second);
    add('signature', salvagedSignature);
    for (const text of Object.values(receivedTexts(captured, parts))) this.redactor.suspect(text);
  }
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** Parses an answer's body for tokens and estimates, whatever its status. */
export function parseAnswer(body: string): Omit<ParsedAnswer, 'status' | 'whole'> {
  let value: unknown;
  try {
    value = parseReceivedJson(body);
  } catch {
    const nothing = { accessToken: null, refreshToken: null, expiresInS: null, estimateIds: [] };
    return { isJson: false, ...nothing };
  }
  const records = (Array.isArray(value) ? value : [value]) as (JsonRecord | null)[];
  const fields = (Array.isArray(value) ? {} : (value ?? {})) as JsonRecord;
  const { expires_in_second: expiresIn } = fields;
  return {
    isJson: true,
    accessToken: textOrNull(fields['access_token']),
    refreshToken: textOrNull(fields['refresh_token']),
    expiresInS: typeof expiresIn === 'number' ? expiresIn : null,
    estimateIds: records.flatMap((record) => textOrNull(record?.['estimate_id']) ?? []),
  };
}

/** Seconds of a Retry-After, which may also name a time; null for none. */
function retryAfterOf({ headers }: CapturedAnswer, finishedMs: number | null): number | null {
  const [, text = ''] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after') ?? [];
  if (/^\d+$/.test(text)) return Number(text);
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) || finishedMs === null ? null : Math.max(0, (atMs - finishedMs) / 1000);
}

/** Characters of a refusal that rules and reports show. */
const REFUSAL_CHARACTERS = 200;

/** Text of a refusal: the message of an error object, or else the body. */
function refusalText(body: string): string {
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(body)?.[1];
  return (message ?? body).slice(0, REFUSAL_CHARACTERS);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Unexplained signatures of a kind of request after which pairs of mistakes, which take long, are no longer tried. */
const MAX_FULL_SEARCHES = 3;
/** Earlier values of a field that are tried in place of the sent one. */
const EARLIER_VALUES = 5;

/** Keys and fields that signatures are checked with. */
export interface SignatureOptions {
  readonly partners: readonly PartnerCredentials[];
  readonly signedFields: SignedFields;
  /** False to leave wrong signatures unexplained, which is quick; true by default. */
  readonly explainsSignatures?: boolean;
}

/** Checks the signatures of a client's requests, in their order. */
export class SignatureChecker {
  readonly #options: SignatureOptions;
  readonly #earlier = new Map<string | null, EarlierValues>();
  /** Ids of the mistakes that explained earlier signatures. */
  readonly #likely = new Map<string, readonly string[]>();
  readonly #unexplained = { token: 0, estimate: 0 };

  constructor(options: SignatureOptions) {
    this.#options = options;
  }

  /** Checks the signature of a request; null if it has none, or none of a known partner. */
  check({ request, scenario }: CapturedExchange, parts: RequestParts): SignatureDiagnosis | null {
    const { kind, authorization, body, query } = parts;
    if (kind !== 'token' && kind !== 'estimate') return null;
    const earlier = this.#earlier.get(scenario) ?? { _: [], nostr: [], pairs: [] };
    const { form, partnerId, salvagedSignature: signature, userToken } = authorization;
    const partner = this.#partnerOf(partnerId);
    if (partner === undefined || signature === null) return null;
    if (kind === 'estimate' && form !== 'user') return null;
    const pairs = kind === 'token' ? body.fields : query.parameters;
    this.#earlier.set(scenario, withPairs(earlier, pairs, kind === 'token'));
    const { signedFields, explainsSignatures = true } = this.#options;
    const signed =
      kind === 'token'
        ? { pairs, bodyText: Buffer.from(request.body).toString('utf8') }
        : { pairs, encodedPairs: query.encoded, queryText: queryOf(request.target) };
    const thorough = this.#unexplained[kind] < MAX_FULL_SEARCHES ? 'combined' : 'single';
    const host = request.headers['host'];
    const origin = typeof host === 'string' ? `http://${host}` : undefined;
    const keysOfOthers = this.#options.partners.flatMap(({ signingKey }) =>
      signingKey === partner.signingKey ? [] : signingKey,
    );
    const sent = { kind, partner, signature, token: userToken, earlier, origin, keysOfOthers };
    const isTooLong = Object.keys(pairs).length > MOST_SEARCHED_FIELDS;
    const diagnosis = checkSignature(
      { ...sent, signedFields, ...signed },
      explainsSignatures && !isTooLong ? thorough : 'none',
      [...this.#likely.values()],
    );
    if (diagnosis?.verdict === 'unexplained') {
      if (isTooLong) return { ...diagnosis, unsearched: true };
      this.#unexplained[kind]++;
    }
    if (diagnosis?.verdict === 'explained') {
      const ids = diagnosis.mistakes.map(({ id }) => id);
      this.#likely.set(ids.join(), ids);
    }
    return diagnosis;
  }

  /** The partner of an id; of an unknown one, the only partner that there is. */
  #partnerOf(partnerId: string | null): PartnerCredentials | undefined {
    const { partners } = this.#options;
    const known = partners.find(({ id }) => id === partnerId);
    return known ?? (partners.length === 1 ? partners[0] : undefined);
  }
}

const queryOf = (target: string): string => target.split('?').slice(1).join('?');

/** Adds a request to the earlier ones: its pairs, and of a token request `_` and nostr. */
function withPairs(earlier: EarlierValues, pairs: SignaturePairs, isToken: boolean): EarlierValues {
  const added = (name: '_' | 'nostr'): readonly unknown[] =>
    isToken ? [...earlier[name], pairs[name]].slice(-EARLIER_VALUES) : earlier[name];
  const all = [...(earlier.pairs ?? []), pairs];
  // The first of a kind may have been kept for good.
  const kept = [
    ...all.slice(0, EARLIER_VALUES),
    ...all.slice(EARLIER_VALUES).slice(-EARLIER_VALUES),
  ];
  return { _: added('_'), nostr: added('nostr'), pairs: kept };
}
