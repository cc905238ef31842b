import type { ServerMetrics } from '../../server/index.ts';
import type { MetricsSource, Sample } from './prometheus.ts';

/** Metrics of `serve`. */
export function serverMetrics(read: () => Promise<ServerMetrics>): MetricsSource {
  let now: ServerMetrics | null = null;
  const of = (samples: (metrics: ServerMetrics) => readonly Sample[]) => (): readonly Sample[] =>
    now === null ? [] : samples(now);
  return {
    refresh: async () => {
      now = await read();
    },
    metrics: [
      {
        type: 'counter',
        name: 'fareproof_http_requests_total',
        help: 'Answered requests, by endpoint and status.',
        labels: ['endpoint', 'status'],
        samples: of(({ requests }) =>
          requests.map(({ endpoint, status, count }) => [{ endpoint, status }, count]),
        ),
      },
      {
        type: 'counter',
        name: 'fareproof_refusals_total',
        help: 'Refused requests, by the rule that they broke.',
        labels: ['rule'],
        samples: of(({ refusals }) => refusals.map(({ rule, count }) => [{ rule }, count])),
      },
      {
        type: 'counter',
        name: 'fareproof_fast_path_answers_total',
        help: 'Estimates that the fast path answered; the requests include them.',
        samples: of(({ fastPathAnswers }) => [[{}, fastPathAnswers]]),
      },
      {
        type: 'gauge',
        name: 'fareproof_tokens_valid',
        help: 'Access tokens that are valid now.',
        labels: ['kind'],
        samples: of(({ validTokens }) => byKind(validTokens)),
      },
      {
        type: 'gauge',
        name: 'fareproof_tokens_stored',
        help: 'Tokens in memory, expired and superseded ones included.',
        labels: ['kind'],
        samples: of(({ storedTokens: { access, refresh, usedRefresh } }) =>
          byKind({ access, refresh, used_refresh: usedRefresh }),
        ),
      },
      {
        type: 'gauge',
        name: 'fareproof_bans_active',
        help: 'Bans that last now.',
        samples: of(({ bans }) => [[{}, bans]]),
      },
      {
        type: 'gauge',
        name: 'fareproof_partners',
        help: 'Partners of the service.',
        samples: of(({ partners }) => [[{}, partners]]),
      },
    ],
  };
}

function byKind(counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([kind, count]) => [{ kind }, count]);
}
