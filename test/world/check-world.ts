import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkTarget } from '../../src/app/check/check-target.ts';
import { writeRunFiles } from '../../src/app/files/run-folder.ts';
import { describeSystemError } from '../../src/app/files/system-error.ts';
import { exitOfCheck } from '../../src/cli/output/exit-codes.ts';
import {
  type CheckServiceOptions,
  FULL_SUITE,
  ResumableRun,
  SeededRandom,
  World,
} from '../../src/conformance/index.ts';
import type { OpenTransport, WireRequest } from '../../src/conformance/service/http/message.ts';
import type { ConformanceDocument } from '../../src/documents/conformance.ts';
import { FareproofError } from '../../src/interface/errors.ts';
import { type LedgerWorld, openLedger } from '../../src/spending/index.ts';
import { Chance } from '../independent-service/chance.ts';
import { targetOf } from '../independent-service/judge.ts';
import { styleWith } from '../independent-service/odd-styles.ts';
import { OutsideService } from '../independent-service/service.ts';
import { join as joinWorld } from '../independent-service/world.ts';
import { OWNER } from '../support/lock-world.ts';
import { SideClock } from './clocks.ts';
import { Dead, Disk, type Writer } from './disk.ts';
import { type Met, Network } from './network.ts';
import type { CheckPlan, Fault } from './plan.ts';

/** Far from the end of a day, in any time zone of a style, and from a quarter of an hour. */
const START_MS = Date.UTC(2026, 6, 8, 10, 3);

const TIMEOUT_MS = 10_000;

/** Time after which a run that has not ended never will, ms: it waits for times two days away at most. */
const NEVER_MS = 21 * 86_400_000;

/** Parts of one run, after which it is left alone. */
const MOST_PARTS = 5;

/** Code of an error that is neither ours nor one of the system's. */
export const UNKNOWN_ERROR = 'unknown';

/** A part of a run: its document, the code of its error, or its death. */
export interface Part {
  /** Number of its process, from 0. */
  readonly process: number;
  readonly kind: 'start' | 'resume' | 'second';
  readonly document: ConformanceDocument | null;
  /** Code of the error that ended it; null for none. */
  readonly error: string | null;
  readonly thrown: unknown;
  readonly died: boolean;
  /** False where it did not end. */
  readonly ended: boolean;
  /** Time that it took, ms. */
  readonly tookMs: number;
}

/** Request that a process sent to the service, whether or not it arrived. */
export interface Sent extends Pick<WireRequest, 'method' | 'url' | 'body'> {
  /** Number of the process. */
  readonly process: number;
  /** True once the process has the answer that refuses it. */
  isRefused: boolean;
}

/** History of a world, for the invariants to judge. */
export interface CheckHistory {
  readonly plan: CheckPlan;
  readonly parts: readonly Part[];
  readonly service: OutsideService;
  readonly sent: readonly Sent[];
  readonly met: Met;
  /** Folder with the files of the runs, and those of the state; it exists until the world is closed. */
  readonly folder: string;
  /** Lines that a run printed besides its document. */
  readonly notes: readonly string[];
}

/** Process of a checker. */
class Program implements Writer {
  readonly number: number;
  readonly boot: number;
  readonly died: Promise<void>;
  isDead = false;
  isGone = false;
  #steps = 0;
  readonly #deathAt: number;
  #noteDeath: () => void = () => undefined;

  constructor(number: number, boot: number, deathAt = Number.POSITIVE_INFINITY) {
    this.number = number;
    this.boot = boot;
    this.#deathAt = deathAt;
    this.died = new Promise((resolve) => {
      this.#noteDeath = resolve;
    });
  }

  diesNow(): boolean {
    if (++this.#steps < this.#deathAt) return false;
    this.isDead = true;
    this.#noteDeath();
    return true;
  }

  /** Takes a step; for a dead process it never ends. */
  async step(): Promise<void> {
    if (this.isDead || this.diesNow()) await new Promise(() => undefined);
  }
}

/** Real time without any event after which a run hangs, ms: a run that waits has an event of the world. */
const HANG_MS = 60_000;

/** Finds a run that never ends: it waits for nothing, or for ever. */
class Hang {
  readonly found: Promise<void>;
  readonly #timer: NodeJS.Timeout;

  constructor(world: World) {
    const startNs = world.monotonicNs();
    let [lastNs, stillMs] = [-1, 0];
    let find: () => void = () => undefined;
    this.found = new Promise((resolve) => {
      find = resolve;
    });
    this.#timer = setInterval(() => {
      const nowNs = world.monotonicNs();
      stillMs = nowNs === lastNs ? stillMs + HANG_MS / 60 : 0;
      lastNs = nowNs;
      if (stillMs >= HANG_MS || nowNs - startNs > 1e6 * NEVER_MS) find();
    }, HANG_MS / 60);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const of = <K extends Fault['kind']>(plan: CheckPlan, kind: K): Extract<Fault, { kind: K }>[] =>
  plan.faults.filter((fault): fault is Extract<Fault, { kind: K }> => fault.kind === kind);

/** A world in which a service is checked. */
export class CheckWorld {
  readonly #plan: CheckPlan;
  readonly #world: World;
  readonly #machine: SideClock;
  readonly #service: OutsideService;
  readonly #network: Network;
  readonly #disk: Disk;
  readonly #chance: Chance;
  readonly #folder: string;
  readonly #partners: CheckServiceOptions['target']['partners'];
  readonly #programs: Program[] = [];
  readonly #runs: ResumableRun[] = [];
  readonly #parts: Part[] = [];
  readonly #notes: string[] = [];
  readonly #sent: Sent[] = [];
  readonly #met: Met = {};
  #interruption: AbortController | null = null;
  #second: Promise<void> | null = null;

  constructor(plan: CheckPlan) {
    const { seed, faults, styles, broken, environment } = plan;
    this.#plan = plan;
    this.#chance = new Chance(seed);
    this.#folder = mkdtempSync(join(tmpdir(), 'fareproof-world-'));
    mkdirSync(join(this.#folder, 'out'));
    mkdirSync(join(this.#folder, 'out-of-second'));
    const room = of(plan, 'disk-full').map(({ afterBytes }) => afterBytes);
    this.#disk = new Disk(this.#folder, Math.min(Number.POSITIVE_INFINITY, ...room));
    this.#world = new World(START_MS, new SeededRandom(seed));
    this.#machine = new SideClock(this.#world, 'machine', faults);
    const clock = new SideClock(this.#world, 'service', faults);
    const chance = new Chance(seed + 1);
    this.#service = new OutsideService(
      { ...styleWith(styles), name: styles.join(', ') || 'plain' },
      broken === null ? [] : [broken],
      environment,
      clock,
      chance,
    );
    this.#network = new Network(faults, this.#world, clock, new Chance(seed + 2), TIMEOUT_MS);
    joinWorld(this.#world, this.#service, (answer) => this.#network.through(answer));
    this.#partners = plan.hasControl
      ? []
      : plan.partners.map((use, at) => {
          const codes = Array.from(
            { length: plan.codesEach },
            () => `code-${at}-${chance.drawBelow(1e12).toString(36)}`,
          );
          const { id, key } = this.#service.addPartner(`partner-${at}`, codes, use === 'long-lock');
          return { id, signingKey: key, use, authCodes: codes };
        });
    this.#network.onArrival = (number) => {
      this.#machine.arrive(number);
      clock.arrive(number);
      for (const { at } of of(plan, 'interrupt')) if (at === number) this.#interruption?.abort();
      for (const { at } of of(plan, 'second-checker')) if (at === number) this.#startSecond();
    };
  }

  /** Lets everything happen that the plan has; the files are there until {@link close}. */
  async run(): Promise<CheckHistory> {
    try {
      await this.#runParts();
      await this.#second;
    } finally {
      this.#disk.mount(null);
      for (const one of this.#runs) one.close();
    }
    for (const fault of this.#plan.faults) {
      const { kind } = fault;
      if ((kind === 'offset' || kind === 'drift') && this.#network.sent > 0) this.#meet(kind);
      if ((kind === 'step' || kind === 'standstill') && this.#network.sent >= fault.at)
        this.#meet(kind);
    }
    if (this.#disk.refusedWrites > 0) this.#meet('disk-full');
    return {
      plan: this.#plan,
      parts: this.#parts,
      service: this.#service,
      sent: this.#sent,
      met: { ...this.#met, ...this.#network.met },
      folder: this.#folder,
      notes: this.#notes,
    };
  }

  /** Removes its files. */
  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #meet(kind: Fault['kind']): void {
    this.#met[kind] = (this.#met[kind] ?? 0) + 1;
  }

  async #runParts(): Promise<void> {
    const deaths = [...of(this.#plan, 'death')];
    const later = [...of(this.#plan, 'later')];
    const again = [...of(this.#plan, 'again')];
    let boot = 1;
    let kind: Part['kind'] = 'start';
    for (let count = 0; count < MOST_PARTS; count++) {
      const death = deaths.shift();
      const part = await this.#part(kind, this.#program(boot, death?.at), 'out');
      if (!part.ended) return;
      if (part.error === 'RESUME_NOTHING' && kind === 'resume') {
        // It died before it had an id, or after it was finished.
        kind = 'start';
        continue;
      }
      kind = 'resume';
      if (part.died) {
        this.#meet('death');
        if (death?.power) {
          this.#disk.mount(null);
          this.#disk.losePower(this.#chance);
          boot++;
        }
        continue;
      }
      const interrupted = part.document?.interrupted === true;
      if (interrupted) {
        this.#meet('interrupt');
        continue;
      }
      const isPending = part.document?.rules.some(({ pendingUntil }) => pendingUntil !== undefined);
      const wait = (isPending ? later : again).shift();
      if (wait === undefined) return;
      this.#meet(wait.kind);
      if (wait.kind === 'again') kind = 'start';
      await this.#world.sleep(wait.hours * 3_600_000);
    }
  }

  #program(boot: number, deathAt?: number): Program {
    for (const one of this.#programs) one.isGone = true;
    const program = new Program(this.#programs.length, boot, deathAt);
    this.#programs.push(program);
    return program;
  }

  /** Starts another process on the same ledger, which does not die. */
  #startSecond(): void {
    if (this.#second || this.#programs.some(({ isDead }) => isDead)) return;
    const [first] = this.#programs;
    const program = new Program(900, first?.boot ?? 1);
    this.#programs.push(program);
    this.#meet('second-checker');
    this.#second = this.#part('second', program, 'out-of-second').then(() => undefined);
  }

  async #part(kind: Part['kind'], program: Program, out: string): Promise<Part> {
    const isFirst = kind !== 'second';
    if (isFirst) {
      this.#disk.mount(program);
      this.#interruption = new AbortController();
    }
    const startNs = this.#world.monotonicNs();
    const documents: ConformanceDocument[] = [];
    const outcome: { error: string | null; thrown: unknown } = { error: null, thrown: null };
    let isOver = false;
    const ends = this.#check(kind, program, join(this.#folder, out), documents)
      .catch((error: unknown) => {
        outcome.thrown = error;
        const own = error instanceof FareproofError ? error : describeSystemError(error);
        outcome.error = own?.code ?? UNKNOWN_ERROR;
      })
      .then(() => {
        isOver = true;
      });
    const hang = new Hang(this.#world);
    await Promise.race([ends, program.died, hang.found]);
    hang.close();
    // A process that died tries nothing any more once its last turn is over.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    program.isGone = true;
    const died = program.isDead || outcome.thrown instanceof Dead;
    const part: Part = {
      process: program.number,
      kind,
      document: died ? null : (documents.at(-1) ?? null),
      error: died ? null : outcome.error,
      thrown: died ? null : outcome.thrown,
      died,
      ended: isOver || died,
      tookMs: (this.#world.monotonicNs() - startNs) / 1e6,
    };
    this.#parts.push(part);
    return part;
  }

  async #check(
    kind: Part['kind'],
    program: Program,
    folder: string,
    documents: ConformanceDocument[],
  ): Promise<void> {
    const plan = this.#plan;
    const world = this.#lockWorld(program);
    const states = join(this.#folder, 'state');
    const kept =
      kind === 'resume'
        ? await ResumableRun.resume(folder, states, world)
        : await ResumableRun.start(folder, states, {}, world);
    this.#runs.push(kept);
    const ledger = {
      open: async () => openLedger(join(this.#folder, 'state', 'ledger.jsonl'), world),
    };
    const clock = {
      now: () => this.#machine.now(),
      monotonicNs: () => this.#machine.monotonicNs(),
      uptimeMs: () => this.#machine.uptimeMs(),
      sleep: async (forMs: number, signal?: AbortSignal) => {
        await program.step();
        await this.#machine.sleep(forMs, signal);
        await program.step();
      },
    };
    const options: CheckServiceOptions = {
      target: targetOf(this.#service, plan.hasControl, this.#partners),
      suite: FULL_SUITE,
      only: plan.rules,
      seed: plan.seed,
      clock,
      openTransport: this.#transportOf(program),
      timeoutMs: TIMEOUT_MS,
      maxRate: null,
      requests: plan.requests,
      allowBan: plan.allowBan,
      requireComplete: false,
      waits: plan.waits,
      ledger,
    };
    const place = { baseUrl: options.target.baseUrl, ledger };
    try {
      await checkTarget(
        { options, waivers: null, against: null, place, cautiousRate: null },
        { folder, kept },
        {
          onRequest: () => undefined,
          signal: kind === 'second' ? undefined : this.#interruption?.signal,
          deliver: async ({ document }) => {
            const delivered = { ...document, exit: exitOfCheck(document, {}) };
            documents.push(delivered);
            await writeRunFiles(folder, delivered).catch((error: unknown) => {
              this.#notes.push(String(error));
            });
          },
          onUnfinished: () => undefined,
        },
      );
    } catch (error) {
      this.#notes.push(String(error));
      throw error;
    } finally {
      if (!program.isDead) kept.close();
    }
  }

  #lockWorld(program: Program): LedgerWorld {
    const { boot, number } = program;
    const random = new SeededRandom(this.#plan.seed * 1_000 + number);
    return {
      owner: { ...OWNER, processId: 100 + number, bootId: `boot-${boot}` },
      isAlive: ({ processId, bootId }) =>
        this.#programs.some(
          (one) => 100 + one.number === processId && `boot-${one.boot}` === bootId && !one.isGone,
        ),
      wall: () => this.#machine.now(),
      uptimeMs: () => this.#machine.uptimeMs(),
      sleep: async (forMs) => {
        await program.step();
        await this.#machine.sleep(forMs);
      },
      nonce: () => random.hex(16),
    };
  }

  #transportOf(program: Program): OpenTransport {
    return (options) => {
      const { send, pause, close } = this.#world.openTransport(options);
      return {
        send: async (request) => {
          await program.step();
          const { method, url, body } = request;
          const sent = { method, url, body, process: program.number, isRefused: false };
          if (!url.startsWith(this.#service.controlUrl)) this.#sent.push(sent);
          const outcome = await send(request);
          await this.#machine.awake();
          await program.step();
          sent.isRefused = (outcome.response?.status ?? 200) !== 200;
          return outcome;
        },
        pause: async (forMs) => {
          await program.step();
          await pause(forMs);
        },
        close,
      };
    };
  }
}
