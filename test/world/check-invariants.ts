import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { recheckService } from '../../src/conformance/index.ts';
import type { ConformanceDocument } from '../../src/documents/conformance.ts';
import { toConsole, toJson } from '../../src/report/index.ts';
import notYet from '../independent-service/forms/not-yet-detected.json' with { type: 'json' };
import { secretsOf } from '../independent-service/secrets.ts';
import { EVERY_SPELLING } from '../support/spellings.ts';
import { type CheckHistory, type Part, type Sent, UNKNOWN_ERROR } from './check-world.ts';
import type { Fault } from './plan.ts';
import { renderingFaults } from './renderings.ts';
import { heldOf, type Invariants, NOTHING } from './world-kind.ts';

/** World as it was, and the same one without what ends a run early; null where nothing did. */
export interface Judged {
  readonly history: CheckHistory;
  readonly whole: CheckHistory | null;
}

/** Invariants of worlds in which a service is checked, by what they say. */
export const CHECK_INVARIANTS: Invariants<Judged> = {
  'a sound service is not accused': ({ history: { plan, parts } }) => {
    if (plan.broken !== null) return NOTHING;
    return heldOf(documentsOf(parts).map((one) => accusedIn(one).map((id) => `${id} fails`)));
  },

  'a broken service fails its own rule or none': ({ history: { plan, parts } }) => {
    const { broken } = plan;
    if (broken === null) return NOTHING;
    const known: Readonly<Record<string, readonly string[]>> =
      notYet.accused[plan.hasControl ? 'control' : 'metered'];
    const own = [broken.split('#')[0]!, ...(known[broken] ?? [])];
    return heldOf(
      documentsOf(parts).map((one) =>
        accusedIn(one)
          .filter((id) => !own.includes(id))
          .map((id) => `${id} fails, of a service that breaks ${broken}`),
      ),
    );
  },

  'no partner is banned without consent': ({ history: { plan, service } }) => {
    if (plan.hasControl || isOfQuota(plan.broken)) return NOTHING;
    const mayBan = consenting(plan);
    const spent = [...service.counted.keys()];
    return heldOf(
      spent.map((id) => (service.bans.includes(id) && !mayBan.has(id) ? [`${id} was banned`] : [])),
    );
  },

  'no allowance is exceeded': ({ history: { plan, service } }) => {
    if (plan.hasControl) return NOTHING;
    const mayBan = consenting(plan);
    const partners = [...service.partners.values()].filter(({ id }) => !mayBan.has(id));
    return heldOf(
      partners.flatMap(({ id, asked }) =>
        Object.entries(LIMITS).flatMap(([kind, most]) => {
          const atMs = asked.filter((one) => one.kind === kind).map(({ at }) => at);
          if (atMs.length === 0) return [];
          const isOver = atMs.some((ms, at) => (atMs[at + most] ?? Infinity) - ms < DAY_MS);
          return [isOver ? [`${id} was sent for more than ${most} ${kind} tokens`] : []];
        }),
      ),
    );
  },

  'no refresh_token or code is sent by two processes': ({ history: { plan, sent, service } }) => {
    // Another run of the same seed sends the same requests, and gets the same tokens.
    if (plan.styles.includes('answers a request that comes twice as before')) return NOTHING;
    const codes = new Set([...service.partners.values()].flatMap((one) => [...one.codes.keys()]));
    const isReal = (text: string): boolean => service.refreshes.has(text) || codes.has(text);
    const senders = new Map<string, Set<number>>();
    // What was refused is not used up.
    for (const one of sent.filter(({ isRefused }) => !isRefused)) {
      for (const text of singleUseIn(one).filter(isReal))
        senders.set(text, (senders.get(text) ?? new Set()).add(one.process));
    }
    const processes = new Set([...senders.values()].flatMap((some) => [...some]));
    if (processes.size < 2) return NOTHING;
    return heldOf(
      [...senders].map(([text, some]) =>
        some.size > 1 ? [`${text} was sent by processes ${[...some].join(' and ')}`] : [],
      ),
    );
  },

  'a run ends': ({ history: { parts } }) =>
    heldOf(parts.map(({ kind, ended }) => (ended ? [] : [`the ${kind} does not end`]))),

  'a run ends with a result or an error of its own': ({ history: { parts } }) =>
    heldOf(
      parts
        .filter(({ died, ended }) => ended && !died)
        .map(({ document, error, thrown }) => {
          if (error === UNKNOWN_ERROR) return [String((thrown as Error).stack)];
          return document === null && error === null ? ['neither a document nor an error'] : [];
        }),
    ),

  'a run that died can be resumed': ({ history: { parts } }) => {
    // Another process may have the ledger then.
    const runs = parts.some(({ kind }) => kind === 'second') ? [] : parts;
    const after = runs.filter(({ kind }, at) => kind === 'resume' && runs[at - 1]?.died);
    return heldOf(after.map(({ error }) => (UNRESUMED.test(error ?? '') ? [`${error}`] : [])));
  },

  'a run keeps to its requests and its time': ({ history: { plan, parts, sent } }) =>
    heldOf(
      parts.map(({ process, tookMs }) => {
        const count = sent.filter((one) => one.process === process).length;
        const most = MOST_SENT_EACH * plan.rules.length + 2 * plan.requests;
        const mostMs = plan.waits ? MOST_MS.waiting : MOST_MS.usual;
        return [
          ...(count > most ? [`${count} requests, of ${most} at most`] : []),
          ...(tookMs > mostMs ? [`it took ${Math.round(tookMs / 60_000)} minutes`] : []),
        ];
      }),
    ),

  'no secret is written': ({ history }) => {
    const secrets = secretsOf(history.service).filter(({ length }) => length >= 8);
    const spelled = secrets.flatMap((secret) => EVERY_SPELLING.map((spell) => spell(secret)));
    return heldOf(
      writtenTexts(history).map(([name, text]) =>
        [...new Set(spelled)]
          .filter((one) => text.includes(one))
          .map((one) => `${name} has ${one}`),
      ),
    );
  },

  'a stored run is judged alike again': async ({ history: { parts } }) => {
    const each = documentsOf(parts).map(async (document) => {
      const stored = JSON.parse(JSON.stringify(document)) as ConformanceDocument;
      const again = await recheckService(stored);
      // What a document leaves out of long answers is not judged again.
      const isCut = (reason = ''): boolean => / (?:is|are) cut\b/.test(reason);
      return document.rules.flatMap(({ id, verdict }, at) =>
        again.rules[at]?.verdict === verdict || isCut(again.rules[at]?.reason)
          ? []
          : [`${id}: ${verdict}, and again ${again.rules[at]?.verdict}`],
      );
    });
    return heldOf(await Promise.all(each));
  },

  'a resumed run says what an uninterrupted one says, or less': ({ history, whole }) => {
    const resumed = documentsOf(history.parts.filter(({ kind }) => kind === 'resume')).at(-1);
    const expected = whole && documentsOf(whole.parts).at(-1);
    if (!resumed || !expected) return NOTHING;
    return heldOf(
      resumed.rules.map(({ id, verdict }, at) => {
        const other = expected.rules[at]?.verdict;
        return verdict === other || isOpen(verdict) ? [] : [`${id}: ${verdict}, whole ${other}`];
      }),
    );
  },

  'exit code, document, JUnit, terminal and file agree': ({ history: { parts, folder, met } }) =>
    heldOf(
      documentsOf(parts).map((document, at, all) => {
        const faults = renderingFaults(document);
        const file = join(folder, 'out', 'run.json');
        const isLast = at === all.length - 1 && !met['disk-full'] && !met['second-checker'];
        if (!isLast || parts.at(-1)?.document !== document) return faults;
        const isSame = readFileSync(file, 'utf8') === toJson(document);
        return isSame ? faults : [...faults, 'run.json has another document'];
      }),
    ),
};

const LIMITS = { platform: 10, user: 5, refresh: 10 } as const;
const DAY_MS = 86_400_000;

/** Errors for what another process left, by which a run cannot be resumed. */
const UNRESUMED = /^(?:RESUME_(?!NOTHING)|LEDGER_BROKEN|LEDGER_IN_USE|RUN_UNDER_WAY)/;

/** Requests for the first part of a rule with its comparisons, repetitions included, at most. */
const MOST_SENT_EACH = 800;

const MOST_MS = { usual: 12 * 3_600_000, waiting: 10 * DAY_MS } as const;

const documentsOf = (parts: readonly Part[]): ConformanceDocument[] =>
  parts.flatMap(({ document }) => document ?? []);

const accusedIn = ({ rules }: ConformanceDocument): string[] =>
  rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ id }) => id);

const isOpen = (verdict: string): boolean => verdict === 'inconclusive' || verdict === 'untestable';

const isOfQuota = (broken: string | null): boolean => broken?.startsWith('quota/') === true;

/** Partners that may be banned. */
function consenting({ allowBan, partners }: CheckHistory['plan']): ReadonlySet<string> {
  const ids = partners.flatMap((use, at) => (use === 'spendable' ? [`partner-${at}`] : []));
  return new Set(allowBan ? ids : []);
}

/** Refresh_token and auth_code of a request. */
function singleUseIn({ body }: Sent): string[] {
  try {
    const fields = JSON.parse(body ?? '') as Record<string, unknown>;
    return [fields['refresh_token'], fields['auth_code']].filter(
      (one): one is string => typeof one === 'string',
    );
  } catch {
    return [];
  }
}

/** Everything that was written or printed, by the name of its file, except for the private tokens. */
function writtenTexts({ folder, notes, parts }: CheckHistory): [name: string, text: string][] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => basename(name) !== 'tokens.jsonl' && existsSync(join(folder, name)),
  );
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return [
    ...files.map((name): [string, string] => [name, readFileSync(join(folder, name), 'utf8')]),
    ['notes', notes.join('\n')],
    ...documentsOf(parts).map((one): [string, string] => [
      'the terminal',
      toConsole(one, { color: false }),
    ]),
  ];
}

/** Faults that end a run before it is finished. */
const ENDS_EARLY: ReadonlySet<Fault['kind']> = new Set(['death', 'interrupt']);

/** Faults that leave what a run sees as it is. */
const IS_QUIET: ReadonlySet<Fault['kind']> = new Set([...ENDS_EARLY, 'later']);

/** Checks whether the same world without early ends says what a resumed run may say. */
export function hasWhole({ faults, styles }: CheckHistory['plan']): boolean {
  return (
    styles.length === 0 &&
    faults.some(({ kind }) => ENDS_EARLY.has(kind)) &&
    faults.every(({ kind }) => IS_QUIET.has(kind))
  );
}

/** The same faults without those that end a run early. */
export const withoutEnds = (faults: readonly Fault[]): Fault[] =>
  faults.filter(({ kind }) => !ENDS_EARLY.has(kind));
