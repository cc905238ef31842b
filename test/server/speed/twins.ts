import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import type { BehaviourInput, ProfilePartner } from '../../../src/interface/index.ts';
import type { RandomSource, RunningServer, Timeouts } from '../../../src/server/index.ts';
import { startServer } from '../../../src/server/index.ts';
import { Caller, DAY_S, frozen, HOUR_S } from '../caller.ts';

/** Tokens of every kind that an estimate can be sent with, by their property. */
export interface Credentials {
  partnerId: string;
  signingKey: string;
  otherPartnerId: string;
  platform: string;
  otherPlatform: string;
  user: string;
  /** Invalid tokens, each for a different reason. */
  expired: string;
  superseded: string;
  ended: string;
  withoutPublic: string;
}

/**
 * The fast path hands silent connections to the HTTP parser, also one that was opened just before
 * its check: with these limits it does not check during a test.
 */
export const PATIENT: Timeouts = {
  headMs: DAY_S * 1000,
  requestMs: DAY_S * 1000,
  idleMs: DAY_S * 1000,
};

/** Two servers with the same tokens that differ only in the fast path. */
export interface Twins {
  fast: RunningServer;
  plain: RunningServer;
  credentials: Credentials;
  close(): Promise<void>;
}

/** Signing key of a partner: a text of any characters. */
const keyOf = (id: string): string => `Schlüssel-of-${id}`;

/** Partners of servers that {@link issueSame} issues tokens on. */
export const PARTNERS: readonly ProfilePartner[] = ['p-1', 'p-2'].map((id) => ({
  id,
  signingKey: keyOf(id),
  use: id === 'p-1' ? 'general' : 'long-lock',
  authCodes: Array.from({ length: 4 }, (_, index) => `${id}-code-${index}`),
}));

/** The same bytes for the same seed. */
export function seededRandom(seed: number): RandomSource {
  let drawn = 0;
  return (byteCount) => {
    const parts: Buffer[] = [];
    for (let length = 0; length < byteCount; length += 32) {
      parts.push(createHash('sha256').update(`${seed} ${drawn++}`).digest());
    }
    return Buffer.concat(parts).subarray(0, byteCount);
  };
}

/** Starts both. */
export async function startTwins(behaviour: BehaviourInput = {}): Promise<Twins> {
  const start = (fastPath: boolean): Promise<RunningServer> =>
    startServer({
      clock: frozen,
      timeouts: PATIENT,
      random: seededRandom(7),
      partners: PARTNERS,
      behaviour: { 'refresh-replay-consequence': 'family-ended', ...behaviour },
      fastPath,
    });
  const [fast, plain] = await Promise.all([start(true), start(false)]);
  const credentials = await issueSame(fast, plain);
  const close = async (): Promise<void> =>
    void (await Promise.all([fast.close(0), plain.close(0)]));
  return { fast, plain, credentials, close };
}

/** Issues the same tokens in the same order on both. */
export async function issueSame(one: RunningServer, other: RunningServer): Promise<Credentials> {
  const credentials = await issueTokens(one);
  const others = await issueTokens(other);
  if (JSON.stringify(credentials) !== JSON.stringify(others)) throw new Error('no twins');
  return credentials;
}

async function issueTokens(server: RunningServer): Promise<Credentials> {
  const [caller, other] = [
    new Caller(server, 'p-1', keyOf('p-1')),
    new Caller(server, 'p-2', keyOf('p-2')),
  ];
  const code = (index: number) => ({
    grant_type: 'authorization_code',
    auth_code: `p-1-code-${index}`,
  });
  const expired = (await caller.platform()).body.access_token;
  // Short enough that the server does not forget it: a forgotten token never reaches the fast path.
  server.clock.advance(2 * HOUR_S + 60);
  const ending = (await caller.platform()).body;
  const ended = (await caller.refresh(ending.refresh_token)).body.access_token;
  await caller.refresh(ending.refresh_token);
  const issued = {
    partnerId: caller.id,
    signingKey: caller.key,
    otherPartnerId: other.id,
    platform: (await caller.platform()).body.access_token,
    otherPlatform: (await other.platform()).body.access_token,
    superseded: (await caller.platform(code(0))).body.access_token,
    user: (await caller.platform(code(1))).body.access_token,
    expired,
    ended,
    withoutPublic: (await caller.platform({ scope: 'profile' })).body.access_token,
  };
  if (Object.values(issued).some((value) => !value)) throw new Error('a token was not issued');
  return issued;
}

/** The parts of an answer that both servers must agree on. */
export interface Answer {
  status: number;
  closes: boolean;
  contentType: string | undefined;
  allow: string | undefined;
  /** The content of an estimate_id replaces the id itself. */
  body: string;
}

/** Bytes received over a connection. */
export interface Conversation {
  answers: Answer[];
  /** True if the server ended the connection; always true if the client ended its side. */
  isClosed: boolean;
}

/** Options for sending the bytes. */
export interface Delivery {
  /** True if the client ends its side after them; else it waits until nothing more arrives. */
  ends: boolean;
}

/** Sends the segments one by one over a new connection. */
export async function converse(
  port: number,
  segments: readonly Buffer[],
  { ends }: Delivery,
): Promise<Conversation> {
  const from = { localAddress: nextLocalAddress() };
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true, ...from });
  const chunks: Buffer[] = [];
  let isClosed = false;
  const over = new Promise<void>((resolve) => {
    const close = (): void => {
      isClosed = true;
      resolve();
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', close).on('error', close).on('close', close);
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  for (const [index, segment] of segments.entries()) {
    if (index > 0) await turnOfTheLoop();
    if (socket.writable) socket.write(segment);
  }
  if (ends) socket.end();
  await (ends ? over : Promise.race([over, quiet(chunks)]));
  socket.destroy();
  return { answers: readAnswers(Buffer.concat(chunks).toString('latin1')), isClosed };
}

let conversations = 0;

/**
 * Local addresses, used in turn: each has some 28,000 ports, of which each can be used once a
 * minute.
 */
function nextLocalAddress(): string {
  return `127.0.0.${process.platform === 'linux' ? 2 + (conversations++ % 100) : 1}`;
}

/** Number of turns of the event loop without bytes after which a server in this process is done. */
const QUIET_TURNS = 300;
/** Time between two of them, so that together they exceed a delay of the network. */
const TURN_MS = 5;

/** Waits until nothing more arrives; counts turns of the loop, since a stall has none. */
async function quiet(chunks: readonly Buffer[]): Promise<void> {
  let count = chunks.length;
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    if (chunks.length > count) turns = 0;
    count = chunks.length;
  }
}

/** Long enough for a server in this process to read what was written. */
async function turnOfTheLoop(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const ANSWER =
  /HTTP\/1\.1 (\d{3})[^\r]*\r\n((?:[^\r]+\r\n)*)\r\n([\s\S]*?)(?=HTTP\/1\.1 \d{3}|(?![\s\S]))/g;

function readAnswers(text: string): Answer[] {
  let length = 0;
  const answers = [...text.matchAll(ANSWER)].map(([all, status, head, body]) => {
    length += all.length;
    const headers = new Headers(
      (head ?? '')
        .split('\r\n')
        .filter(Boolean)
        .map((line) => line.split(': ', 2) as [string, string]),
    );
    const said = headers.get('content-length');
    if (said !== null && body !== '' && Number(said) !== body?.length) {
      throw new Error(`Content-Length ${said} of a body of ${body?.length}: ${all}`);
    }
    return {
      status: Number(status),
      closes: headers.get('connection') === 'close',
      contentType: headers.get('content-type') ?? undefined,
      allow: headers.get('allow') ?? undefined,
      body: (body ?? '').replace(/(?<="estimate_id":")[\w-]{43}(?=")/, carriedBy),
    };
  });
  if (length !== text.length) throw new Error(`not a sequence of answers: ${text}`);
  return answers;
}

/** Instance, time, price and owner, without the counter and the tag. */
function carriedBy(estimateId: string): string {
  const bytes = Buffer.from(estimateId, 'base64url');
  return `${bytes.toString('hex', 0, 12)}-${bytes.toString('hex', 16, 24)}`;
}
