// @module-tag long
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { MACHINE_CLOCK } from '../../../../src/conformance/index.ts';
import type { ConformanceDocument } from '../../../../src/documents/conformance.ts';
import { type FaultId, type RunningServer, startServer } from '../../../../src/server/index.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { freePort } from '../../../support/free-port.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const RULES = ['record/currency-code', 'record/pay-type', 'token/nostr-length'];

function writeProfile(more: object): void {
  const estimates = { plain: { product_type: 'private-car', ride_type: 'compact' } };
  const profile = { name: 'mine', baseUrl: 'http://127.0.0.1:1', estimates, ...more };
  writeFileSync(join(cwd, 'profile.yaml'), JSON.stringify(profile));
}

const WATCH = ['check', '--target', 'profile.yaml', ...RULES.flatMap((rule) => ['--rule', rule])];

/** A service with a control API that can be restarted at its address. */
class Service {
  readonly #ports: { readonly port: number; readonly controlPort: number };
  #server: RunningServer | null = null;
  #stopped: Promise<unknown> = Promise.resolve();

  constructor(ports: { readonly port: number; readonly controlPort: number }) {
    this.#ports = ports;
  }

  /** Starts it once the former one has left both ports. */
  async start(...faults: readonly FaultId[]): Promise<void> {
    await this.#stopped;
    this.#server = await startServer({
      ...this.#ports,
      controlToken: 'a-token-of-control',
      faults,
    });
  }

  stop(): Promise<unknown> {
    this.#stopped = Promise.resolve(this.#server?.close(0));
    return this.#stopped;
  }
}

describe('check --watch', () => {
  it('judges each restart, last failures first, and ends with the last verdict', async () => {
    const ports = { port: await freePort(), controlPort: await freePort() };
    const service = new Service(ports);
    const otherPorts = { port: await freePort(), controlPort: await freePort() };
    const elsewhere = new Service(otherPorts);
    const urlOf = (port: number): string => `http://127.0.0.1:${port}`;
    const control = { url: urlOf(ports.controlPort), token: 'a-token-of-control' };
    const partners = [{ id: 'demo', signingKey: 'signing-key-of-demo' }];
    writeProfile({ baseUrl: urlOf(ports.port), control, partners });
    const build = join(cwd, 'build.txt');
    writeFileSync(build, '1');
    const interruption = new AbortController();
    /** Each line on stderr is followed by what a developer does then, in this order. */
    const course: [line: RegExp, act: () => unknown][] = [
      [/^watching profile.yaml/, () => service.start('record/pay-type', 'token/nostr-length')],
      [/^report: /, () => service.stop()],
      [/^the target refuses/, () => service.start('token/nostr-length', 'record/currency-code')],
      [/^report: /, () => service.stop()],
      [/^the target refuses/, () => service.start()],
      // A round that is cut short has no verdict.
      [/^passes record\/currency-code/, () => writeFileSync(build, '2, in the round')],
      [/build\.txt was written$/, () => undefined],
      // A server that is started again may write another profile.
      [
        /^report: /,
        () => writeProfile({ baseUrl: urlOf(ports.port), control, partners, headers: {} }),
      ],
      [/profile\.yaml was written$/, () => undefined],
      [/^report: /, () => service.stop()],
      [
        /^the target refuses/,
        async () => {
          await elsewhere.start();
          const moved = { ...control, url: urlOf(otherPorts.controlPort) };
          writeProfile({ baseUrl: urlOf(otherPorts.port), control: moved, partners });
        },
      ],
      [/^report: /, () => interruption.abort()],
    ];
    const lines: string[] = [];
    const onStderr = (text: string): void => {
      for (const line of text.split('\n').filter((one) => one !== '')) {
        lines.push(line);
        if (course[0]?.[0].test(line)) void course.shift()?.[1]();
      }
    };
    const args = [...WATCH, '--watch', 'build.txt', '--out', 'watched'];
    const { exitCode, stdout } = await runCaptured(args, {
      cwd,
      clock: MACHINE_CLOCK,
      onStderr,
      interruption: interruption.signal,
    });
    await elsewhere.stop();
    expect(course).toEqual([]);
    expect(stdout.replaceAll(/, [\d.]+ s$/gm, '')).toBe(
      [
        'Not conformant, 3 of 3 rules judged',
        'Not conformant, 3 of 3 rules judged',
        'newly broken: record/currency-code',
        'fixed: record/pay-type',
        'still broken: token/nostr-length',
        'Conformant, 3 of 3 rules judged',
        'newly broken: none',
        'fixed: token/nostr-length, record/currency-code',
        'still broken: none',
        ...[1, 2].flatMap(() => [
          'Conformant, 3 of 3 rules judged',
          'newly broken: none',
          'fixed: none',
          'still broken: none',
        ]),
        '',
      ].join('\n'),
    );
    expect(exitCode).toBe(0);
    const rounds = lines
      .join('\n')
      .split(/^judging$/m)
      .map(wordsOf);
    expect(rounds[2]?.slice(0, 3).sort()).toEqual(
      ['broken token/nostr-length', 'passes record/pay-type', 'broken record/currency-code'].sort(),
    );
    const { against } = JSON.parse(
      readFileSync(join(cwd, 'watched/run.json'), 'utf8'),
    ) as ConformanceDocument;
    expect(against).toMatchObject({ run: 'the last round', newlyBroken: [] });
    expect(existsSync(join(cwd, '.state'))).toBe(false);
  });

  it('interrupted before a verdict writes what was judged, with exit code 130', async () => {
    const server = await startServer({ controlPort: 0, faults: ['token/nostr-length'] });
    try {
      const control = { url: server.controlUrl, token: server.controlToken };
      writeProfile({ baseUrl: server.baseUrl, control });
      const interruption = new AbortController();
      const { exitCode, stdout } = await runCaptured([...WATCH, '--watch', '--out', 'watched'], {
        cwd,
        clock: MACHINE_CLOCK,
        onStderr: (text) => text.startsWith('judging') && interruption.abort(),
        interruption: interruption.signal,
      });
      expect(exitCode).toBe(130);
      expect(stdout).toContain('Incomplete');
      expect(existsSync(join(cwd, 'watched/run.json'))).toBe(true);
    } finally {
      await server.close(0);
    }
  });

  it.each([
    [[], {}, 'CONTROL_MISSING', "--watch: each round would spend of the profile's partners; add"],
    [
      ['--suite', 'smoke'],
      {
        control: { url: 'http://127.0.0.1:1' },
        partners: [
          { id: 'p', signingKey: 'key-of-p-123456', accessToken: 'token-of-p-1234567890' },
        ],
      },
      'CONTROL_MISSING',
      '--watch: each round of the suite smoke would spend',
    ],
    [['--plan'], {}, 'FLAG_CONFLICT', '--watch: it cannot be combined with --plan.'],
    [['--resume', 'x'], {}, 'FLAG_CONFLICT', '--watch: it cannot be combined with --resume.'],
    [['--json'], {}, 'FLAG_CONFLICT', '--watch: it cannot be combined with --json.'],
  ])('with %j and %j is wrong usage: %s', async (args, profile, code, message) => {
    writeProfile(profile);
    const { exitCode, stderr } = await runCaptured([...WATCH, '--watch', ...args], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error ${code}: ${message}`);
  });

  it('needs a target that can change', async () => {
    const { exitCode, stderr } = await runCaptured(['check', '--watch'], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--watch: it needs --target');
  });
});

/** Lines of a round on broken rules and on those that pass again, without their reasons. */
function wordsOf(round: string): string[] {
  return [...round.matchAll(/^(broken|passes) (\S+):/gm)].map(
    ([, what, rule]) => `${what} ${rule}`,
  );
}
