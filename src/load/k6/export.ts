import { ConfigurationError } from '../../interface/index.ts';
import type { OptionName } from '../options.ts';
import { longestMs, type PlannedLoad } from '../plan-load.ts';
import { takeTokenFor } from '../run-load.ts';
import type { AccessToken } from '../tokens/keeper.ts';
import { type EstimateRequest, prepareRequests } from '../workload/requests.ts';
import { scriptOf } from './script.ts';
import { thresholdsOf } from './thresholds.ts';

/** A load plan for k6: the texts of its files. */
export interface K6Export {
  /** `script.js`, without any secret. */
  readonly script: string;
  /** `requests.json`: the signed requests with an access token, and the key of a client certificate. */
  readonly requests: string;
  /** `issuer.pem`: the issuer that the profile trusts; null for those of the system. */
  readonly issuer: string | null;
  /** Time until which the token is valid, ISO 8601; null if unknown. */
  readonly validUntil: string | null;
  /** Sentences on settings and thresholds that k6 has nothing for. */
  readonly notTranslated: readonly string[];
}

/** Names of the files of an export. */
export const K6_FILES = { script: 'script.js', requests: 'requests.json', issuer: 'issuer.pem' };

/**
 * Takes a token, and writes a load plan as a script for k6 with its signed requests.
 *
 * @param notTranslated sentences on settings beyond the plan that k6 has nothing for
 * @throws ConfigurationError `K6_LACKS_OPTION` for a plan that k6 cannot run, before anything is sent;
 *   `TOKEN_TOO_SHORT` if the run takes longer than the token is valid
 * @throws FareproofError as runLoad for the token
 */
export async function exportForK6(
  load: PlannedLoad,
  { writtenBy, notTranslated }: { writtenBy: string; notTranslated: readonly string[] },
): Promise<K6Export> {
  refusePlan(load);
  const { plan, context, identity, mix, routes } = load;
  const { profile } = context;
  const { address, seed } = plan;
  const { current: token, partner } = await takeTokenFor(load);
  const validUntil = endOf(token, load);
  const thresholds = thresholdsOf(load);
  const facts = {
    writtenBy,
    requestsFile: K6_FILES.requests,
    issuerFile: address.tls?.ca === undefined ? null : K6_FILES.issuer,
    validUntil,
    thresholds,
    notTranslated,
  };
  const requests = prepareRequests({ profile, address, partner, identity, mix, seed, routes });
  return {
    script: scriptOf(load, facts),
    requests: dataOf(load, token.value, validUntil, requests),
    issuer: address.tls?.ca ?? null,
    validUntil,
    notTranslated: [...notTranslated, ...thresholds.notTranslated],
  };
}

/** Shortest scenario that k6 takes, unless its rate changes. */
const SHORTEST_MS = 1000;

function refusePlan({ plan, isSearch }: PlannedLoad): void {
  const refuse = (field: OptionName, problem: string): never => {
    throw new ConfigurationError('K6_LACKS_OPTION', problem, { field });
  };
  const { arrivals, warmupMs, durationMs } = plan;
  if (isSearch) refuse('findMax', 'k6 does not search for a rate; give a rate or stages.');
  if (arrivals === 'poisson') {
    refuse(
      'arrivals',
      'k6 starts requests evenly, and not as from independent callers; use constant.',
    );
  }
  if (warmupMs > 0 && warmupMs < SHORTEST_MS) {
    refuse('warmup', 'a scenario of k6 lasts 1 s or longer; give 1s, or 0s for none.');
  }
  if (durationMs < SHORTEST_MS) {
    refuse('duration', 'a scenario of k6 lasts 1 s or longer; give 1s or more.');
  }
}

/** @returns the end of the token, ISO 8601; null if it is unknown */
function endOf({ askedAtMs, lifeMs }: AccessToken, { plan }: PlannedLoad): string | null {
  if (lifeMs === null) return null;
  const runMs = longestMs(plan);
  if (runMs < lifeMs) return new Date(askedAtMs + lifeMs).toISOString();
  throw new ConfigurationError(
    'TOKEN_TOO_SHORT',
    (name) =>
      `The target's tokens live for ${lifeMs / 1000} s, a script for k6 cannot replace one, and this run takes up to ${Math.ceil(runMs / 1000)} s (warm-up, duration and timeout). Shorten ${name('duration')}, or give the profile's partner an accessToken that lives longer.`,
  );
}

function dataOf(
  { plan, mix }: PlannedLoad,
  accessToken: string,
  validUntil: string | null,
  requests: readonly EstimateRequest[],
): string {
  const { secure, hostHeader, tls } = plan.address;
  const { Connection: _, ...headers } = plan.headers;
  const shapes = [...mix.keys()];
  const target = {
    origin: `${secure ? 'https' : 'http'}://${hostHeader}`,
    headers,
    accessToken,
    validUntil,
    ...(tls?.cert !== undefined && { certificate: tls.cert, key: tls.key }),
  };
  const lines = requests.map(({ shape, path, authorizationPrefix }) =>
    JSON.stringify({ shape: shapes[shape], path, authorizationPrefix }),
  );
  return `{"target":${JSON.stringify(target)},\n"requests":[\n${lines.join(',\n')}\n]}\n`;
}
