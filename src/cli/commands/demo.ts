import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { notWritable, prepareRunFolder } from '../../app/files/run-folder.ts';
import { shownPath, writeFiles } from '../../app/files/write.ts';
import type { CommandLine } from '../command-line.ts';
import { type Io, print } from '../io.ts';
import { EXIT, worseExitCode } from '../output/exit-codes.ts';

interface Chapter {
  readonly title: string;
  readonly folder: string;
  /** The command and its flags. */
  readonly args: readonly string[];
  /** Client to run, after `--`. */
  readonly client?: readonly string[];
}

const EXAMPLES = new URL('../../../examples/', import.meta.url);
/** Client that is compiled when the package is built, run in its own process. */
const SAMPLE_CLIENT = fileURLToPath(new URL('typescript/dist/client.js', EXAMPLES));

const CHAPTERS: readonly Chapter[] = [
  {
    title: 'check the reference server against every rule',
    folder: 'check',
    args: ['check', '--suite', 'full'],
  },
  {
    title: 'certify an example client in every scenario',
    folder: 'certify',
    args: ['certify', '--orders', 'yes'],
    client: [process.execPath, SAMPLE_CLIENT],
  },
  {
    title: 'put load on the server: 500 requests a second, with a threshold on the response time',
    folder: 'load',
    args: ['load', '--rate', '500', '--duration', '6s', '--threshold', 'p99<250ms'],
  },
];

/**
 * Defines `fareproof demo`: runs the other commands on the embedded server and renders one page.
 */
export function defineDemo(command: Command, io: Io, { run }: CommandLine): void {
  command
    .option('--out <dir>', "folder for the run's files (default: reports/demo-<time>/)")
    .addHelpText('after', '\nExample:\n  $ fareproof demo')
    .action((flags: { out?: string }) => demo(flags, io, run));
}

async function demo({ out }: { out?: string }, io: Io, run: CommandLine['run']): Promise<void> {
  const folder = await prepareRunFolder(io, 'demo', Date.now(), out);
  let worst: number = EXIT.passed;
  const chapters: string[] = [];
  for (const { title, folder: name, args, client } of CHAPTERS) {
    const behind = client === undefined ? [] : ['--', ...client];
    const chapter = join(folder, name);
    io.note(`\n== ${title}\n$ fareproof ${[...args, ...behind].join(' ')}`);
    const code = await run([...args, '--out', chapter, ...behind]);
    if (code === EXIT.interrupted) return io.exit(code);
    worst = worseExitCode(worst, code);
    chapters.push(chapter);
  }
  io.exit(worst);
  const isWritten = await io.deliver(async () => {
    const files = { 'report.html': await renderPage(chapters) };
    await writeFiles(folder, files, notWritable(folder));
  });
  if (isWritten) print(io, `\nopen ${shownPath(join(folder, 'report.html'), io)}`);
}

async function renderPage(folders: readonly string[]): Promise<string> {
  const { readRun } = await import('../../app/files/document.ts');
  const { toHtml } = await import('../../report/index.ts');
  const runs = await Promise.all(folders.map((folder) => readRun(folder, { cwd: '' })));
  return toHtml(runs.map(({ document }) => document));
}
