import { startCopyButtons } from './copy-buttons.ts';
import { openLinkedDetails } from './linked-details.ts';
import { startRuleFilters } from './rule-filter.ts';
import { startTheme } from './theme.ts';

/** Makes what every report has work: colours, filters, buttons and links. */
export function startPage(): void {
  startTheme();
  startRuleFilters();
  startCopyButtons();
  openLinkedDetails();
}
