import { isLoopbackHost } from '../../../interface/loopback.ts';
import type { RunningServer } from '../../../server/index.ts';
import type { ServeFlags } from './settings.ts';

/** Warnings of a server that listens: who reaches it, what is broken, what it does not do. */
export function serveWarnings({ host, fault }: ServeFlags, server: RunningServer): string[] {
  return [
    ...(isLoopbackHost(host)
      ? []
      : [`${host} is not loopback; anyone who can reach it can use this server.`]),
    ...fault.map((id) => {
      const [rule, form] = id.split('#');
      return `the rule ${rule} is broken on purpose${form === undefined ? '' : ` (${id})`}.`;
    }),
    ...(server.singleBecause === null ? [] : [oneWorker(server.singleBecause)]),
  ].map((words) => `warning: ${words}`);
}

/** Flags of the options that need one worker; the others are gaps. */
const FLAG_OF_OPTION: Readonly<Record<string, string>> = {
  interceptor: '--live',
  faults: '--fault',
};

function oneWorker(option: string): string {
  const what = FLAG_OF_OPTION[option] ?? `the gap ${option}`;
  return `one worker, not as many as --workers says: ${what} is not shared between processes.`;
}
