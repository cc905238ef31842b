import {
  type GeneratorHandle,
  type GeneratorReport,
  type TokenUser,
  tokenUserOf,
} from './engine.ts';

/** An order to generators that run elsewhere: in a thread, or in an agent. */
export type GeneratorOrder =
  | { readonly kind: 'start'; readonly startNs: number }
  | { readonly kind: 'token'; readonly accessToken: string }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume'; readonly accessToken: string }
  /** Ends the run early: what was measured is reported. */
  | { readonly kind: 'end' };

/** Word of the generators to whoever gives them orders. */
export interface OrderedGenerators {
  readonly onPaused: () => void;
  readonly onReport: (index: number, report: GeneratorReport) => void;
  /** Left out, a generator that fails ends its thread. */
  readonly onFailure?: (error: unknown) => void;
}

/** Has generators of this thread obey orders. */
export function obeyOrders(
  handles: readonly GeneratorHandle[],
  { onPaused, onReport, onFailure }: OrderedGenerators,
): (order: GeneratorOrder) => void {
  const ending = new AbortController();
  const token = tokenUserOf(handles);
  return (order) => {
    switch (order.kind) {
      case 'start':
        for (const [index, handle] of handles.entries()) {
          const running = handle.run(order.startNs, ending.signal);
          void running.then((report) => onReport(index, report), onFailure);
        }
        break;
      case 'token':
        token.setToken(order.accessToken);
        break;
      case 'pause':
        void token.pause().then(onPaused);
        break;
      case 'resume':
        token.resume(order.accessToken);
        break;
      case 'end':
        ending.abort();
        break;
    }
  };
}

type Send = (order: GeneratorOrder) => void;

/** Starts generators elsewhere, and ends them early when the signal aborts. */
export function orderRun(send: Send, startNs: number, ending: AbortSignal): void {
  send({ kind: 'start', startNs });
  const end = (): void => send({ kind: 'end' });
  if (ending.aborted) end();
  ending.addEventListener('abort', end, { once: true });
}

/** @param paused resolves when they next say that they have paused */
export function orderedTokenUser(send: Send, paused: () => Promise<unknown>): TokenUser {
  return {
    setToken: (accessToken) => send({ kind: 'token', accessToken }),
    pause: async () => {
      const whenPaused = paused();
      send({ kind: 'pause' });
      await whenPaused;
    },
    resume: (accessToken) => send({ kind: 'resume', accessToken }),
  };
}
