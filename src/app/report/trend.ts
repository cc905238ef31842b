import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { isUsable, planOf, type SpreadRun, spreadOf } from '../../load/index.ts';
import {
  formatInstant,
  groupBy,
  headlineOf,
  type Trend,
  type TrendRun,
} from '../../report/index.ts';
import { readHistory } from '../files/history.ts';
import type { Surroundings } from '../surroundings.ts';

/** Runs of a trend, and what its page needs. */
export interface AskedTrend {
  /** Files, and folders of runs. */
  readonly paths: readonly string[];
  /** Names of the builds, one for each path; none for what the documents say. */
  readonly labels: readonly string[];
  /** Absolute folder of the page, to which links are relative. */
  readonly pageFolder: string;
}

/** Facts that are kept of a document, so that hundreds fit into memory. */
interface Kept {
  readonly trend: Omit<Trend, 'runs'>;
  /** Name of its build, if it has one. */
  readonly label: string | undefined;
  readonly loads: readonly (SpreadRun & Parameters<typeof isUsable>[0])[];
  readonly run: TrendRun;
}

/**
 * Reads runs, and sorts those that were run alike into trends: the one with the newest run first.
 *
 * @throws ConfigurationError `TREND_EMPTY` without a run of load, check or certify; `TREND_LABELS` for another number of
 *   labels than paths; and as readHistory
 */
export async function readTrends(
  { paths, labels, pageFolder }: AskedTrend,
  surroundings: Pick<Surroundings, 'cwd' | 'note'>,
): Promise<Trend[]> {
  if (labels.length > 0 && labels.length !== paths.length) {
    const problem = 'give one label for each file or folder.';
    throw new ConfigurationError('TREND_LABELS', problem, { field: 'label' });
  }
  const kept = new Map<string, Kept>();
  for (const [at, path] of paths.entries()) {
    for await (const { path: file, document } of readHistory([path], surroundings)) {
      const page = pageOf(resolve(surroundings.cwd, file), pageFolder);
      const one = keep(document, labels[at], page);
      if (one) kept.set(`${document.kind} ${document.startedAt} ${document.finishedAt}`, one);
    }
  }
  if (kept.size === 0) {
    const problem = `There is no run of load, check or certify in ${paths.join(', ')}.`;
    throw new ConfigurationError('TREND_EMPTY', problem);
  }
  const newestFirst = [...kept.values()].sort((a, b) =>
    b.run.startedAt.localeCompare(a.run.startedAt),
  );
  const groups = groupBy(newestFirst, ({ trend }) => JSON.stringify(trend));
  return [...groups.values()].map((group) => ({
    ...group[0].trend,
    runs: mergeBuilds(group.reverse()),
  }));
}

/** Address of the page beside a run's document; null without one. */
function pageOf(file: string, pageFolder: string): string | null {
  const page = file.endsWith(`${sep}run.json`)
    ? join(dirname(file), 'report.html')
    : file.replace(/(\.json)?$/, '.html');
  if (!existsSync(page)) return null;
  return relative(pageFolder, page).split(sep).map(encodeURIComponent).join('/');
}

function keep(document: RunDocument, given: string | undefined, page: string | null): Kept | null {
  const { tone, verdict, title } = headlineOf(document);
  const { startedAt } = document;
  const runAs = (label: string | undefined, verdicts: TrendRun['verdicts'] = {}) => {
    const build = label ?? formatInstant(startedAt);
    return { label, run: { build, startedAt, page, tone, words: verdict, spread: null, verdicts } };
  };
  if (document.kind === 'conformance') {
    const { suite, client, rules, label = client?.version ?? undefined } = document;
    const verdicts = Object.fromEntries(rules.map((rule) => [rule.id, rule.verdict]));
    const trend = { kind: 'rules', title, facts: [['suite', suite] as const] } as const;
    return { trend, loads: [], ...runAs(given ?? label, verdicts) };
  }
  if (document.kind !== 'load' && document.kind !== 'load-set') return null;
  const runs = document.kind === 'load' ? [document] : document.runs;
  const [first] = runs;
  if (first === undefined || first.part) return null;
  const loads = runs.map(
    ({ verdict: judged, invalidBy, model, interrupted, achieved, latencyUs }) => {
      return { verdict: judged, invalidBy, model, interrupted, achieved, latencyUs };
    },
  );
  const trend = { kind: 'load', title: headlineOf(first).title, facts: planOf(first) } as const;
  return { trend, loads, ...runAs(given ?? document.label) };
}

/** Makes runs next to each other of a named build one, with the spread of their figures. */
function mergeBuilds(group: readonly Kept[]): TrendRun[] {
  const builds: Kept[] = [];
  for (const one of group) {
    const last = builds.at(-1);
    const isAgain =
      last && one.loads.length > 0 && one.label !== undefined && last.label === one.label;
    if (isAgain) builds[builds.length - 1] = { ...one, loads: [...last.loads, ...one.loads] };
    else builds.push(one);
  }
  return builds.map(({ run, loads }) => ({ ...run, spread: spreadOf(loads, isUsable) }));
}
