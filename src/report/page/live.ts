import { startCopyButtons } from './copy-buttons.ts';
import { startLive } from './live-view.ts';
import { startTheme } from './theme.ts';

startTheme();
startCopyButtons();
startLive();
