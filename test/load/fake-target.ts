import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TargetProfile } from '../../src/interface/index.ts';
import { ESTIMATE_RECORD } from '../support/estimate-record.ts';

/** A target that answers as configured, and records its requests. */
export interface FakeTarget {
  profile: TargetProfile;
  server: Server;
  /** Paths of the estimate requests, in order. */
  paths: string[];
  /** Authorization of the estimate requests, in order. */
  authorizations: string[];
  /** Bodies of the token requests, in order. */
  tokenRequests: Record<string, string>[];
  close(): Promise<void>;
}

/** Behaviour of a fake target; by default it answers at once and correctly. */
export interface FakeBehaviour {
  estimate?: (request: IncomingMessage, response: ServerResponse) => void;
  expiresInSeconds?: number;
  tokenStatus?: number;
  refreshStatus?: number;
  /** Body of the answers to token requests, from the body of the request and its Authorization. */
  tokenText?: (body: Readonly<Record<string, string>>, authorization: string) => string;
  /** Called once a refresh has come, before it is answered. */
  beforeRefresh?: () => void;
}

export const ESTIMATE_BODY: string = JSON.stringify([ESTIMATE_RECORD]);

export async function startFakeTarget(behaviour: FakeBehaviour = {}): Promise<FakeTarget> {
  const paths: string[] = [];
  const authorizations: string[] = [];
  const tokenRequests: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      void readJson(request).then((body) => {
        tokenRequests.push(body);
        const refresh = body['grant_type'] === 'refresh_token';
        if (refresh) behaviour.beforeRefresh?.();
        response.statusCode = (refresh ? behaviour.refreshStatus : behaviour.tokenStatus) ?? 200;
        const text = behaviour.tokenText?.(body, request.headers.authorization ?? '');
        response.end(
          text ??
            JSON.stringify({
              access_token: `token-${tokenRequests.length}`,
              refresh_token: `refresh-${tokenRequests.length}`,
              expires_in_second: behaviour.expiresInSeconds ?? 3600,
              token_type: 'bearer',
              scope: 'public',
            }),
        );
      });
      return;
    }
    paths.push(request.url ?? '');
    authorizations.push(request.headers.authorization ?? '');
    if (behaviour.estimate) behaviour.estimate(request, response);
    else response.end(ESTIMATE_BODY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    profile: {
      name: 'fake',
      baseUrl: `http://127.0.0.1:${port}`,
      environment: 'production',
      partners: [{ id: 'p-100', signingKey: 'key', use: 'general', authCodes: ['c1', 'c2'] }],
      signature: { tokenFields: 'all', estimateFields: 'all' },
      estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
      headers: {},
    },
    server,
    paths,
    authorizations,
    tokenRequests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<Record<string, string>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as Record<string, string>;
}
