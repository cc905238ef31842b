import { join } from 'node:path';
import type {
  BrokenRule,
  CapturedExchange,
  RunClient,
  RunningScenario,
} from '../../../conformance/index.ts';
import { Listener } from '../../../conformance/index.ts';
import type { ConformanceDocument, LivePage, LiveScenario } from '../../../report/index.ts';

type ParsedRequest = ReturnType<Listener['take']>['request'];

/** Tells a live page of a certification: each request judged as it comes, and the scenarios. */
export class CertifyLive {
  readonly #page: LivePage;
  /** One for each scenario: a partner of its own, tokens of its own. */
  readonly #listeners = new Map<string, Listener>();
  readonly #scenarios = new Map<string, LiveScenario>();
  readonly #counts = new Map<string, number>();
  #requests = 0;
  #good = 0;

  constructor(page: LivePage) {
    this.#page = page;
  }

  /** Lists the scenarios that are to be run. */
  expect(names: readonly string[]): void {
    for (const name of names) this.#show({ name, state: 'waiting', requests: 0, reason: '' });
  }

  /** The runner of a client, which tells where its scenario stands. */
  watched(runClient: RunClient): RunClient {
    return async (environment, timeLimitMs, signal) => {
      const name = environment.FAREPROOF_SCENARIO;
      this.#show({ ...this.#scenarioOf(name), state: 'running' });
      try {
        return await runClient(environment, timeLimitMs, signal);
      } finally {
        this.#show({ ...this.#scenarioOf(name), state: 'over' });
      }
    };
  }

  /** Judges an exchange of a scenario for the page; the verdict of the run is found apart from it. */
  take(captured: CapturedExchange, { name, partner, baseUrl }: RunningScenario): void {
    const listener =
      this.#listeners.get(name) ??
      new Listener(
        {
          baseUrlOf: () => baseUrl,
          partners: [partner],
          signedFields: { token: 'all', estimate: 'all' },
        },
        true,
      );
    this.#listeners.set(name, listener);
    const { request, broken } = listener.take(captured);
    if (request.sender !== 'client' || request.kind === 'probe') return;
    const known = this.#scenarioOf(name);
    this.#show({ ...known, requests: known.requests + 1 });
    this.judged(request, broken);
  }

  /** A request that was judged; its id is that of the listener, the report may have another. */
  judged(request: ParsedRequest, broken: readonly BrokenRule[]): void {
    const { id, scenario, method, path, answer, receivedMs } = request;
    this.#requests++;
    if (broken.length === 0) this.#good++;
    for (const { rule } of broken) this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1);
    this.#page.publish({
      kind: 'request',
      id,
      at: new Date(receivedMs).toISOString(),
      scenario,
      method,
      path,
      status: answer.status,
      durationUs: null,
      refusal: null,
      broken: broken.slice(0, MOST_BREACHES),
    });
    this.#page.publish({
      kind: 'tally',
      requests: this.#requests,
      good: this.#good,
      counts: [...this.#counts].map(([name, count]) => ({ name, count })),
    });
  }

  /** The verdicts are there, and the report is written. */
  end(document: ConformanceDocument, folder: string): void {
    for (const { name, verdict, missing, reason } of document.scenarios ?? []) {
      const state = VERDICTS.find((known) => known === verdict) ?? 'over';
      const lacking = missing.length === 0 ? '' : `missing: ${missing.join('; ')}`;
      this.#show({ ...this.#scenarioOf(name), state, reason: reason ?? lacking });
    }
    this.#page.end(document, join(folder, 'report.html'));
  }

  #scenarioOf(name: string): Omit<LiveScenario, 'kind'> {
    return this.#scenarios.get(name) ?? { name, state: 'waiting', requests: 0, reason: '' };
  }

  #show(scenario: Omit<LiveScenario, 'kind'>): void {
    const event: LiveScenario = { ...scenario, kind: 'scenario' };
    this.#scenarios.set(scenario.name, event);
    this.#page.publish(event);
  }
}

/** More would not be read, and each of them is in the report. */
const MOST_BREACHES = 12;

const VERDICTS = ['pass', 'fail', 'warn', 'inconclusive'] as const;
