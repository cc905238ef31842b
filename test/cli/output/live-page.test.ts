import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CertifyLive } from '../../../src/app/certify/live.ts';
import { ListeningThread } from '../../../src/conformance/index.ts';
import { systemClock } from '../../../src/load/index.ts';
import type { LiveEvent } from '../../../src/report/live/events.ts';
import type { LiveView } from '../../../src/report/live/page.ts';
import { DEMO_PARTNERS, startServer } from '../../../src/server/index.ts';
import { readLive, requestsOf, wordsOf } from '../../report/live/live-stream.ts';
import { Caller } from '../../server/caller.ts';
import { type Outcome, runCaptured } from '../../support/captured-io.ts';
import { temporaryFolderOfFile } from '../../support/temporary-folder.ts';
import { unhurriedClock } from '../../support/unhurried-clock.ts';

const cwd = temporaryFolderOfFile();
const file = (name: string, text: string): string => {
  writeFileSync(join(cwd, name), text);
  return join(cwd, name);
};
const env = { PATH: process.env['PATH'] ?? '' };

interface Watched extends Outcome {
  views: readonly LiveView[];
  /** The view with which the page ended. */
  last: LiveView;
  /** The stream as received. */
  text: string;
  url: string;
}

/** Runs a command line with --live, reads the stream of its page to the end, and acts meanwhile. */
async function watch(
  args: readonly string[],
  act?: (said: () => string, interrupt: () => void, url: string) => Promise<void>,
): Promise<Watched> {
  const interruption = new AbortController();
  let said = '';
  let heard: (url: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    heard = resolve;
  });
  const running = runCaptured([...args, '--live'], {
    cwd,
    env,
    load: { clock: unhurriedClock(systemClock()) },
    interruption: interruption.signal,
    onStdout: (text) => (said += text),
    onStderr: (text) => {
      const [, url] = /live page: (\S+)/.exec(text) ?? [];
      if (url !== undefined) heard(url);
    },
  });
  const url = await Promise.race([address, running.then(({ stderr }) => `no page: ${stderr}`)]);
  let reading: ReturnType<typeof readLive> | undefined;
  await new Promise<void>((resolve, reject) => {
    reading = readLive(url, { onOpen: resolve });
    reading.catch(reject);
  });
  await act?.(
    () => said,
    () => interruption.abort('SIGINT'),
    url,
  );
  const [outcome, { text, views }] = await Promise.all([running, reading!]);
  return { ...outcome, views, last: views.at(-1)!, text, url };
}

const secretsOf = (text: string): string[] =>
  DEMO_PARTNERS.flatMap(({ signingKey, authCodes }) =>
    [signingKey, ...authCodes].filter((secret) => text.includes(secret)),
  );

describe('load --live', () => {
  it('shows the run second by second, and the path of its report', { tags: ['long'] }, async () => {
    const args = ['load', '--rate', '50', '--duration', '2s', '--warmup', '0', '--out', 'load'];
    const { views, last, text, url, stdout } = await watch(
      [...args, '--json', '--threshold', 'p50<9s'],
      async (_said, _interrupt, page) => {
        await readLive(page, { until: ({ spoken }) => spoken === 'Measuring' });
      },
    );
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    const document = JSON.parse(stdout) as { series: { t: number }[]; verdict: string };
    // Before the end: the seconds so far, with the threshold.
    const rate = views.findLast(({ ended, charts }) => !ended && charts.length > 0)?.charts[0];
    expect(rate).toMatchObject({ id: 'live-rate', group: 'live' });
    // In the end it is the report: with all seconds, the verdict, and the path of its page.
    expect(last.ended).toBe(true);
    const [all] = last.charts;
    expect(all?.x.slice(0, 2)).toEqual(document.series.slice(0, 2).map(({ t }) => t));
    expect(last.markup).toContain('id="run-1"');
    expect(wordsOf(last).join()).toContain(join(cwd, 'load', 'report.html'));
    expect(wordsOf(last).join()).toContain('p50&lt;9s');
    expect(secretsOf(text)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('shows several runs one after the other', { tags: ['long'] }, async () => {
    const args = ['load', '--rate', '20', '--duration', '1500ms', '--warmup', '0', '--runs', '2'];
    const { views, last } = await watch([...args, '--out', 'runs'], async (_said, _stop, page) => {
      await readLive(page, { until: ({ markup }) => markup.includes('run 2 of 2: ') });
    });
    expect(views.some(({ markup }) => markup.includes('run 1 of 2'))).toBe(true);
    expect(wordsOf(last, /<li>.*?<\/li>/gs)).toEqual([
      expect.stringMatching(/^run 1 of 2: (held, |invalid: )/),
      expect.stringMatching(/^run 2 of 2: (held, |invalid: )/),
    ]);
  });

  it('ends at once with the result if the run is interrupted', { tags: ['long'] }, async () => {
    const args = ['load', '--rate', '20', '--duration', '60s', '--warmup', '0', '--out', 'cut'];
    const { last, exitCode, url } = await watch(args, async (_said, interrupt, page) => {
      await readLive(page, { until: ({ spoken }) => spoken === 'Measuring' });
      interrupt();
    });
    expect(exitCode).toBe(130);
    expect(last.ended).toBe(true);
    const [words] = wordsOf(last);
    expect(words).toMatch(/Interrupted: /);
    expect(words).toContain(join(cwd, 'cut', 'report.html'));
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('ends the page if the run cannot start', async () => {
    let refuse: () => void = () => undefined;
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const target = createServer((_request, response) => {
      void refused.then(() => response.writeHead(500).end());
    });
    await once(target.listen(0, '127.0.0.1'), 'listening');
    const profile = `name: refuses
baseUrl: http://127.0.0.1:${(target.address() as AddressInfo).port}
environment: production
partners: [{ id: p-1, signingKey: k }]
estimates: { plain: { product_type: private-car, ride_type: compact } }
`;
    const args = ['load', '--target', file('refuses.yaml', profile)];
    const { last, exitCode } = await watch(args, async () => refuse());
    target.close();
    expect(exitCode).toBe(3);
    expect(last).toMatchObject({ ended: true, spoken: 'Ended' });
    expect(wordsOf(last)[0]).toContain('The command has ended.');
  });

  it('opens no page without the flag', async () => {
    const args = ['load', '--rate', '20', '--duration', '100ms', '--warmup', '0', '--out', 'none'];
    const { stderr } = await runCaptured(args, { cwd });
    expect(stderr).not.toContain('live page');
  });
});

/**
 * Waits until its page is read, sends one wrong signature, puts its token into a path, and leaves
 * its key where the test finds it.
 */
const client = file(
  'client.mjs',
  `import { hash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
while (!existsSync('watched')) await new Promise((resolve) => setTimeout(resolve, 10));
const { FAREPROOF_BASE_URL: base, FAREPROOF_PARTNER_ID: id, FAREPROOF_SIGNING_KEY: key } = process.env;
const text = (order) => order.map(([k, v]) => k + '=' + v).join('&');
const ask = async (nostr, wrong) => {
  const pairs = [['_', new Date().toISOString()], ['grant_type', 'client_credentials'], ['nostr', nostr]];
  const signed = wrong ? text(pairs.toReversed()) : text(pairs);
  const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer ' + id + '|' + hash('md5', hash('md5', signed) + key) };
  const answer = await fetch(base + '/v1/oauth/token', { method: 'POST', headers, body: JSON.stringify(Object.fromEntries(pairs)) });
  return (await answer.json()).access_token;
};
await ask('a1B2c3', true);
const token = await ask('d4E5f6', false);
await fetch(base + '/v1/estimates/prices/' + token);
writeFileSync('secrets.json', JSON.stringify([key, token]));`,
);

describe('certify --live', () => {
  it('shows each request of a command judged as it comes, and no secret', async () => {
    const args = ['certify', '--scenario', 'steady-platform', '--out', 'certified', '--live'];
    const command = ['--', process.execPath, client];
    const { last, text, exitCode } = await watch([...args, ...command], async () => {
      file('watched', '');
    });
    expect(exitCode).toBe(1);
    expect(requestsOf(last)).toEqual([
      expect.stringMatching(
        /^✕ fail POST \/v1\/oauth\/token .* steady-platform · x1 · status 401 client\/signature .*\(order-/,
      ),
      expect.stringMatching(/^✓ ok POST .* status 200$/),
      expect.stringMatching(/ GET \/v1\/estimates\/prices\/\[access_token 1\] .* status 404/),
    ]);
    expect(last.spoken).toMatch(/^The run has ended: Not conformant\./);
    expect(wordsOf(last)[0]).toContain(join(cwd, 'certified', 'report.html'));
    const secrets = JSON.parse(readFileSync(join(cwd, 'secrets.json'), 'utf8')) as string[];
    const document = readFileSync(join(cwd, 'certified', 'run.json'), 'utf8');
    for (const secret of secrets) {
      expect(text).not.toContain(secret);
      expect(document).not.toContain(secret);
    }
  });

  it('lists the scenarios before they run', () => {
    const events: LiveEvent[] = [];
    const page = { publish: (event: LiveEvent) => events.push(event) };
    new CertifyLive(page as never, null, new ListeningThread()).expect(['one', 'other']);
    expect(events).toMatchObject([
      { kind: 'scenario', name: 'one', state: 'waiting' },
      { kind: 'scenario', name: 'other', state: 'waiting' },
    ]);
  });

  it('shows the requests of a client it listens to', async () => {
    const args = ['certify', '--port', '0', '--out', 'listened'];
    const { last, text, exitCode } = await watch(args, async (said, interrupt) => {
      await expect.poll(said).toMatch(/Ctrl-C/);
      const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(said())?.[0] ?? '';
      const caller = new Caller({ baseUrl, clock: { now: Date.now } } as never);
      const { body } = await caller.platform();
      await caller.estimate(body.access_token, { contentType: 'text/plain' });
      await expect.poll(said).toContain(' x2 ');
      interrupt();
    });
    expect(exitCode).toBe(1);
    expect(requestsOf(last)).toEqual([
      expect.stringMatching(/^✓ ok POST \/v1\/oauth\/token .* · x1 · status 200$/),
      expect.stringMatching(/^✕ fail GET .* · x2 · .* client\/estimate-content-type text\/plain/),
    ]);
    expect(last.spoken).toContain('Not conformant');
    expect(secretsOf(text)).toEqual([]);
  });

  it('shows requests forwarded to a target', async () => {
    const target = await startServer();
    const profile = `name: behind\nbaseUrl: ${target.baseUrl}\nenvironment: production
partners: [{ id: demo, signingKey: signing-key-of-demo }]\n`;
    const args = ['certify', '--port', '0', '--proxy', file('behind.yaml', profile)];
    try {
      const { last } = await watch([...args, '--out', 'proxied'], async (said, interrupt) => {
        await expect.poll(said).toMatch(/Ctrl-C/);
        const baseUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(said())?.[0] ?? '';
        await new Caller({ baseUrl, clock: { now: Date.now } } as never).platform();
        await expect.poll(said).toContain(' x1 ');
        interrupt();
      });
      expect(requestsOf(last)).toEqual([expect.stringMatching(/^✓ ok POST .* x1 · status 200$/)]);
    } finally {
      await target.close(0);
    }
  });
});

describe('serve --live', () => {
  it('shows each request with its status, and why it was refused', async () => {
    const { last, text, exitCode, stdout } = await watch(
      ['serve', '--port', '0', '--json'],
      async (said, interrupt) => {
        await expect.poll(said).toContain('\n');
        const { baseUrl } = JSON.parse(said()) as { baseUrl: string };
        const caller = new Caller({ baseUrl, clock: { now: Date.now } } as never);
        const { body } = await caller.platform();
        expect((await caller.estimate(body.access_token)).status).toBe(200);
        expect((await caller.estimate('no-such-token')).status).toBe(401);
        await fetch(`${baseUrl}/v1/estimates/${body.access_token}?key=signing-key-of-demo`);
        await fetch(`${baseUrl}/v1/signing-key-of-demo`);
        interrupt();
      },
    );
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(requestsOf(last)).toEqual([
      expect.stringMatching(/^✓ 200 POST \/v1\/oauth\/token /),
      expect.stringMatching(/^✓ 200 GET \/v1\/estimates\/prices .* · [\d.]+ (µs|ms)$/),
      expect.stringMatching(/^✕ 401 GET .*auth\/unknown-token/),
      expect.stringMatching(/^✕ 404 GET \/v1\/estimates\/\[…\] .* path-unknown$/),
      expect.stringMatching(/^✕ 404 GET \/v1\/\[…\] /),
    ]);
    const [words] = wordsOf(last);
    expect(words).toContain('Requests 5 Accepted (200) 2');
    expect(words).toContain('× 2 path-unknown');
    expect(last.ended).toBe(true);
    expect(secretsOf(text)).toEqual([]);
  });
});
