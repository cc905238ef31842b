import { startCharts } from './charts.ts';
import { startCopyButtons } from './copy-buttons.ts';
import { openLinkedDetails } from './linked-details.ts';
import { startRuleFilters } from './rule-filter.ts';
import { startTheme } from './theme.ts';

startTheme();
startRuleFilters();
startCopyButtons();
openLinkedDetails();
// The words are there before the charts are: drawing waits for the first paint.
requestAnimationFrame(() => setTimeout(startCharts));
