import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';
import { installPackage } from '../support/installed-package.ts';
import { NATS_SERVER } from '../support/nats-server.ts';
import type { Step } from './guide.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Ports in the pages; each is replaced by a free one. */
const DEFAULT_PORT = 8080;
const PORTS = [4222, 4223, DEFAULT_PORT, 8081, 8082, 8090, 9100, 9464];

/** Commands that run until they are interrupted, and what they print once they can be used. */
const LASTING =
  /^(?:\w+=\S+ )*(?:(?:npx )?fareproof (?:agent|serve(?! --list)|certify(?!.*(?: -- | --list| --verify)))|nats-server|node \S*deploy\/broker)/;
const READY = /Stop with Ctrl-C|Ctrl-C ends|waiting for a load|Server is ready/;
const HAS_PORT = /^(?:npx )?fareproof (?:serve|certify)/;

/** Folders of commands; that of nats-server is in the path of few users. */
const PATH = [process.env['PATH'], ...(NATS_SERVER === null ? [] : [dirname(NATS_SERVER)])].join(
  delimiter,
);

/** Time after which a command hangs. */
const LIMIT_MS = 300_000;

/**
 * The command of the installed package, and programs of others. `npm install` of an archive holds its name, and of
 * another package links all of this repository; otherwise npm has nothing to do.
 */
const PRELUDE = `
fareproof() { "$PROJECT/node_modules/.bin/fareproof" "$@"; }
npx() { PATH="$PROJECT/node_modules/.bin:${ROOT}node_modules/.bin:$PATH" "$@"; }
npm() {
  [ "$1" = install ] || return 0
  local package
  for package in "$@"; do case "$package" in
    install | -*) ;;
    *.tgz) [ "$(basename "$package")" = "$ARCHIVE" ] || return 1 ;;
    *)
      package=\${package%@*}
      [ -e "${ROOT}node_modules/$package" ] || return 1
      ln -s ${ROOT}node_modules/* node_modules/ 2>/dev/null || : ;;
  esac; done
}
[ -f .exports ] && . ./.exports
`;

/** Result of a command that was typed. */
export interface Typed {
  readonly exitCode: number | null;
  readonly output: string;
}

/** A reader who follows a page in a folder of their own, with a shell. */
export class Reader {
  readonly #folder: string;
  readonly #ports: ReadonlyMap<string, string>;
  readonly #archive: string;
  readonly #lasting: ChildProcess[] = [];

  private constructor(folder: string, archive: string, ports: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#archive = archive;
    this.#ports = ports;
  }

  /**
   * @param folder an empty folder; the package is installed in it
   * @param page text whose ports are taken: many pages are read at once, and free ports are few
   */
  static async begin(folder: string, page = ''): Promise<Reader> {
    const { archive } = installPackage(folder);
    const named = PORTS.filter((port) => port === DEFAULT_PORT || page.includes(`${port}`));
    const ports = await Promise.all(
      named.map(async (port) => [`${port}`, `${await freePort()}`] as const),
    );
    return new Reader(folder, archive, new Map(ports));
  }

  /** Writes a file of the page. */
  write({ name, text }: Extract<Step, { kind: 'file' }>): void {
    const path = join(this.#folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#withPorts(text));
  }

  /** Types a command; one that lasts is left running once it is ready. */
  async type({ text }: Pick<Extract<Step, { kind: 'command' }>, 'text'>): Promise<Typed> {
    const lasts = LASTING.test(text);
    const command = this.#withPorts(
      lasts && HAS_PORT.test(text) && !text.includes('--port')
        ? `${text} --port ${DEFAULT_PORT}`
        : text,
    );
    const script = `${PRELUDE}\n${command}\ncode=$?\nexport -p > .exports\nexit $code`;
    const child = spawn('bash', ['-c', script], {
      cwd: this.#folder,
      env: {
        PATH,
        HOME: this.#folder,
        PROJECT: this.#folder,
        ARCHIVE: basename(this.#archive),
        ...CI,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#lasting.push(child);
    let output = '';
    const ready = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (part: string) => {
          output += part;
          if (lasts && READY.test(output)) resolve();
        });
      }
    });
    const limit = setTimeout(() => signal(child, 'SIGKILL'), LIMIT_MS);
    const ended = once(child, 'close') as Promise<[number | null]>;
    const exitCode = await Promise.race([ready.then(() => 0), ended.then(([code]) => code)]);
    clearTimeout(limit);
    return { exitCode, output };
  }

  /** Interrupts all that still runs, as a reader does with Ctrl-C. */
  async end(): Promise<void> {
    const running = this.#lasting.filter(
      ({ exitCode, signalCode }) => (exitCode ?? signalCode) === null,
    );
    await Promise.all(
      running.map(async (child) => {
        const ended = once(child, 'close');
        signal(child, 'SIGINT');
        const limit = setTimeout(() => signal(child, 'SIGKILL'), LIMIT_MS);
        await ended;
        clearTimeout(limit);
      }),
    );
  }

  #withPorts(text: string): string {
    return text.replace(
      /\b(4222|4223|8080|8081|8082|8090|9100|9464)\b/g,
      (port) => this.#ports.get(port) ?? port,
    );
  }
}

/** Variables that CI services set. */
const CI = {
  GITHUB_ACTIONS: 'true',
  GITHUB_OUTPUT: 'outputs.txt',
  GITHUB_STEP_SUMMARY: 'job-summary.md',
  GITLAB_CI: 'true',
};

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has ended.
  }
}
