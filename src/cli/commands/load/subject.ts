import type { LiveSubject } from '../../../report/index.ts';
import type { AskedLoad } from './run.ts';
import type { LoadTarget } from './target.ts';

/** Title and facts of a load for its live page. */
export function loadSubject(
  { description, thresholds }: AskedLoad,
  { options: { profile } }: LoadTarget,
  against: string | undefined,
): LiveSubject {
  const expressions = thresholds.map(({ expression }) => expression).join(', ');
  return {
    kind: 'load',
    title: `Load on ${profile.name}`,
    state: 'Waiting for the first second',
    facts: [
      ['Target', addressOf(profile.baseUrl)],
      ['Asked for', description],
      ...(against === undefined ? [] : ([['Compared with', against]] as const)),
      ...(thresholds.length === 0 ? [] : ([['Thresholds', expressions]] as const)),
    ],
    thresholds,
  };
}

/** The address without credentials. */
function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/$/, '');
}
