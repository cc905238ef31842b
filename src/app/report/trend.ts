import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { LoadDocument, LoadSetDocument } from '../../documents/load.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import { isUsable, planOf, spreadOf } from '../../load/index.ts';
import {
  formatInstant,
  headlineOf,
  type LoadBuild,
  type LoadTrend,
  type RuleRun,
  type RuleTrend,
  type TrendRun,
} from '../../report/index.ts';
import { type HistoryFile, readHistory } from '../files/history.ts';
import type { Surroundings } from '../surroundings.ts';

/** Runs of a trend, and what the page of it needs. */
export interface AskedTrend {
  /** Files, and folders of runs. */
  readonly paths: readonly string[];
  /** Names of the builds, one for each path; none for what the documents say. */
  readonly labels: readonly string[];
  /** Absolute folder of the page, to which links are relative. */
  readonly pageFolder: string;
}

/** What is kept of a document, so that hundreds fit into memory. */
interface Kept {
  /** Equal for runs that belong to one trend. */
  readonly key: string;
  readonly trend: Pick<LoadTrend, 'title' | 'facts'> & { readonly kind: 'load' | 'rules' };
  readonly run: TrendRun;
  /** True for a build that has a name. */
  readonly isNamed: boolean;
  readonly loads: readonly Load[];
  readonly verdicts: RuleRun['verdicts'];
}

type Load = Parameters<typeof isUsable>[0] & Parameters<typeof spreadOf>[0][number];

/**
 * Reads runs, and sorts those that were run alike into trends: the one with the newest run first.
 *
 * @throws ConfigurationError `TREND_EMPTY` without a run of load, check or certify; `TREND_LABELS` for another number of
 *   labels than paths; and as readHistory
 */
export async function readTrends(
  { paths, labels, pageFolder }: AskedTrend,
  surroundings: Pick<Surroundings, 'cwd' | 'note'>,
): Promise<(LoadTrend | RuleTrend)[]> {
  if (labels.length > 0 && labels.length !== paths.length) {
    throw new ConfigurationError('TREND_LABELS', 'Give one label for each file or folder.', {
      field: 'label',
    });
  }
  const kept = new Map<string, Kept>();
  for (const [at, path] of paths.entries()) {
    for await (const file of readHistory([path], surroundings)) {
      const { document } = file;
      const page = pageOf(file, pageFolder, surroundings.cwd);
      const run = keep(document, { label: labels[at], page });
      if (run !== null)
        kept.set(`${document.kind} ${document.startedAt} ${document.finishedAt}`, run);
    }
  }
  if (kept.size === 0) {
    throw new ConfigurationError(
      'TREND_EMPTY',
      `There is no run of load, check or certify in ${paths.join(', ')}.`,
    );
  }
  const time = ({ run }: Kept): number => Date.parse(run.startedAt);
  const sorted = [...kept.values()].sort((a, b) => time(a) - time(b));
  // A later run of a trend moves it to the front.
  const groups = new Map<string, Kept[]>();
  for (const one of sorted) {
    const before = groups.get(one.key) ?? [];
    groups.delete(one.key);
    groups.set(one.key, [...before, one]);
  }
  return [...groups.values()].reverse().map(trendOf);
}

/** Address of the page beside a run's document; null without one. */
function pageOf({ path }: HistoryFile, pageFolder: string, cwd: string): string | null {
  const file = resolve(cwd, path);
  const page = file.endsWith(`${sep}run.json`)
    ? join(dirname(file), 'report.html')
    : file.replace(/(\.json)?$/, '.html');
  if (!existsSync(page)) return null;
  return relative(pageFolder, page).split(sep).map(encodeURIComponent).join('/');
}

function keep(
  document: RunDocument,
  { label, page }: { readonly label: string | undefined; readonly page: string | null },
): Kept | null {
  if (document.kind === 'conformance') return keepVerdicts(document, label, page);
  if (document.kind !== 'load' && document.kind !== 'load-set') return null;
  const runs = document.kind === 'load' ? [document] : document.runs;
  const [first] = runs;
  if (first === undefined || first.part) return null;
  const facts = planOf(first);
  return {
    ...frame(document, label ?? document.label, page),
    key: JSON.stringify(facts),
    trend: {
      kind: 'load',
      title: headlineOf(first).title,
      facts: facts.filter(([, value]) => !['unknown', 'none', '0'].includes(value)),
    },
    loads: runs.map(figuresOf),
    verdicts: {},
  };
}

function figuresOf({
  verdict,
  invalidBy,
  model,
  interrupted,
  achieved,
  latencyUs,
}: LoadDocument): Load {
  return { verdict, invalidBy, model, interrupted, achieved, latencyUs };
}

function keepVerdicts(
  document: ConformanceDocument,
  label: string | undefined,
  page: string | null,
): Kept {
  const { side, target, suite, client, rules } = document;
  const subject = side === 'client' ? (client?.name ?? target.name) : target.name;
  const facts = [['suite', suite] as const];
  return {
    ...frame(document, label ?? document.label ?? client?.version ?? undefined, page),
    key: JSON.stringify([side, subject, suite]),
    trend: { kind: 'rules', title: headlineOf(document).title, facts },
    loads: [],
    verdicts: Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict])),
  };
}

function frame(
  document: LoadDocument | LoadSetDocument | ConformanceDocument,
  label: string | undefined,
  page: string | null,
): Pick<Kept, 'run' | 'isNamed'> {
  const { tone, verdict } = headlineOf(document);
  const { startedAt } = document;
  const build = label ?? formatInstant(startedAt);
  return { run: { build, startedAt, page, tone, words: verdict }, isNamed: label !== undefined };
}

function trendOf(group: readonly Kept[]): LoadTrend | RuleTrend {
  const { kind, ...trend } = (group.at(-1) as Kept).trend;
  if (kind === 'load') return { ...trend, kind, runs: buildsOf(group) };
  return { ...trend, kind, runs: group.map(({ run, verdicts }) => ({ ...run, verdicts })) };
}

/** Runs next to each other of a build with a name are its repeated runs. */
function buildsOf(group: readonly Kept[]): LoadBuild[] {
  const builds: Kept[] = [];
  for (const one of group) {
    const last = builds.at(-1);
    if (last && one.isNamed && last.run.build === one.run.build) {
      builds[builds.length - 1] = { ...one, loads: [...last.loads, ...one.loads] };
    } else builds.push(one);
  }
  return builds.map(({ run, loads }) => ({ ...run, spread: spreadOf(loads, isUsable) }));
}
