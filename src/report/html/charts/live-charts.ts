import { LOAD_CHARTS, SERVE_CHARTS, type TimeChart } from './time-charts.ts';

/** Group of the charts of a live page. */
export const LIVE_GROUP = 'live';

/** The charts of a live page by its command; the memory of a server is not read during a run. */
export const LIVE_CHARTS: Readonly<Record<'load' | 'certify' | 'serve', readonly TimeChart[]>> = {
  load: LOAD_CHARTS.filter(({ name }) => name !== 'memory'),
  certify: [],
  serve: SERVE_CHARTS,
};
