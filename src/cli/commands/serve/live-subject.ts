import type { LiveSubject } from '../../../report/index.ts';
import type { RunningServer } from '../../../server/index.ts';
import type { ServeFlags } from './settings.ts';

/** The server, as the page of `--live` describes it. */
export function liveSubject(
  { baseUrl, environment }: RunningServer,
  { fault }: ServeFlags,
): LiveSubject {
  return {
    kind: 'serve',
    title: 'The reference server',
    state: 'Serving',
    facts: [
      ['Listens on', baseUrl],
      ['Environment', environment],
      ...(fault.length === 0 ? [] : ([['Broken on purpose', fault.join(', ')]] as const)),
    ],
  };
}
