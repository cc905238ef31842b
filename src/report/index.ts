export { toGithubAnnotations } from './annotations.ts';
export { errorToCodeQuality, toCodeQuality } from './code-quality.ts';
export { toConsole } from './console/console.ts';
export { forecastText } from './console/forecast.ts';
export { endedRunLine, loadProgressLine, loadProgressLines } from './console/load-progress.ts';
export { exchangeListText, replayText } from './console/replay.ts';
export { roundText } from './console/round.ts';
export { selfcheckLines } from './console/selfcheck.ts';
export {
  escapeAnnotation,
  escapeMarkdown,
  escapeTerminal,
  escapeTerminalLine,
} from './escape.ts';
export { toHtml } from './html/page.ts';
export { trendToHtml } from './html/trend-page.ts';
export { toJson } from './json.ts';
export { toJunit } from './junit/junit.ts';
export type { LiveRequest, LiveScenario } from './live/events.ts';
export { LivePage } from './live/live-page.ts';
export type { LiveSubject } from './live/parts.ts';
export { toMarkdown } from './markdown.ts';
export { groupBy } from './text/group-by.ts';
export { headlineOf } from './text/headline.ts';
export { formatInstant, formatRate } from './text/quantities.ts';
export { observedWords } from './text/tables.ts';
export type { Trend, TrendRun } from './text/trend.ts';
export { trendToMarkdown } from './trend-markdown.ts';
