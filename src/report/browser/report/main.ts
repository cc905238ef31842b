import { startCharts } from '../chart/charts.ts';
import { startPage } from './start-page.ts';

startPage();
// Charts are drawn after the first paint.
requestAnimationFrame(() => setTimeout(() => startCharts()));
