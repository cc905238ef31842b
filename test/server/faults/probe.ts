import type { EstimateRecord } from '../../../src/interface/index.ts';
import type { RunningServer } from '../../../src/server/index.ts';
import type { AnswerBody, Reply } from '../caller.ts';
import { Caller, control } from '../caller.ts';

/** True if the rule is followed, observed from outside. */
export type Probe = (server: RunningServer) => Promise<boolean>;

export const ok = ({ status }: Reply): boolean => status === 200;
export const refused = (reply: Reply): boolean => !ok(reply);

/** A fresh partner. */
export const partner = (probe: (caller: Caller) => Promise<boolean>): Probe => {
  return async (server) => probe(await Caller.fresh(server));
};

/** A fresh partner with a platform token. */
export const holder = (probe: (caller: Caller, token: AnswerBody) => Promise<boolean>): Probe => {
  return partner(async (caller) => {
    const reply = await caller.platform();
    return ok(reply) && probe(caller, reply.body);
  });
};

/** A fresh partner with the token of a user. */
export const userHolder = (
  probe: (caller: Caller, token: AnswerBody) => Promise<boolean>,
): Probe => {
  return partner(async (caller) => {
    const reply = await caller.user();
    return ok(reply) && probe(caller, reply.body);
  });
};

/** True if a token request with those fields succeeds. */
export const accepts = (fields: Record<string, unknown>): Probe =>
  partner(async (caller) => ok(await caller.platform(fields)));

/** True if a token request with those fields is refused, while one without them is not. */
export const refuses = (fields: Record<string, unknown>): Probe =>
  partner(async (caller) => {
    return ok(await caller.platform()) && refused(await caller.platform(fields));
  });

export const answers = (holds: (token: AnswerBody, reply: Reply) => boolean, fields = {}): Probe =>
  partner(async (caller) => {
    const reply = await caller.platform(fields);
    return holds(reply.body, reply);
  });

export const estimates = (query: Record<string, string>): Probe =>
  holder(async (caller, { access_token }) => ok(await caller.estimate(access_token, { query })));

export const refusesEstimate = (query: Record<string, string>): Probe =>
  holder(async (caller, { access_token }) => {
    return (
      ok(await caller.estimate(access_token)) &&
      refused(await caller.estimate(access_token, { query }))
    );
  });

export const CARPOOL_SEATS = { product_type: 'express-car', ride_type: 'carpool' };
export const CARPOOL_SINGLE = { product_type: 'express-car', ride_type: 'carpool-single' };

/** True if the record of a query follows the rule. */
export const record = (
  holds: (record: EstimateRecord) => boolean,
  query: Record<string, string> = {},
): Probe =>
  holder(async (caller, { access_token }) => {
    const { body } = await caller.estimate(access_token, { query });
    return Array.isArray(body) && body.length === 1 && holds(body[0]);
  });

export const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
export const isUrl = (value: unknown): boolean => typeof value === 'string' && URL.canParse(value);

const send = { platform: (c: Caller) => c.platform(), user: (c: Caller) => c.user() };

export const allows = (kind: 'platform' | 'user', count: number): Probe =>
  partner(async (caller) => {
    for (let sent = 0; sent < count; sent++) if (refused(await send[kind](caller))) return false;
    return true;
  });

export const refusesAfter = (kind: 'platform' | 'user', count: number): Probe =>
  partner(async (caller) => {
    for (let sent = 0; sent < count; sent++) await send[kind](caller);
    return refused(await send[kind](caller));
  });

/** Refreshes until one is refused, up to a limit; returns how many succeeded. */
export async function refreshTimes(caller: Caller, most: number): Promise<number> {
  let { refresh_token } = (await caller.platform()).body;
  for (let sent = 0; sent < most; sent++) {
    const reply = await caller.refresh(refresh_token);
    if (refused(reply)) return sent;
    refresh_token = reply.body.refresh_token;
  }
  return most;
}

export async function exceed(caller: Caller): Promise<void> {
  for (let sent = 0; sent < 12; sent++) if (refused(await caller.platform())) return;
}

export const lockProbe = (longLock: boolean, minutes: number): Probe => {
  return async (server) => {
    const caller = await Caller.fresh(server, longLock);
    const { access_token } = (await caller.platform()).body;
    const { body } = await caller.estimate(access_token);
    const path = `/estimates/${body?.[0]?.estimate_id}`;
    server.clock.advance(minutes * 60 - 1);
    const before = await control(server, 'GET', path);
    server.clock.advance(2);
    const after = await control(server, 'GET', path);
    return before.status === 200 && before.body.locked && !after.body.locked;
  };
};

export const aged = (seconds: number): Probe =>
  partner(async (caller) => {
    const at = new Date(caller.server.clock.now() - seconds * 1000).toISOString();
    return ok(await caller.platform({ _: at }));
  });

export const not =
  (probe: Probe): Probe =>
  async (server) =>
    !(await probe(server));
