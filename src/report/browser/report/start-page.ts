import { startCopyButtons } from './copy-buttons.ts';
import { openLinkedDetails } from './linked-details.ts';
import { startRuleFilters } from './rule-filter.ts';
import { startTheme } from './theme.ts';

/** Starts what every report has: theme, filters, buttons and links. */
export function startPage(): void {
  startTheme();
  startRuleFilters();
  startCopyButtons();
  openLinkedDetails();
}
