import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { worseExitCode } from '../../src/cli/output/exit-codes.ts';
import type { ConformanceDocument } from '../../src/documents/conformance.ts';
import { describeProfile, type RunningServer, startServer } from '../../src/server/index.ts';
import { loadSample } from '../report/samples/load-sample.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/temporary-folder.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/fareproof.js', import.meta.url));
const RULE = 'token/nostr-length';

/** Holds the profile of a server that breaks a rule, and documents. */
const shared = temporaryFolderOfFile();
let server: RunningServer;
/** Exchange that shows the broken rule. */
let decisive = '';

beforeAll(async () => {
  server = await startServer({ port: 0, controlPort: 0, faults: [RULE] });
  writeFileSync(at('broken.yaml'), JSON.stringify(describeProfile(server)));
  writeFileSync(at('load.json'), JSON.stringify(loadSample(3)));
  await run([...CHECK, '--out', at('checked')]);
  const { rules } = readRun(at('checked'));
  decisive = rules.find(({ id }) => id === RULE)?.shownBy ?? '';
});
afterAll(() => server.close());

const at = (name: string): string => join(shared, name);

function readRun(folder: string): ConformanceDocument {
  return JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as ConformanceDocument;
}

interface Surroundings {
  readonly cwd?: string;
  /** Outputs that nobody reads. */
  readonly unread?: readonly ('stdout' | 'stderr')[];
  /** Shell command that starts the program. */
  readonly shell?: string;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program. */
async function run(
  args: readonly string[],
  { cwd = shared, unread = [], shell = 'exec "$@"' }: Surroundings = {},
): Promise<Ended> {
  const child = spawn('sh', ['-c', shell, 'sh', process.execPath, LAUNCHER, ...args], {
    cwd,
    env: { ...process.env, XDG_STATE_HOME: join(cwd, 'state'), FAREPROOF_SIGNING_KEY: 'key' },
  });
  child.stdin.end('{"name":"value"}');
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    if (unread.includes(name)) child[name].destroy();
    else child[name].on('data', (chunk: Buffer) => (texts[name] += chunk.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...texts };
}

const TARGET = ['--target', at('broken.yaml')];
const CHECK = ['check', ...TARGET, '--rule', RULE];
const BRIEF = ['--connections', '1', '--duration', '200ms', '--warmup', '0'];
const CERTIFY = ['certify', '--scenario', 'steady-platform', '--'];
const RUN_FILES = ['junit.xml', 'report.html', 'run.json', 'summary.md'];

/** Arguments with the folder of the run in front of those of a client. */
function withOut([command = '', ...args]: readonly string[]): string[] {
  return [command, '--out', 'out', ...args];
}

/** Files and folders in the folder of a run. */
function filesIn(cwd: string): string[] {
  const out = join(cwd, 'out');
  return existsSync(out) ? readdirSync(out).sort() : [];
}

/** Exit code by the documents of a run, or of several. */
function exitIn(cwd: string): number {
  const out = join(cwd, 'out');
  const folders = [out, ...filesIn(cwd).map((name) => join(out, name))];
  return folders
    .filter((folder) => existsSync(join(folder, 'run.json')))
    .map((folder) => readRun(folder).exit?.code ?? Number.NaN)
    .reduce(worseExitCode);
}

interface Example {
  readonly args: readonly string[];
  /** Exit code; left out, that of its documents, where it depends on the machine. */
  readonly code?: number;
  /** Files that it leaves in `out`. */
  readonly files?: readonly string[];
  readonly isLong?: true;
}

/** Each command, with arguments that are quickly done. */
const EXAMPLES: readonly Example[] = [
  {
    args: ['demo', '--out', 'out'],
    files: ['certify', 'check', 'load', 'report.html'],
    isLong: true,
  },
  { args: ['init', '--dir', 'out'], code: 0, files: ['suite.yaml', 'target.yaml'] },
  { args: [...CHECK, '--out', 'out'], code: 1, files: RUN_FILES },
  { args: ['replay', at('checked'), 'DECISIVE', ...TARGET], code: 1, isLong: true },
  {
    args: withOut([...CERTIFY, 'false']),
    code: 3,
    files: [...RUN_FILES, 'clients'],
    isLong: true,
  },
  { args: ['load', ...TARGET, ...BRIEF, '--out', 'out'], files: RUN_FILES },
  { args: ['agent', '--join', 'nowhere'], code: 2 },
  {
    args: ['compare', '--base', at('load.json'), '--candidate', at('load.json'), '--out', 'out'],
    code: 3,
    files: RUN_FILES,
    isLong: true,
  },
  { args: ['bench', '--duration', '1ms', '--out', 'out'], code: 0, files: RUN_FILES, isLong: true },
  { args: ['sign'], code: 0, isLong: true },
  { args: ['rules', '--json'], code: 0, isLong: true },
  {
    args: ['selfcheck', '--rule', 'client/path-version', '--forms', 'none'],
    code: 0,
    isLong: true,
  },
  {
    args: ['report', at('load.json'), '--out', 'out/page.html'],
    code: 0,
    files: ['page.html'],
    isLong: true,
  },
  { args: ['completion', 'bash'], code: 0, isLong: true },
];

describe('a command whose output nobody reads', () => {
  const examples = (areLong: boolean): [string | undefined, Example][] =>
    EXAMPLES.flatMap((one) => ((one.isLong ?? false) === areLong ? [[one.args[0], one]] : []));
  const runUnread = async ({ args, code, files = [] }: Example) => {
    const cwd = temporaryFolder();
    const known = args.map((one) => (one === 'DECISIVE' ? decisive : one));
    const ended = await run(known, { cwd, unread: ['stdout', 'stderr'] });
    const wanted = { code: code ?? exitIn(cwd), files: [...files].sort() };
    return { wanted, seen: { code: ended.code, files: filesIn(cwd) } };
  };
  it.each(examples(false))('does all that it does otherwise: %s', async (_name, example) => {
    const { wanted, seen } = await runUnread(example);
    expect(seen).toEqual(wanted);
  });
  it.each(examples(true))(
    'does all that it does otherwise: %s',
    { tags: ['long'] },
    async (_name, example) => {
      const { wanted, seen } = await runUnread(example);
      expect(seen).toEqual(wanted);
    },
  );

  it('is tested of every command but serve', () => {
    const names = COMMANDS.map(({ name }) => name).filter((name) => name !== 'serve');
    expect(new Set(EXAMPLES.map(({ args }) => args[0]))).toEqual(new Set(names));
  });

  it.each([
    ['stdout', 'stderr'],
    ['stderr', 'stdout'],
  ] as const)(
    'prints to the other output what belongs there: %s is lost',
    { tags: ['long'] },
    async (lost, other) => {
      const cwd = temporaryFolder();
      const ended = await run([...CHECK, '--out', 'out'], { cwd, unread: [lost] });
      expect(ended.code).toBe(1);
      expect(ended[other]).toContain(other === 'stdout' ? 'Exit 1: 1 rule failed' : 'report: out');
      expect(readRun(join(cwd, 'out')).verdict).toBe('not-conformant');
    },
  );

  it('ends, if it is serve', async () => {
    const args = ['serve', '--port', '0', '--host', '0.0.0.0'];
    expect((await run(args, { unread: ['stdout', 'stderr'] })).code).toBe(0);
  });
});

/** No file can be written: every write fails, as on a full disk. */
const FULL = 'ulimit -f 0; exec "$@"';

describe('on a full disk', () => {
  it.each<[string, readonly string[], number, string]>([
    ['check, a rule fails', CHECK, 1, 'Exit 1: 1 rule failed'],
    ['check, none fails', ['check', ...TARGET, '--rule', 'record/*'], 3, 'CONFORMANT'],
    ['load', ['load', ...BRIEF], 3, 'Exit '],
    ['certify', [...CERTIFY, 'false'], 3, 'Exit 3'],
    ['bench', ['bench', '--duration', '1ms'], 3, 'estimate'],
  ])(
    'prints its verdict, and what could not be written: %s',
    { tags: ['long'] },
    async (_name, args, code, verdict) => {
      const cwd = temporaryFolder();
      const ended = await run(withOut(args), { cwd, shell: FULL });
      expect(ended).toMatchObject({ code, stdout: expect.stringContaining(verdict) });
      expect(ended.stderr).toContain('error RUN_FOLDER_NOT_WRITABLE');
      expect(ended.stderr).not.toContain('report: ');
      expect(filesIn(cwd).filter((name) => name !== 'clients')).toEqual([]);
    },
  );

  it.each([
    ['is cut short', 'ulimit -f 8; exec "$@" > result', 'FILE_TOO_LARGE'],
    ['takes nothing', 'exec "$@" > /dev/full', 'DISK_FULL'],
  ])('exits with 3 where stdout %s', async (_name, shell, error) => {
    const ended = await run(['rules', '--json'], { cwd: temporaryFolder(), shell });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(`error ${error}: stdout`);
  });

  it('exits as otherwise where stderr takes nothing', { tags: ['long'] }, async () => {
    const shell = 'exec "$@" 2> /dev/full';
    expect((await run(CHECK, { cwd: temporaryFolder(), shell })).code).toBe(1);
  });

  it('sends no request that counts without a record of it, and judges the others', {
    tags: ['long'],
  }, async () => {
    let tokenRequests = 0;
    const metered = await startServer({
      port: 0,
      accessLog: ({ method }) => {
        if (method === 'POST') tokenRequests++;
      },
    });
    try {
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, 'metered.yaml'), JSON.stringify(describeProfile(metered)));
      // Blocks of 512 or 1024 bytes: the ledger fits, the record of the run does not.
      const rules = ['--rule', 'token/*', '--rule', 'record/*'];
      const args = ['check', '--target', 'metered.yaml', ...rules, '--out', 'out'];
      const ended = await run(args, { cwd, shell: 'ulimit -f 64; exec "$@"' });
      expect(ended.code).toBe(3);
      expect(ended.stdout).toContain('could not be recorded first: ');
      expect(ended.stdout).toMatch(/[1-9]\d* pass, 0 fail/);
      expect(ended.stderr).toContain('continue with: fareproof check --resume');
      const runs = join(cwd, 'state', 'fareproof', 'runs');
      const [id = ''] = readdirSync(runs);
      const recorded = readFileSync(join(runs, id, 'progress.jsonl'), 'utf8');
      expect(tokenRequests).toBeGreaterThan(0);
      expect(recorded.split('{"sending"').length - 1).toBeGreaterThanOrEqual(tokenRequests);
      const resumed = await run(['check', '--resume', 'out'], { cwd });
      expect(resumed.stdout).not.toContain('could not be recorded');
    } finally {
      await metered.close();
    }
  });
});
