import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { KnownSecrets } from '../../../../src/app/known-secrets.ts';
import { defineReport } from '../../../../src/cli/commands/report/command.ts';
import type { Io } from '../../../../src/cli/io.ts';
import { toHtml, toJson, toJunit, toMarkdown } from '../../../../src/report/index.ts';
import { findMaxSample, loadSample } from '../../../report/samples/load-sample.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const folder = temporaryFolderOfFile();

beforeAll(() => {
  writeFileSync(join(folder, 'a.json'), toJson(loadSample(3)));
  writeFileSync(join(folder, 'b.json'), toJson(findMaxSample()));
  writeFileSync(join(folder, 'list.json'), toJson(loadSample(3), findMaxSample()));
  writeFileSync(join(folder, 'newer.json'), JSON.stringify({ ...loadSample(3), schemaVersion: 9 }));
  writeFileSync(join(folder, 'broken.json'), '{"kind": ');
});

/** Runs `report` with these arguments; returns its stdout and stderr. */
async function report(
  args: readonly string[],
  { stdin = '' }: { stdin?: string } = {},
): Promise<{ out: string; notes: string }> {
  const written = { out: '', notes: '' };
  const into = (key: keyof typeof written): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[key] += chunk.toString('utf8');
        done();
      },
    });
  const io: Io = {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: into('out'),
    stderr: into('notes'),
    env: {},
    secrets: new KnownSecrets(),
    cwd: folder,
    color: false,
    interactive: false,
    note: (line) => (written.notes += `${line}\n`),
    exit: () => undefined,
    deliver: async (write) => (await write(), true),
    interruption: () => new AbortController().signal,
  };
  const program = new Command().exitOverride().configureOutput({
    writeErr: (text) => io.stderr.write(text),
  });
  defineReport(program, io);
  await program.parseAsync(args, { from: 'user' });
  return written;
}

describe('report', () => {
  test.each([
    ['html', toHtml([loadSample(3)])],
    ['markdown', toMarkdown(loadSample(3))],
    ['junit', toJunit(loadSample(3))],
    ['json', toJson(loadSample(3))],
  ])('writes %s to stdout and nothing else', async (format, text) => {
    expect(await report(['a.json', '--format', format])).toEqual({ out: text, notes: '' });
  });

  test('renders several documents from files, lists and stdin as one page', async () => {
    const page = toHtml([loadSample(3), findMaxSample()]);
    expect((await report(['a.json', 'b.json'])).out).toBe(page);
    expect((await report(['list.json'])).out).toBe(page);
    expect((await report(['-', 'b.json'], { stdin: toJson(loadSample(3)) })).out).toBe(page);
  });

  test('writes a file, creates its folder, and prints the path', async () => {
    const { out, notes } = await report(['a.json', '--out', 'new/page.html']);
    expect(out).toBe('');
    expect(notes).toBe('report: new/page.html\n');
    expect(readFileSync(join(folder, 'new/page.html'), 'utf8')).toBe(toHtml([loadSample(3)]));
  });

  test.each([
    ['newer.json', 'DOCUMENT_VERSION_NEWER', /^newer\.json: .*schemaVersion 9/],
    ['broken.json', 'DOCUMENT_NOT_JSON', /^broken\.json is not valid JSON/],
    ['missing.json', 'FILE_NOT_READ', /^missing\.json: there is no such file/],
    ['.', 'FILE_NOT_READ', /^\.: it is a folder; give a file/],
  ])('refuses %s with %s, and names the file', async (file, code, message) => {
    await expect(report(['a.json', file])).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test('refuses empty lists, and names the files', async () => {
    writeFileSync(join(folder, 'none.json'), '[]');
    await expect(report(['none.json', '-'], { stdin: '[]' })).rejects.toMatchObject({
      code: 'DOCUMENT_NONE',
      message: expect.stringContaining('none.json, stdin') as string,
    });
    expect((await report(['none.json', 'a.json'])).out).toBe(toHtml([loadSample(3)]));
  });

  test('refuses an unknown format and an unwritable path', async () => {
    await expect(report(['a.json', '--format', 'pdf'])).rejects.toMatchObject({
      code: 'commander.invalidArgument',
    });
    await expect(report(['a.json', '--out', 'a.json/page.html'])).rejects.toMatchObject({
      code: 'REPORT_NOT_WRITABLE',
    });
  });
});
