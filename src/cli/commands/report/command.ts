import { basename, dirname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { RunDocument } from '../../../documents/run-document.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { readStream, readTextFile } from '../../files/text.ts';
import { shownPath, writeFiles } from '../../files/write.ts';
import { type Io, note } from '../../io.ts';

const FORMATS = ['html', 'markdown', 'junit', 'json'] as const;

interface ReportOptions {
  format: (typeof FORMATS)[number];
  out?: string;
  recheck?: true;
}

/** Judges the stored exchanges of a document again, without sending anything. */
export type Recheck = (document: RunDocument) => Promise<RunDocument>;

/**
 * Defines `fareproof report`: renders run documents again, several of them as one page. `--recheck`
 * is available if a function for it is given.
 */
export function defineReport(program: Command, io: Io, recheck: Recheck | null = null): void {
  const command = program
    .command('report')
    .description('render run documents again, several as one page')
    .argument('<file...>', 'run.json files, or - for stdin')
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('html'))
    .option('--out <file>', 'file to write (default: stdout)')
    .addHelpText(
      'after',
      '\nExample:\n  $ fareproof report reports/*/run.json --format html --out report.html',
    );
  if (recheck !== null) {
    command.option('--recheck', 'judge the stored exchanges again; nothing is sent');
  }
  command.action(async (files: string[], options: ReportOptions) => {
    const stored = (await Promise.all(files.map((file) => readDocuments(io, file)))).flat();
    const again = options.recheck === true && recheck !== null;
    if (stored.length === 0) {
      throw new ConfigurationError(
        'DOCUMENT_NONE',
        `There is no run document in ${files.map(nameOf).join(', ')}: the list is empty. Give a run.json that fareproof wrote.`,
      );
    }
    const documents = again ? await Promise.all(stored.map(recheck)) : stored;
    await writeResult(io, await renderAs(options.format, documents), options.out);
  });
}

function nameOf(file: string): string {
  return file === '-' ? 'stdin' : file;
}

async function readDocuments(io: Io, file: string): Promise<RunDocument[]> {
  const name = nameOf(file);
  const text = file === '-' ? await readStream(io.stdin, name) : await readTextFile(file, io.cwd);
  const { parseDocument } = await import('../../../documents/run-document.ts');
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? json.map(parseDocument) : [parseDocument(json)];
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new ConfigurationError('DOCUMENT_NOT_JSON', `${name}: ${error.message}.`, {
        cause: error,
      });
    }
    if (error instanceof ConfigurationError) {
      throw new ConfigurationError(error.code, `${name}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

async function renderAs(
  format: ReportOptions['format'],
  documents: readonly RunDocument[],
): Promise<string> {
  const { toHtml, toJson, toJunit, toMarkdown } = await import('../../../report/index.ts');
  switch (format) {
    case 'html':
      return toHtml(documents);
    case 'markdown':
      return toMarkdown(...documents);
    case 'junit':
      return toJunit(...documents);
    case 'json':
      return toJson(...documents);
  }
}

async function writeResult(io: Io, text: string, out: string | undefined): Promise<void> {
  if (out === undefined) {
    io.stdout.write(text);
    return;
  }
  const path = resolve(io.cwd, out);
  const failure = { code: 'REPORT_NOT_WRITABLE', place: out, flag: '--out' };
  await writeFiles(dirname(path), { [basename(path)]: text }, failure);
  note(io, `report: ${shownPath(path, io)}`);
}
