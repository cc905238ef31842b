import { sign } from '../../interface/index.ts';
import { createState } from '../create-service.ts';
import type { Clock } from '../service/clock.ts';
import { ID_LENGTH } from '../service/estimate/estimate-ids.ts';
import type { RandomSource } from '../service/random.ts';
import { readSettings } from '../service/settings.ts';
import { SignatureCheck } from '../service/signature-check.ts';
import { EstimateWriter } from './estimate-writer.ts';
import { FastConnection, FastPath } from './fast-path.ts';
import { QueryScanner } from './query-scanner.ts';
import { RequestBytes } from './request-bytes.ts';
import { readRequestTail } from './request-tail.ts';
import { SAMPLE_ROUTE } from './sample-route.ts';
import { SignedQuery } from './signed-query.ts';

/** A step of the fast path, measured by calling it repeatedly. */
export interface FastPathStep {
  readonly name: string;
  /** True if every estimate with a new query takes this step. */
  readonly isOfEachRequest: boolean;
  readonly run: () => unknown;
}

/** Name of the step that is a whole request with a new query. */
export const WHOLE_REQUEST = 'whole request, new query';

const PARTNER_ID = 'bench';
const SIGNING_KEY = 'signing-key-of-bench';
/** Number of queries that a benchmark cycles through, so that branch prediction cannot learn them. */
const QUERIES = 4096;
/** Departure of the first cycle; each cycle has another, so that no query repeats. */
const FIRST_DEPARTURE_S = 1_000_000_000;

/** The steps of an estimate on the fast path, and related steps, measured separately. */
export function fastPathSteps(clock: Clock, random: RandomSource): readonly FastPathStep[] {
  const settings = readSettings({ random, expiresInSeconds: 86_400 }, clock);
  const state = createState(settings);
  const { partners, tokens, pricing, estimateIds, records } = state;
  const nowMs = clock.now();
  const partner = partners.add(PARTNER_ID, SIGNING_KEY, false);
  const asked = { partner, scope: 'public', refreshed: null };
  const { accessToken } = tokens.issue({ ...asked, userId: null }, nowMs);
  const userToken = tokens.issue({ ...asked, userId: 'u' }, nowMs).accessToken;

  const texts = Array.from({ length: QUERIES }, (_, index) => parametersOf(index));
  const next = cycle(texts.length);
  const tailOf = (credentials: string): string =>
    ` HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${PARTNER_ID}|${credentials}\r\n\r\n`;
  const chunkOf = (parameters: Record<string, string>, credentials: string): Buffer =>
    Buffer.from(`GET /v1/estimates/prices?${queryOf(parameters)}${tailOf(credentials)}`);
  const platformChunks = texts.map((parameters) => chunkOf(parameters, accessToken));
  const userChunks = texts.map((parameters) =>
    chunkOf(parameters, `${sign(parameters, SIGNING_KEY)} openid|${userToken}`),
  );
  const tail = tailOf(accessToken);

  const scanner = new QueryScanner();
  const request = new RequestBytes(8192);
  const sameRequest = new RequestBytes(8192);
  const firstQuery = Buffer.from(queryOf(texts[0]!));
  for (const each of [request, sameRequest]) each.load(firstQuery, 0);
  scanner.scan(request, 0, firstQuery.length);
  const signed = new SignedQuery(8192);
  const writer = new EstimateWriter(records, estimateIds);
  const departureS = Math.floor(nowMs / 1000);
  const fare = pricing.fare(scanner, departureS);
  const id = Buffer.alloc(ID_LENGTH);
  const signatures = new SignatureCheck(settings.behaviour);
  const tokenFields = {
    grant_type: 'client_credentials',
    _: new Date(nowMs).toISOString(),
    nostr: 'abc123',
  };
  const tokenSignature = sign(tokenFields, SIGNING_KEY);
  const whole = (chunks: readonly Buffer[]): (() => unknown) => {
    const path = new FastPath(state, settings);
    const connection = new FastConnection();
    const turn = cycle(chunks.length);
    return () => path.answer(connection, chunks[turn()]!);
  };
  const renewed = renewing(platformChunks);
  const newQueries = new FastPath(state, settings);
  const newConnection = new FastConnection();

  return [
    step('parse head (first request of a connection)', () => readRequestTail(tail)),
    step('look up token (first request of a connection)', () => [
      partners.find(PARTNER_ID),
      tokens.findAccess(accessToken),
    ]),
    ofEachRequest('copy request', () => request.load(platformChunks[next()]!, 0)),
    ofEachRequest('parse query', () => scanner.scan(sameRequest, 0, firstQuery.length)),
    ofEachRequest('price, miss', () => pricing.fare(scanner, departureS)),
    step('price, hit: the same query again', () =>
      sameRequest.startsLike(sameRequest, firstQuery.length),
    ),
    ofEachRequest('estimate id', () => estimateIds.put(id, 0, partner, fare.priceFen, nowMs)),
    ofEachRequest('serialise', () => writer.answer(scanner, fare)),
    step('sign a user’s query', () => signed.sign(sameRequest, scanner, SIGNING_KEY)),
    step('check a token request’s signature', () =>
      signatures.isTokenSigned(partner, tokenFields, tokenSignature),
    ),
    step(WHOLE_REQUEST, () => newQueries.answer(newConnection, renewed())),
    step('whole request, one query repeated', whole(platformChunks.slice(0, 1))),
    step('whole request, user token', whole(userChunks)),
  ];
}

function step(name: string, run: () => unknown, isOfEachRequest = false): FastPathStep {
  return { name, isOfEachRequest, run };
}

function ofEachRequest(name: string, run: () => unknown): FastPathStep {
  return step(name, run, true);
}

/** Indices below the count, repeated endlessly. */
function cycle(count: number): () => number {
  let at = -1;
  return () => {
    at = at + 1 < count ? at + 1 : 0;
    return at;
  };
}

function parametersOf(index: number): Record<string, string> {
  return {
    departure_time: String(FIRST_DEPARTURE_S),
    start_lat: `39.${String(index).padStart(4, '0')}`,
    ...SAMPLE_ROUTE,
  };
}

function queryOf(parameters: Record<string, string>): string {
  return new URLSearchParams(parameters).toString();
}

/** Returns the chunks in turn, with a new departure in each cycle, so that no query repeats. */
function renewing(chunks: readonly Buffer[]): () => Buffer {
  const at = chunks[0]!.indexOf(String(FIRST_DEPARTURE_S));
  const next = cycle(chunks.length);
  return () => {
    const chunk = chunks[next()]!;
    let digit = at + 9;
    while (chunk[digit] === 0x39) chunk[digit--] = 0x30;
    chunk[digit] = chunk[digit]! + 1;
    return chunk;
  };
}
