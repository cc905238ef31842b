import { startCharts } from '../chart/charts.ts';
import { startPage } from './start-page.ts';

startPage();
// The words are there before the charts are: drawing waits for the first paint.
requestAnimationFrame(() => setTimeout(startCharts));
