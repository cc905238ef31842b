import type { Labels, PrometheusMetric } from '../../files/prometheus-text.ts';
import type { ServerMetrics } from '../../server/index.ts';

/** Metrics of `serve`. */
export function serverMetrics(now: ServerMetrics): PrometheusMetric[] {
  const { requests, refusals, fastPathAnswers, validTokens, storedTokens, bans, partners } = now;
  const { access, refresh, usedRefresh } = storedTokens;
  return [
    {
      type: 'counter',
      name: 'fareproof_http_requests_total',
      help: 'Answered requests, by endpoint and status.',
      samples: requests.map(({ count, ...labels }) => [labels, count]),
    },
    {
      type: 'counter',
      name: 'fareproof_refusals_total',
      help: 'Refused requests, by the rule that they broke.',
      samples: refusals.map(({ count, ...labels }) => [labels, count]),
    },
    {
      type: 'counter',
      name: 'fareproof_fast_path_answers_total',
      help: 'Estimates that the fast path answered; the requests include them.',
      samples: [[{}, fastPathAnswers]],
    },
    {
      type: 'gauge',
      name: 'fareproof_tokens_valid',
      help: 'Access tokens that are valid now.',
      samples: byKind({ ...validTokens }),
    },
    {
      type: 'gauge',
      name: 'fareproof_tokens_stored',
      help: 'Tokens in memory, expired and superseded ones included.',
      samples: byKind({ access, refresh, used_refresh: usedRefresh }),
    },
    {
      type: 'gauge',
      name: 'fareproof_bans_active',
      help: 'Bans that last now.',
      samples: [[{}, bans]],
    },
    {
      type: 'gauge',
      name: 'fareproof_partners',
      help: 'Partners of the service.',
      samples: [[{}, partners]],
    },
  ];
}

function byKind(counts: Readonly<Record<string, number>>): [Labels, number][] {
  return Object.entries(counts).map(([kind, count]) => [{ kind }, count]);
}
