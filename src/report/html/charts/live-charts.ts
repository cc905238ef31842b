import { LOAD_CHARTS, SERVE_CHARTS, type TimeChart } from './time-charts.ts';

/** The charts of a live page share pointer and zoom. */
export const LIVE_GROUP = 'live';

/** The charts of a live page by what it is about; nobody asks a server for its memory while it runs. */
export const LIVE_CHARTS: Readonly<Record<'load' | 'certify' | 'serve', readonly TimeChart[]>> = {
  load: LOAD_CHARTS.filter(({ name }) => name !== 'memory'),
  certify: [],
  serve: SERVE_CHARTS,
};
