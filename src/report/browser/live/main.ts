import { startCopyButtons } from '../report/copy-buttons.ts';
import { startTheme } from '../report/theme.ts';
import { startLive } from './view.ts';

startTheme();
startCopyButtons();
startLive();
