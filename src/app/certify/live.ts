import { join } from 'node:path';
import type {
  BrokenRule,
  CapturedExchange,
  Orders,
  RunningScenario,
} from '../../conformance/index.ts';
import {
  ALL_FIELDS,
  type JudgedRequest,
  type ListeningThread,
  type RemoteListener,
} from '../../conformance/index.ts';
import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { LivePage, LiveScenario } from '../../report/index.ts';

type ParsedRequest = JudgedRequest['request'];

/** Publishes a certification on a live page: its scenarios, and each request as it is judged. */
export class CertifyLive {
  readonly #page: LivePage;
  readonly #thread: ListeningThread;
  readonly #orders: Orders;
  /** By partner: each attempt of a scenario has its own. */
  readonly #listeners = new Map<string, RemoteListener>();
  readonly #scenarios = new Map<string, LiveScenario>();
  readonly #counts = new Map<string, number>();
  /** Ends once the latest exchange is judged, and so all before it. */
  #judged: Promise<void> = Promise.resolve();
  #requests = 0;
  #good = 0;

  constructor(page: LivePage, orders: Orders, thread: ListeningThread) {
    this.#page = page;
    this.#thread = thread;
    this.#orders = orders;
  }

  /** Publishes the scenarios that will be run. */
  expect(names: readonly string[]): void {
    for (const name of names) this.#show({ name, state: 'waiting', requests: 0, reason: '' });
  }

  /** Publishes that a scenario has started, or ended. */
  show(name: string, state: 'running' | 'ended'): void {
    this.#show({ ...this.#scenarioOf(name), state });
  }

  /** Judges an exchange of a scenario, for the page only: the run judges all exchanges at its end. */
  take(captured: CapturedExchange, { name, partner, baseUrl }: RunningScenario): void {
    const listener =
      this.#listeners.get(partner.id) ??
      this.#thread.open({
        baseUrl,
        partners: [partner],
        signedFields: ALL_FIELDS,
        orders: this.#orders,
        complete: true,
      });
    this.#listeners.set(partner.id, listener);
    // Judged for the page only: where that fails, the run still judges the exchange.
    this.#judged = listener.take(captured).then(
      (judged) => this.#publish(name, judged),
      () => undefined,
    );
  }

  #publish(name: string, { request, broken }: JudgedRequest): void {
    if (request.sender !== 'client' || request.kind === 'probe') return;
    const known = this.#scenarioOf(name);
    this.#show({ ...known, requests: known.requests + 1 });
    this.judged(request, broken);
  }

  /** Publishes a judged request; its id in the report may differ. */
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
      broken: broken.slice(0, MAX_BROKEN_RULES),
    });
    this.#page.publish({
      kind: 'tally',
      requests: this.#requests,
      good: this.#good,
      counts: [...this.#counts].map(([name, count]) => ({ name, count })),
    });
  }

  /** Publishes the verdicts and the path of the report, after all requests. */
  async end(document: ConformanceDocument, folder: string): Promise<void> {
    await this.#judged;
    for (const { name, verdict, missing, reason } of document.scenarios ?? []) {
      const state = VERDICTS.find((known) => known === verdict) ?? 'ended';
      const missingText = missing.length === 0 ? [] : [`missing: ${missing.join('; ')}`];
      const words = [...(reason === undefined ? [] : [reason]), ...missingText].join('; ');
      this.#show({ ...this.#scenarioOf(name), state, reason: words });
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

/** Broken rules shown per request; the report has all. */
const MAX_BROKEN_RULES = 12;

const VERDICTS = ['pass', 'fail', 'warn', 'inconclusive'] as const;
