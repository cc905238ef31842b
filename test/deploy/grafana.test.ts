import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { AgentMetrics } from '../../src/cli/metrics/agent-metrics.ts';
import { openMetrics } from '../../src/cli/metrics/prometheus.ts';
import { serverMetrics } from '../../src/cli/metrics/server-metrics.ts';
import type { PrometheusMetric } from '../../src/files/prometheus-text.ts';
import { figuresSoFar, MEASURES, prometheusMetrics } from '../../src/load/index.ts';
import { capturedIo } from '../support/captured-io.ts';
import { PROMTOOL } from '../support/prometheus.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Panel {
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const FILE = new URL('../../deploy/grafana/fareproof.json', import.meta.url);
const { panels, templating } = JSON.parse(readFileSync(FILE, 'utf8')) as {
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
};
const TARGETS = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);
const NAME = /\b(?:fareproof|nodejs|process)_\w+/g;

/** Names of metrics, and of what a histogram has. */
const namesOf = (metrics: readonly PrometheusMetric[]): string[] =>
  metrics.flatMap(({ name, type }) =>
    type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );

/** Names of the metrics of prom-client and of every command. */
async function namesOfProcess(): Promise<string[]> {
  const { io } = capturedIo({});
  const endpoint = await openMetrics({ metrics: '0' }, async () => [], io);
  try {
    const text = await (await fetch(endpoint!.url)).text();
    return [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
  } finally {
    await endpoint!.close();
  }
}

const OF_SERVER = serverMetrics({
  requests: [],
  refusals: [],
  fastPathAnswers: 0,
  validTokens: { platform: 0, user: 0 },
  storedTokens: { access: 0, refresh: 0, usedRefresh: 0 },
  bans: 0,
  partners: 0,
});
const NOTHING = figuresSoFar({ generators: [], shapes: [], plannedRate: null });
const OF_LOAD = prometheusMetrics(MEASURES, NOTHING, 'fareproof_load_');
const known = new Set(namesOf([...OF_SERVER, ...OF_LOAD]));
beforeAll(async () => {
  const served = [...(await namesOfProcess()), ...namesOf(await new AgentMetrics().read())];
  for (const name of served) known.add(name);
});

describe('the Grafana dashboard', () => {
  it('uses metrics that exist', () => {
    const texts = [
      ...TARGETS.map(({ expr }) => expr),
      ...templating.list.map(({ definition = '' }) => definition),
    ];
    const used = new Set(texts.flatMap((text) => text.match(NAME) ?? []));
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((name) => !known.has(name))).toEqual([]);
  });

  it('shows every metric of ours but those that only help others', () => {
    const shown = TARGETS.map(({ expr }) => expr).join(' ');
    const own = [...known].filter(
      (name) => name.startsWith('fareproof_') && !/_(sum|count|bucket)$/.test(name),
    );
    expect(own.filter((name) => !shown.includes(name)).sort()).toEqual([
      'fareproof_agent_checked_total',
      'fareproof_agent_generator_cpu',
      'fareproof_agent_generator_waiting',
      'fareproof_agent_planned_rate_per_second',
      'fareproof_agent_responses_total',
      'fareproof_agent_runs_total',
      'fareproof_agent_sent_total',
      'fareproof_agent_service_duration_seconds',
      'fareproof_build_info',
      'fareproof_load_checked_total',
      'fareproof_load_responses_total',
      'fareproof_load_sent_total',
      'fareproof_partners',
      'fareproof_tokens_stored',
    ]);
  });

  it('names in its legends only labels that a query keeps', () => {
    for (const { title, expr, legendFormat } of TARGETS) {
      const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ');
      if (kept === undefined) continue;
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      expect({ title, kept }).toEqual({ title, kept: expect.arrayContaining(named) });
    }
  });

  it('has no two panels in one place', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it.runIf(PROMTOOL !== null)('has queries that Prometheus can parse', () => {
    const rules = TARGETS.map(({ expr }, at) => ({
      record: `query:${at}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    const file = join(temporaryFolder(), 'rules.json');
    const check = (own: readonly object[]): string => {
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: own }] }));
      return execFileSync(PROMTOOL!, ['check', 'rules', file], { encoding: 'utf8', stdio: 'pipe' });
    };
    expect(check(rules)).toContain(`SUCCESS: ${rules.length} rules found`);
    expect(() => check([{ record: 'a', expr: 'sum(' }])).toThrow('could not parse expression');
  });
});
