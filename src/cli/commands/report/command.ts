import { basename, dirname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { shownPath, writeFiles } from '../../../app/files/write.ts';
import type { RunDocument } from '../../../documents/run-document.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { Io } from '../../io.ts';
import { exitOfLoad } from '../../output/exit-codes.ts';

const FORMATS = ['html', 'markdown', 'junit', 'json'] as const;

interface ReportFlags {
  format: (typeof FORMATS)[number];
  out?: string;
  recheck?: true;
  merge?: true;
  trend?: true;
  label?: string[];
}

/** Defines `fareproof report`: renders run documents again, several of them as one page. */
export function defineReport(command: Command, io: Io): void {
  command
    .argument('<file...>', 'run.json files, or - for stdin; with --trend folders of runs too')
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('html'))
    .option('--out <file>', 'file to write (default: stdout)')
    .option('--merge', 'make one document of all parts of a load (load --part), and judge it')
    .addOption(
      new Option(
        '--trend',
        'one page of many runs, of loads or checks, over their builds: html or markdown',
      ).conflicts(['merge', 'recheck']),
    )
    .option('--label <name...>', 'with --trend: name of the build, one for each file or folder')
    .option('--recheck', 'judge the stored exchanges again; nothing is sent')
    .addHelpText(
      'after',
      '\nExample:\n  $ fareproof report reports/*/run.json --format html --out report.html\n  $ fareproof report --merge part-*/run.json --format json --out run.json\n  $ fareproof report --trend history --out history/trend.html',
    )
    .action(async (files: string[], flags: ReportFlags) => {
      const { format, out, recheck, merge } = flags;
      if (flags.trend) return await writeResult(io, await trendAs(files, flags, io), out);
      const { mergedDocument, readDocuments, recheckDocument } = await import(
        '../../../app/report/stored-documents.ts'
      );
      const stored = await readDocuments(files, io);
      const documents = recheck ? await Promise.all(stored.map(recheckDocument)) : stored;
      const whole = merge && (await mergedDocument(documents));
      const merged = whole && { ...whole, exit: exitOfLoad(whole) };
      await writeResult(io, await renderAs(format, merged ? [merged] : documents), out);
      if (merged) {
        io.note(`${merged.verdict}: ${merged.reason}`);
        io.exit(merged.exit.code);
      }
    });
}

/** @throws ConfigurationError `FLAG_CONFLICT` for another format, and as readTrends */
async function trendAs(paths: string[], flags: ReportFlags, io: Io): Promise<string> {
  const { format, out, label: labels = [] } = flags;
  if (format !== 'html' && format !== 'markdown') {
    throw new ConfigurationError('FLAG_CONFLICT', `--trend is html or markdown, not ${format}.`);
  }
  const { readTrends } = await import('../../../app/report/trend.ts');
  const { trendToHtml, trendToMarkdown } = await import('../../../report/index.ts');
  const pageFolder = out === undefined ? io.cwd : dirname(resolve(io.cwd, out));
  const trends = await readTrends({ paths, labels, pageFolder }, io);
  return format === 'html' ? trendToHtml(trends) : trendToMarkdown(trends);
}

async function renderAs(
  format: ReportFlags['format'],
  documents: readonly RunDocument[],
): Promise<string> {
  const { toHtml, toJson, toJunit, toMarkdown } = await import('../../../report/index.ts');
  if (format === 'html') return toHtml(documents);
  return { markdown: toMarkdown, junit: toJunit, json: toJson }[format](...documents);
}

async function writeResult(io: Io, text: string, out: string | undefined): Promise<void> {
  if (out === undefined) {
    io.stdout.write(text);
    return;
  }
  const path = resolve(io.cwd, out);
  const failure = { code: 'REPORT_NOT_WRITABLE', place: out, option: 'out' };
  await writeFiles(dirname(path), { [basename(path)]: text }, failure);
  io.note(`report: ${shownPath(path, io)}`);
}
